// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/remote_program.hpp"

#include <optional>
#include <string>
#include <utility>

#include "protocol/job.hpp"
#include "support/check.hpp"

namespace thrum {

namespace {

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
    : conversation_(channel, Channel::Turn::leader, futex_of_libc, std::move(is_over)) {}

RemoteProgram::~RemoteProgram() {
  if (conversation_.await_turn()) conversation_.send("");
}

void RemoteProgram::run(const Plan& plan, Advisor* advisor, Wanted wanted, Trace& trace) {
  THRUM_CHECK(advisor == nullptr && (can_record() & wanted.what) == wanted.what);
  trace.clear();
  trace.end = End::time;
  ByteWriter out;
  write_wanted(out, wanted);
  write_plan(out, plan, names_);
  if (!conversation_.await_turn() || !conversation_.send(out.bytes())) return;
  const std::optional<std::string> answer = conversation_.receive();
  if (!answer) return;
  ByteReader in(*answer);
  if (std::optional<Trace> read = read_trace(in, names_)) trace = std::move(*read);
}

void serve(Channel& channel, Program& program, Futex futex,
           const std::function<void(const Plan&)>& before_each) {
  Trace trace;
  Conversation leader(channel, Channel::Turn::worker, futex, [] { return false; });
  leader.pass_turn();
  while (true) {
    const std::optional<std::string> message = leader.receive();
    ByteReader in(*message);
    if (in.at_end()) return;
    const Wanted wanted = read_wanted(in);
    const Plan plan = read_plan(in, program.names());
    THRUM_CHECK(in.ok());
    before_each(plan);
    program.run(plan, nullptr, wanted, trace);
    ByteWriter out;
    write_trace(out, trace, program.names());
    leader.send(out.bytes());
  }
}

}  // namespace thrum
