// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls by which a program tells tools about itself, and accesses at odd addresses. They change no schedule.
// What they say of happens-before and of races that are meant goes to the race detector (judge.cpp).
#include <algorithm>
#include <cstring>

#include "vm/library.hpp"

namespace thrum::vm {

namespace {

template <typename T>
Next load(Call& call) {
  const std::uint64_t place = call.argument(0);
  if (!call.machine.may_read(place, sizeof(T))) return Next::over;
  T value = 0;
  std::memcpy(&value, &at<char>(place), sizeof value);
  return call.result(value);
}
template <typename T>
Next store(Call& call) {
  const std::uint64_t place = call.argument(0);
  if (!call.machine.may_write(place, sizeof(T))) return Next::over;
  call.machine.write(place, static_cast<T>(call.argument(1)));
  return Next::done;
}

// All that the thread has done happens before an acquire of the object.
Next release_edge(Call& call, std::size_t argument) {
  if (call.machine.judges) call.machine.races.release(call.thread.number, call.argument(argument), true);
  return Next::done;
}
Next acquire_edge(Call& call, std::size_t argument) {
  if (call.machine.judges) call.machine.races.acquire(call.thread.number, call.argument(argument));
  return Next::done;
}

// The number of a text, apart from those of strings of the system.
constexpr std::uint32_t kNoQuery = (1 << 14) - 1;

// From here on the thread's accesses of that kind are not judged, until all begins have their ends.
enum LeftOut : std::uint32_t { kReads = 1, kWrites = 1 << 16 };
Next leave_out(Call& call, std::uint32_t what, bool begins) {
  Thread& me = call.machine.change(call.thread);
  for (const std::uint32_t one : {kReads, kWrites}) {
    if ((what & one) == 0) continue;
    const std::uint32_t count = one == kReads ? me.left_out & 0xffff : me.left_out >> 16;
    if (begins) {
      me.left_out += one;
    } else if (count != 0) {
      me.left_out -= one;
    }
  }
  return Next::done;
}

}  // namespace

Next do_annotate_first_acquire(Call& call) { return acquire_edge(call, 0); }
Next do_annotate_first_release(Call& call) { return release_edge(call, 0); }
Next do_annotate_acquire(Call& call) { return acquire_edge(call, 2); }
Next do_annotate_release(Call& call) { return release_edge(call, 2); }
Next do_annotate_pre_unlock(Call& call) {
  release_edge(call, 0);
  return call.result_int(0);
}
Next do_annotate_race(Call& call) {
  call.machine.allow_races(call.argument(2), 1);
  return Next::done;
}
Next do_annotate_races(Call& call) {
  call.machine.allow_races(call.argument(2), call.argument(3));
  return Next::done;
}
Next do_annotate_reads_begin(Call& call) { return leave_out(call, kReads, true); }
Next do_annotate_reads_end(Call& call) { return leave_out(call, kReads, false); }
Next do_annotate_writes_begin(Call& call) { return leave_out(call, kWrites, true); }
Next do_annotate_writes_end(Call& call) { return leave_out(call, kWrites, false); }
Next do_annotate_all_begin(Call& call) { return leave_out(call, kReads | kWrites, true); }
Next do_annotate_all_end(Call& call) { return leave_out(call, kReads | kWrites, false); }
// A fiber or a tag of the program's: it has none that matter, and gets an address that is none's.
Next do_annotate_some_object(Call& call) { return call.result(kCode - 1); }
Next do_annotate_slowdown(Call& call) {
  const double none = 1;
  std::uint64_t bits = 0;
  std::memcpy(&bits, &none, sizeof bits);
  return call.result(bits);
}
Next do_annotate_query(Call& call) { return call.result(constant_text(call, Text::system, kNoQuery, "")); }
Next do_get_ownership(Call& call) {
  return call.result_int(call.machine.heap.is_live_block(call.argument(0)) ? 1 : 0);
}
Next do_get_allocated_size(Call& call) {
  const std::uint64_t block = call.argument(0);
  return call.result(call.machine.heap.is_live_block(block) ? call.machine.heap.size_of(block) : 0);
}

Next do_unaligned_load16(Call& call) { return load<std::uint16_t>(call); }
Next do_unaligned_load32(Call& call) { return load<std::uint32_t>(call); }
Next do_unaligned_load64(Call& call) { return load<std::uint64_t>(call); }
Next do_unaligned_store16(Call& call) { return store<std::uint16_t>(call); }
Next do_unaligned_store32(Call& call) { return store<std::uint32_t>(call); }
Next do_unaligned_store64(Call& call) { return store<std::uint64_t>(call); }

// LeakSanitizer's.
Next do_lsan_disable(Call& call) {
  call.machine.leaks.request(LeakSearch::Request::disable);
  return Next::done;
}
Next do_lsan_enable(Call& call) {
  call.machine.leaks.request(LeakSearch::Request::enable);
  return Next::done;
}
Next do_lsan_ignore(Call& call) {
  call.machine.leaks.request(LeakSearch::Request::ignore, call.argument(0));
  return Next::done;
}
Next do_lsan_add_root(Call& call) {
  call.machine.leaks.request(LeakSearch::Request::add_root, call.argument(0), call.argument(1));
  return Next::done;
}
Next do_lsan_remove_root(Call& call) {
  call.machine.leaks.request(LeakSearch::Request::remove_root, call.argument(0), call.argument(1));
  return Next::done;
}

}  // namespace thrum::vm
