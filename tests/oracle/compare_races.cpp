// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle/compare_races.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <set>

#include "oracle/toy_program.hpp"
#include "search/systematic/systematic.hpp"

namespace thrum {

namespace {

void* map_pages(std::size_t bytes) {
  void* memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

MemoryOrder memory_order(const RaceStep& step) {
  bool acquire = acquires(step.order) && step.what != RaceStep::What::store;
  bool release = releases(step.order) && step.what != RaceStep::What::load;
  if (acquire) return release ? MemoryOrder::acquire_release : MemoryOrder::acquire;
  return release ? MemoryOrder::release : MemoryOrder::relaxed;
}

std::string at_step(const RaceTrace& trace, std::size_t at) {
  return " at step " + std::to_string(at) + " of\n" + print(trace);
}

// The bytes that both touch.
void add_common(const RaceStep& a, const RaceStep& b, std::set<std::uint64_t>& bytes) {
  for (std::uint64_t byte = a.address; byte < a.address + a.size; ++byte) {
    if (b.touches(byte)) bytes.insert(byte);
  }
}

}  // namespace

RaceComparison::RaceComparison() : detector_(map_pages) {}

// As the runtime does it.
template <AccessKind kKind>
bool RaceComparison::detect_plain(const RaceStep& step, std::size_t place) {
  const std::uint16_t me = step.thread;
  if (place % 2 == 0 && detector_.repeats<kKind>(me, step.address, step.size)) return false;
  if (detector_.access_plainly<kKind>(me, step.address, step.size, place)) return false;
  return detector_.access(me, kKind, step.address, step.size, place);
}

// The code addresses that the detector is given are places in the trace.
bool RaceComparison::detect(const RaceStep& step, std::size_t place) {
  using What = RaceStep::What;
  std::uint16_t me = step.thread;
  switch (step.what) {
    case What::plain_read: return detect_plain<AccessKind::plain_read>(step, place);
    case What::plain_write: return detect_plain<AccessKind::plain_write>(step, place);
    case What::load: return detector_.atomic_load(me, step.address, step.size, memory_order(step), place);
    case What::store: return detector_.atomic_store(me, step.address, step.size, memory_order(step), place);
    case What::read_modify_write:
      return detector_.read_modify_write(me, step.address, step.size, memory_order(step), place);
    case What::read_modify_nothing:
      return detector_.read_modify_nothing(me, step.address, step.size, memory_order(step), place);
    case What::fence: detector_.fence(me, memory_order(step)); break;
    case What::acquire: detector_.acquire(me, step.address); break;
    case What::release: detector_.release(me, step.address, false); break;
    case What::release_more: detector_.release(me, step.address, true); break;
    case What::create: detector_.create(me, static_cast<std::uint16_t>(step.address)); break;
    case What::join: detector_.join(me, static_cast<std::uint16_t>(step.address)); break;
  }
  return false;
}

std::string RaceComparison::compare_step(const RaceTrace& trace, std::size_t at, bool found,
                                         const std::vector<std::size_t>& racing, bool first) {
  if (found && racing.empty()) return "a race that Goldilocks does not see" + at_step(trace, at);
  if (first && !found && !racing.empty()) return "only Goldilocks sees a race" + at_step(trace, at);
  std::set<std::uint64_t> expected;
  for (std::size_t earlier : racing) add_common(trace[earlier], trace[at], expected);
  std::set<std::uint64_t> detected;
  for (std::size_t i = 0; found && i < detector_.races().size(); ++i) {
    const Race& race = detector_.races()[i];
    if (race.later.code != at || !std::binary_search(racing.begin(), racing.end(), race.earlier.code))
      return "the detector names another access" + at_step(trace, at);
    if (!expected.contains(race.address)) return "the detector names another byte" + at_step(trace, at);
    // Of the earlier access a part in the middle may have been forgotten.
    std::uint64_t end =
        std::min(race.earlier.address + race.earlier.size, race.later.address + race.later.size);
    for (std::uint64_t byte = race.address; byte < end; ++byte) {
      if (expected.contains(byte)) detected.insert(byte);
    }
  }
  if (first && expected != detected)
    return "the detector does not name all bytes that race" + at_step(trace, at);
  expected_.insert(expected_.end(), expected.begin(), expected.end());
  detected_.insert(detected_.end(), detected.begin(), detected.end());
  return "";
}

std::size_t RaceComparison::begin(const RaceTrace& trace) {
  const auto apart = std::mismatch(trace.begin(), trace.end(), last_.begin(), last_.end());
  const auto shared = static_cast<std::size_t>(apart.first - trace.begin());
  while (!marks_.empty() && (marks_.back() > shared || !detector_.can_return())) marks_.pop_back();
  last_ = trace;
  if (marks_.empty()) {
    detector_.begin_execution();
    return 0;
  }
  detector_.return_to(marks_.size() - 1);
  return marks_.back();
}

std::string RaceComparison::compare_trace(const RaceTrace& trace, bool& racy) {
  constexpr std::size_t kMarkEach = 3;
  Goldilocks goldilocks;
  const std::size_t begun = begin(trace);
  expected_.clear();
  detected_.clear();
  racy = false;
  for (std::size_t at = 0; at < trace.size(); ++at) {
    if (at > begun && at % kMarkEach == 0 && !racy) {
      detector_.set_mark();
      marks_.push_back(at);
    }
    bool found = at >= begun && detect(trace[at], at);
    std::vector<std::size_t> racing = goldilocks.step(trace[at]);
    if (!found && racing.empty()) continue;
    std::string wrong = compare_step(trace, at, found, racing, !racy);
    if (!wrong.empty()) return wrong;
    racy = true;
  }
  if (!racy) return "";
  std::set<std::uint64_t> expected(expected_.begin(), expected_.end());
  if (expected == std::set<std::uint64_t>(detected_.begin(), detected_.end())) return "";
  return "the detector does not see all bytes that race" + at_step(trace, trace.size());
}

std::string RaceComparison::compare_program(const ToyCode& code, const Findings& findings,
                                            std::size_t finest_max, RaceCount& count) {
  ToyProgram program(code);
  RaceTrace steps;
  program.record_races(&steps);
  Systematic search({Base::nonpreemptive, std::nullopt, false});
  Plan plan;
  Trace trace;
  bool reported = false;
  while (search.next(plan)) {
    program.run(plan, search.advisor(), search.wanted(), trace);
    bool repeats = search.reporting().repeats();
    search.learn(plan, trace);
    if (repeats) continue;
    bool racy = false;
    std::string wrong = compare_trace(steps, racy);
    if (!wrong.empty()) return wrong;
    auto ending = findings.executions.find(program.schedule());
    if (ending == findings.executions.end()) return "an execution that there is not";
    if (ending->second.racy != racy)
      return (racy ? "a race that the oracle does not see in\n" : "only the oracle sees a race in\n") +
             print(steps);
    ++count.traces;
    count.racy_traces += racy ? 1 : 0;
    reported = reported || racy;
  }
  count.racy += reported ? 1 : 0;
  Findings finest =
      enumerate(code, {.plain_is_visible = true, .only_races = true, .executions_max = finest_max});
  if (reported == finest.racy) {
    count.undecided += finest.gave_up ? 1 : 0;
    return "";
  }
  if (finest.gave_up) return "the oracle gave up before it saw the race";
  ++count.stopped;
  // A stopped execution has no more races, which a step more or less makes.
  if (reported) return finest.stopped ? "" : "a race that finer scheduling points do not show";
  return findings.stopped ? "" : "only finer scheduling points show a race";
}

}  // namespace thrum
