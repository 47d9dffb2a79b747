// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/remote_program.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "protocol/job.hpp"
#include "support/check.hpp"

namespace thrum {

namespace {

using Turn = Channel::Turn;

// Returns when the turn may have changed, and at intervals.
void wait_while(std::atomic<Turn>& turn, Turn value) {
  constexpr timespec kNowAndThen{0, 50'000'000};
  syscall(SYS_futex, &turn, FUTEX_WAIT, static_cast<std::uint32_t>(value), &kNowAndThen);
}

void hand_over(std::atomic<Turn>& turn, Turn to) {
  turn.store(to, std::memory_order_release);
  syscall(SYS_futex, &turn, FUTEX_WAKE, 1);
}

// A message goes in pieces, each with a byte before it that says whether more follow. For each of these the
// turn goes to the other side and comes back.
constexpr std::size_t kPiece = Channel::kMessageMax - 1;

// Writes the message, up to its last piece. give_turn: passes the turn on, and waits until it comes back;
// false: the other side is gone.
template <typename GiveTurn>
bool write_message(Channel& channel, std::string_view bytes, GiveTurn give_turn) {
  while (true) {
    const std::string_view piece = bytes.substr(0, kPiece);
    bytes.remove_prefix(piece.size());
    channel.report[0] = bytes.empty() ? 0 : 1;
    std::memcpy(channel.report + 1, piece.data(), piece.size());
    channel.report_size.store(1 + piece.size(), std::memory_order_release);
    if (bytes.empty()) return true;
    if (!give_turn()) return false;
  }
}

// Reads a message whose first piece has come, as above. The worker may have destroyed its bytes.
template <typename GiveTurn>
std::optional<std::string> read_message(const Channel& channel, GiveTurn give_turn) {
  std::string bytes;
  while (true) {
    const std::uint64_t size = channel.report_size.load(std::memory_order_acquire);
    if (size == 0 || size > 1 + kPiece) return bytes;
    bytes.append(channel.report + 1, size - 1);
    if (channel.report[0] == 0) return bytes;
    if (!give_turn()) return std::nullopt;
  }
}

void write_wanted(ByteWriter& out, const Wanted& wanted) {
  out.put(wanted.what);
  out.put(wanted.from);
  out.put(std::uint64_t{wanted.known_departures});
}

Wanted read_wanted(ByteReader& in) {
  Wanted wanted;
  wanted.what = in.get<Wanted::Set>();
  wanted.from = in.get<Wanted::From>();
  wanted.known_departures = in.get<std::uint64_t>();
  if (wanted.from > Wanted::From::last_departure) in.fail();
  return wanted;
}

}  // namespace

RemoteProgram::RemoteProgram(Channel& channel, std::function<bool()> is_over)
    : channel_(channel), is_over_(std::move(is_over)) {}

RemoteProgram::~RemoteProgram() {
  if (!await_answer()) return;
  write_message(channel_, "", [] { return false; });
  hand_over(channel_.turn, Turn::worker);
}

// Waits for the leader's turn; false if the worker is gone.
bool RemoteProgram::await_answer() const {
  while (true) {
    const Turn turn = channel_.turn.load(std::memory_order_acquire);
    if (turn == Turn::leader) return true;
    if (is_over_()) return false;
    wait_while(channel_.turn, turn);
  }
}

bool RemoteProgram::give_turn() const {
  hand_over(channel_.turn, Turn::worker);
  return await_answer();
}

void RemoteProgram::run(const Plan& plan, Advisor* advisor, Wanted wanted, Trace& trace) {
  THRUM_CHECK(advisor == nullptr && (can_record() & wanted.what) == wanted.what);
  trace.clear();
  trace.end = End::time;
  if (!await_answer()) return;
  ByteWriter out;
  write_wanted(out, wanted);
  write_plan(out, plan, names_);
  const auto turn = [this] { return give_turn(); };
  if (!write_message(channel_, out.bytes(), turn) || !give_turn()) return;
  const std::optional<std::string> answer = read_message(channel_, turn);
  if (!answer) return;
  ByteReader in(*answer);
  if (std::optional<Trace> read = read_trace(in, names_)) trace = std::move(*read);
}

void serve(Channel& channel, Program& program, const std::function<void(const Plan&)>& before_each) {
  Trace trace;
  const auto give_turn = [&channel] {
    hand_over(channel.turn, Turn::leader);
    while (channel.turn.load(std::memory_order_acquire) != Turn::worker)
      wait_while(channel.turn, Turn::leader);
    return true;
  };
  while (true) {
    give_turn();
    const std::optional<std::string> message = read_message(channel, give_turn);
    ByteReader in(*message);
    if (in.at_end()) return;
    const Wanted wanted = read_wanted(in);
    const Plan plan = read_plan(in, program.names());
    THRUM_CHECK(in.ok());
    before_each(plan);
    program.run(plan, nullptr, wanted, trace);
    ByteWriter out;
    write_trace(out, trace, program.names());
    write_message(channel, out.bytes(), give_turn);
  }
}

}  // namespace thrum
