// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What functions in place of libc's are made of: texts in the program's memory, results that go there, and
// libc's own data, which the program may read.
#pragma once

#include <csignal>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "vm/externals.hpp"
#include "vm/library_state.hpp"

namespace thrum::vm {

// A function gives up: the execution ends as refused, since of `what`.
Next refuse(Call& call, std::string what);

// ---- Texts --------------------------------------------------------------------------------------

// The characters before the final 0, at most `most`: all of them are addressable, and the 0 too unless there
// are `most`. Nothing: they are not, and the execution has failed. It is no access of the program: see
// reads_text().
template <typename T>
std::optional<std::basic_string_view<T>> text_at(Call& call, std::uint64_t address,
                                                 std::uint64_t most = kArenaSize / sizeof(T)) {
  std::uint64_t length = 0;
  for (std::uint64_t place = address; length < most; ++length, place += sizeof(T)) {
    if (!in_arena(place, sizeof(T)) ||
        Memory::first_unfit(place, sizeof(T), kAddressable) != place + sizeof(T)) {
      call.machine.may_read(place, sizeof(T));
      return std::nullopt;
    }
    if (at<T>(place) == 0) break;
  }
  return std::basic_string_view<T>(&at<T>(address), length);
}

// Accesses of the program to so many elements; false: they are wrong, and the execution has failed.
template <typename T>
bool reads(Call& call, std::uint64_t address, std::uint64_t count = 1) {
  return call.machine.read_for_program(address, count * sizeof(T));
}
template <typename T>
bool writes(Call& call, std::uint64_t address, std::uint64_t count = 1) {
  return call.machine.write_for_program(address, count * sizeof(T));
}

// text_at(), which is read with its 0 unless there are `most` characters.
template <typename T>
std::optional<std::basic_string_view<T>> read_text(Call& call, std::uint64_t address,
                                                   std::uint64_t most = kArenaSize / sizeof(T)) {
  const auto text = text_at<T>(call, address, most);
  if (!text || !reads<T>(call, address, text->size() < most ? text->size() + 1 : most)) return std::nullopt;
  return text;
}

// Writes elements for the program; false: as writes().
template <typename T>
bool put(Call& call, std::uint64_t to, const T* from, std::uint64_t count) {
  if (!writes<T>(call, to, count)) return false;
  call.machine.write(to, from, count * sizeof(T));
  return true;
}
// The same of one value, if there is a place for it.
template <typename T>
bool put_value(Call& call, std::uint64_t to, const T& value) {
  return to == 0 || put(call, to, &value, 1);
}
// A text and its 0.
template <typename T>
bool put_text(Call& call, std::uint64_t to, std::basic_string_view<T> text) {
  std::vector<T> whole(text.begin(), text.end());
  whole.push_back(0);
  return put(call, to, whole.data(), whole.size());
}

// The result of a function that returns a pointer into a text that lies at `address`.
template <typename T>
std::uint64_t address_in(std::basic_string_view<T> text, std::uint64_t address, std::size_t index) {
  return index == std::basic_string_view<T>::npos || index > text.size() ? 0 : address + index * sizeof(T);
}

// A new block of the heap for the running thread.
std::uint64_t allocate_for(Call& call, std::uint64_t size);
// As realloc(). Where `old` is no block, the execution has failed.
std::uint64_t reallocate_for(Call& call, std::uint64_t old, std::uint64_t size);

// ---- Signals and cancellation -------------------------------------------------------------------

inline constexpr int kProcessNumber = 1;  // getpid()
inline constexpr unsigned kUser = 0;
// As a handler is told of the signal.
siginfo_t info_of(const SentSignal& signal);

// A set of signals in the program's memory; nothing: the bytes are not there, and the execution has failed.
std::optional<std::uint64_t> set_at(Call& call, std::uint64_t place);
// The thread of that number, as gettid() has it; nullptr: there is none.
Thread* thread_of_number(std::int32_t number);
// raise(), in the phases 0 to 2; nothing: it was sent and handled.
std::optional<Next> raise_signal(Call& call, int signal);

// The call is a cancellation point, and begins; something else: the thread is cancelled.
std::optional<Next> cancellation_point(Call& call);
// stand_until() of a wait that is a cancellation point.
std::optional<Next> stand_cancellable(Call& call, std::uint32_t phase, Operation operation,
                                      std::uint64_t object, Wait wait, std::uint64_t deadline_ns);
// Behind it: whether the thread goes on because it is cancelled.
bool is_cancelled_in_wait(Call& call);
// A call on a file, which is a cancellation point too, begins: in phase 0, and behind it.
std::optional<Next> test_before_file(Call& call);
// The thread stands in the middle of its stretch until the other one has ended; false: it has, or the
// execution is over.
bool wait_for_end(Call& call, Thread& other);

// ---- Attributes ---------------------------------------------------------------------------------

// libc's own function on a copy of the attributes at argument 0, which become the copy.
template <typename Attributes, typename Operate>
Next change_attributes(Call& call, Operate operate) {
  const std::uint64_t place = call.argument(0);
  if (!call.machine.may_write(place, sizeof(Attributes))) return Next::over;
  Attributes copy = at<Attributes>(place);
  const int result = operate(&copy);
  return result != 0 || put_value(call, place, copy) ? call.result_int(result) : Next::over;
}
// One that takes a number.
template <typename Attributes, typename Value>
Next set_attribute(Call& call, int (*set)(Attributes*, Value)) {
  return change_attributes<Attributes>(
      call, [&](Attributes* copy) { return set(copy, static_cast<Value>(call.argument(1))); });
}
// One that tells a value to the place at argument 1.
template <typename Attributes, typename Value>
Next get_attribute(Call& call, int (*get)(const Attributes*, Value*)) {
  if (!call.machine.may_read(call.argument(0), sizeof(Attributes))) return Next::over;
  Value value = {};
  const int result = get(&at<Attributes>(call.argument(0)), &value);
  return result != 0 || put_value(call, call.argument(1), value) ? call.result_int(result) : Next::over;
}

// ---- libc's own data ----------------------------------------------------------------------------

// In the program's memory, behind the arguments of main: the C locale and its tables of characters, streams,
// texts (Machine::place_library_data()).
inline constexpr std::uint64_t kLibraryData = kGlobals + kGlobalsSize + (std::uint64_t{1} << 30);

// What localtime() and ctime() return: one for all threads.
inline constexpr std::uint64_t kSharedTime = kLibraryData + 0xe000;
inline constexpr std::uint64_t kSharedDate = kLibraryData + 0xe100;

// Its environment, a list of strings.
inline constexpr std::uint64_t kEnvironment = kLibraryData + (std::uint64_t{1} << 28);

// Constant texts that libc returns, by their numbers; they come into being when they are first asked for.
enum class Text : std::uint32_t { system = 0, error = 1 << 14, signal = 1 << 15 };
inline constexpr std::uint64_t kTextRoom = 256;  // bytes, the final 0 among them
std::uint64_t text_place(Text kind, std::uint32_t number);
// text: at most kTextRoom - 1 bytes count. Its address.
std::uint64_t constant_text(Call& call, Text kind, std::uint32_t number, std::string_view text);

// Texts that later calls overwrite, such as strerror's for a number that is no error's: one of each kind for
// each thread.
enum class Returned : std::uint8_t { error, signal };
inline constexpr std::uint64_t kReturnedRoom = 1024;  // bytes
std::uint64_t returned_place(const Call& call, Returned what);
// Puts a text there, cut to its room; its address.
std::uint64_t put_returned(Call& call, Returned what, std::string_view text);

// ---- Streams ------------------------------------------------------------------------------------

// stdin, stdout and stderr point to the first of these; fmemopen() gives others. They have the form of
// libc's, without a buffer, so that what its headers expand to calls __overflow and __uflow.
inline constexpr std::uint64_t kStreams = kLibraryData + 0x8000;
inline constexpr std::uint64_t kStreamSize = 256;
inline constexpr std::uint64_t kStreamCount = 32;
inline constexpr std::uint64_t kStandardInput = kStreams;
inline constexpr std::uint64_t kStandardOutput = kStreams + kStreamSize;
inline constexpr std::uint64_t kStandardError = kStreams + 2 * kStreamSize;
// Whether there is a character to be read.
bool has_input(std::uint64_t stream);
void place_streams(Memory& memory);

// Appends to what the program has written.
void put_out(Call& call, std::string_view text);
// Through a stream; false: it takes none, and errno says so.
bool put_out(Call& call, std::uint64_t stream, std::string_view text);
bool put_out(Call& call, std::uint64_t stream, std::wstring_view text);

}  // namespace thrum::vm
