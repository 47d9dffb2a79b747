// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/remote_program.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <ctime>
#include <string>
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

void write_message(Channel& channel, const std::string& bytes) {
  THRUM_CHECK(bytes.size() < kChannelSize - sizeof(Channel));
  std::memcpy(channel.report, bytes.data(), bytes.size());
  channel.report_size.store(bytes.size(), std::memory_order_release);
}

ByteReader read_message(const Channel& channel) {
  return ByteReader({channel.report, channel.report_size.load(std::memory_order_acquire)});
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
  write_message(channel_, "");
  hand_over(channel_.turn, Turn::worker);
}

// Waits for the leader's turn; false if the worker is gone.
bool RemoteProgram::await_answer() const {
  while (channel_.turn.load(std::memory_order_acquire) != Turn::leader) {
    if (is_over_()) return false;
    wait_while(channel_.turn, channel_.turn.load(std::memory_order_acquire));
  }
  return true;
}

void RemoteProgram::run(const Plan& plan, Advisor* advisor, Wanted wanted, Trace& trace) {
  THRUM_CHECK(advisor == nullptr && (can_record() & wanted.what) == wanted.what);
  trace.clear();
  trace.end = End::time;
  if (!await_answer()) return;
  ByteWriter out;
  write_wanted(out, wanted);
  write_plan(out, plan, names_);
  write_message(channel_, out.bytes());
  hand_over(channel_.turn, Turn::worker);
  if (!await_answer()) return;
  ByteReader in = read_message(channel_);
  if (std::optional<Trace> read = read_trace(in, names_)) trace = std::move(*read);
}

void serve(Channel& channel, Program& program, const std::function<void(const Plan&)>& before_each) {
  Trace trace;
  while (true) {
    hand_over(channel.turn, Turn::leader);
    while (channel.turn.load(std::memory_order_acquire) != Turn::worker)
      wait_while(channel.turn, Turn::leader);
    ByteReader in = read_message(channel);
    if (in.at_end()) return;
    const Wanted wanted = read_wanted(in);
    const Plan plan = read_plan(in, program.names());
    THRUM_CHECK(in.ok());
    before_each(plan);
    program.run(plan, nullptr, wanted, trace);
    ByteWriter out;
    write_trace(out, trace, program.names());
    write_message(channel, out.bytes());
  }
}

}  // namespace thrum
