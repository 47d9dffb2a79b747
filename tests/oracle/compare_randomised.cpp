// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <memory>

#include "campaign/explore.hpp"
#include "campaign/strategies.hpp"
#include "oracle/compare.hpp"

namespace thrum {

namespace {

constexpr const char* kRandomised[] = {"random", "pct", "pos", "surw", "urw"};
constexpr int kExecutions = 8;

// The plan as another worker reads it, whose ids are others for the same names.
std::string run_elsewhere(const ToyCode& code, const Plan& plan, const ThreadNames& names,
                          std::string& schedule) {
  ToyProgram program(code);
  for (std::uint32_t ordinal : {4u, 2u, 3u})
    program.names().child(program.names().child(kMainThread, ordinal), 1);
  ByteWriter out;
  write_plan(out, plan, names);
  ByteReader in(out.bytes());
  Plan read = read_plan(in, program.names());
  if (!in.ok() || !in.at_end()) return "its plan cannot be read again";
  Trace trace;
  program.run(read, nullptr, Wanted::everything(), trace);
  schedule = program.schedule();
  return "";
}

std::string compare_plan(const ToyCode& code, const Plan& plan, ToyProgram& program) {
  const std::string schedule = program.schedule();
  Trace trace;
  program.run(plan, nullptr, Wanted::all_choices(), trace);
  if (program.schedule() != schedule)
    return "its plan alone gives " + program.schedule() + ", not " + schedule;
  std::uint32_t preemptions = 0;
  Plan departures = departures_from_base(trace, preemptions);
  program.run(departures, nullptr, Wanted::all_choices(), trace);
  if (program.schedule() != schedule) return "by departures from the base it is another execution";
  std::string elsewhere;
  std::string wrong = run_elsewhere(code, plan, program.names(), elsewhere);
  if (!wrong.empty()) return wrong;
  return elsewhere == schedule ? "" : "elsewhere its plan gives " + elsewhere + ", not " + schedule;
}

std::unique_ptr<Strategy> taken_up(const char* name, const StrategySettings& settings, Strategy& from,
                                   ThreadNames& names) {
  ByteWriter out;
  from.durable()->save(out, names);
  ByteReader in(out.bytes());
  std::unique_ptr<Strategy> strategy = make_strategy(name, settings);
  return strategy->durable()->load(in, names) && in.at_end() ? std::move(strategy) : nullptr;
}

std::string compare_guarantee(const Strategy& strategy) {
  Guarantee guarantee = strategy.guarantee();
  if (guarantee.complete || guarantee.exhausted || !guarantee.bounds.empty()) return "it claims to be sure";
  if (!guarantee.chance || !guarantee.chance->log_least) return "";
  if (!(*guarantee.chance->log_least <= 0)) return "it claims a chance of more than 1";
  return guarantee.chance->unfit ? "it claims a chance for a program that is unfit" : "";
}

std::string compare_one(const char* name, const ToyCode& code, const Findings& findings, std::uint64_t seed) {
  StrategySettings settings;
  settings.seed = seed;
  settings.depth = static_cast<std::uint32_t>(1 + seed % 4);
  ToyProgram program(code);
  std::unique_ptr<Strategy> strategy = make_strategy(name, settings);
  std::unique_ptr<Strategy> twin = make_strategy(name, settings);
  Plan plan;
  Plan twins;
  Trace trace;
  for (int i = 0; i < kExecutions; ++i) {
    if (!strategy->next(plan) || !twin->next(twins)) return "it ended by itself";
    if (plan != twins) return "the same seed gives another plan";
    program.run(plan, strategy->advisor(), strategy->wanted(), trace);
    std::string wrong = compare_execution(program, trace, findings, Base::nonpreemptive);
    if (!wrong.empty()) return wrong;
    strategy->learn(plan, trace);
    twin->learn(plan, trace);
    twin = taken_up(name, settings, *twin, program.names());
    if (!twin) return "what was saved could not be loaded";
    wrong = compare_plan(code, plan, program);
    if (wrong.empty()) wrong = compare_guarantee(*strategy);
    if (!wrong.empty()) return wrong;
  }
  std::unique_ptr<Strategy> part = strategy->divisible()->split();
  if (!part || !part->next(plan)) return "another worker gets no part";
  program.run(plan, part->advisor(), part->wanted(), trace);
  std::string wrong = compare_execution(program, trace, findings, Base::nonpreemptive);
  if (!wrong.empty()) return "another worker: " + wrong;
  part->learn(plan, trace);
  strategy->divisible()->merge(*part);
  return compare_guarantee(*strategy);
}

}  // namespace

std::string compare_randomised(const ToyCode& code, const Findings& findings, std::uint64_t seed) {
  for (const char* name : kRandomised) {
    std::string wrong = compare_one(name, code, findings, seed);
    if (!wrong.empty()) return std::string(name) + ": " + wrong;
  }
  return "";
}

}  // namespace thrum
