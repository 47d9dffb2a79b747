// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/undo_check.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <sstream>
#include <utility>

namespace thrum::vm {

namespace {

// Cells that the race detector keeps for a mark.
constexpr std::size_t kCellsKept = std::size_t{1} << 20;
// In one execution: the race detector keeps all of them.
constexpr std::uint32_t kMarksMax = 200;

std::string hexadecimal(std::uint64_t number) {
  std::ostringstream text;
  text << "0x" << std::hex << number;
  return text.str();
}

// The part of the memory, in words.
std::string part_of(std::uint64_t address) {
  constexpr std::uint64_t kPart = std::uint64_t{1} << 32;
  if (!in_arena(address)) return "the shadow of " + part_of(address - kShadowDistance);
  const std::string name = address >= kMappings  ? "mappings"
                           : address >= kFrames  ? "frames"
                           : address >= kMachine ? "records " + std::to_string((address - kMachine) / kPart)
                           : address >= kThreads ? "stacks and storage of threads"
                           : address >= kCode    ? "code"
                           : address >= kGlobals ? "global variables"
                                                 : "the heap";
  return name + ", " + hexadecimal(address);
}

// What both executions have of it.
std::string told(const Trace& trace) {
  std::string text = "end " + std::to_string(static_cast<int>(trace.end)) + ", " +
                     std::to_string(trace.counts.points) + " points, " +
                     std::to_string(trace.counts.threads) + " threads, " +
                     std::to_string(trace.counts.steps) + " steps";
  if (trace.end == End::bug) text += ", " + trace.failure.message;
  return text;
}

class Copying {
 public:
  explicit Copying(PageCopies& pages) : pages_(pages) { pages_.begin(); }
  ~Copying() { pages_.end(); }
  Copying(const Copying&) = delete;
  Copying& operator=(const Copying&) = delete;

 private:
  PageCopies& pages_;
};

}  // namespace

UndoCheck::UndoCheck(Machine& machine, std::uint32_t every, std::uint64_t seed)
    : machine_(machine), every_(std::max<std::uint32_t>(every, 1)), random_(seed) {
  machine_.choice_watch = this;
  machine_.races.keep_cells(kCellsKept);
  due_ = 1 + below(2 * every_ - 1);
}

UndoCheck::~UndoCheck() { machine_.choice_watch = nullptr; }

void UndoCheck::execute(const Plan& plan, Advisor* advisor, Wanted wanted, Trace& trace) {
  mode_ = Mode::records;
  machine_.execute(plan, advisor, wanted, trace);
  mode_ = Mode::off;
  if (machine_.told_to_end != ToldToEnd::no || machine_.restarts_search || !problem_.empty()) return;
  if (due_ > trace.counts.points) {
    due_ -= trace.counts.points;
    return;
  }
  run_again(plan, wanted, trace);
}

// The second execution has a director of its own, since the first one's is asked afterwards.
void UndoCheck::run_again(const Plan& plan, Wanted wanted, const Trace& trace) {
  Director director = std::exchange(machine_.director, Director());
  Trace* const first_trace = machine_.trace;
  const Inputs inputs = machine_.inputs;
  const Tests tests = machine_.tests;
  const bool passed_over = machine_.passed_over_races;
  const std::string refused = machine_.refused;
  mode_ = Mode::leads;
  position_ = 0;
  marks_left_ = kMarksMax;
  Plan none{plan.policy, {}, plan.inputs};
  none.policy.kind = Policy::Kind::base;
  Trace again;
  Wanted all = Wanted::all_events();
  if (wanted.has(Wanted::kFootprints)) all.what |= Wanted::kFootprints;
  machine_.execute_once(none, nullptr, all, again);
  mode_ = Mode::off;
  machine_.director = std::move(director);
  machine_.trace = first_trace;
  machine_.running_plan = &plan;
  machine_.inputs = inputs;
  machine_.tests = tests;
  machine_.passed_over_races = passed_over;
  machine_.refused = refused;
  if (machine_.told_to_end != ToldToEnd::no || machine_.begins_again_) return;
  const bool is_led = trace.end != End::stopped && trace.end != End::diverged;
  if (is_led && told(again) != told(trace))
    report("the execution ends otherwise than before: " + told(again) + "; before: " + told(trace));
}

void UndoCheck::begin_execution() {
  if (mode_ == Mode::records) taken_.clear();
}

std::uint16_t UndoCheck::choose(const ChoicePoint& point) {
  if (mode_ == Mode::leads || mode_ == Mode::tries) {
    if (position_ < taken_.size() && taken_[position_] < machine_.options.size()) return taken_[position_++];
    if (position_ < taken_.size()) report("a choice has fewer options than before");
    machine_.trace->end = End::stopped;
    return Director::kStop;
  }
  const std::uint16_t taken = machine_.director.choose(point, machine_.options, machine_);
  if (mode_ == Mode::records && taken != Director::kStop) taken_.push_back(taken);
  return taken;
}

bool UndoCheck::stops_at_choice() {
  if (mode_ == Mode::tries) {
    ++steps_;
    if (--steps_left_ == inner_ && inner_ != 0) machine_.mark();
    return steps_left_ == 0;
  }
  if (mode_ == Mode::leads && --due_ == 0) {
    due_ = 1 + below(2 * every_ - 1);
    if (!problem_.empty() || marks_left_ == 0) return false;
    --marks_left_;
    mode_ = Mode::tries;
    check_here();
    mode_ = Mode::leads;
  }
  return false;
}

void UndoCheck::check_here() {
  constexpr std::uint32_t kSteps = 16, kToTheEnd = 1000;
  const std::uint32_t steps = below(8) == 0 ? kToTheEnd : 1 + below(kSteps);
  inner_ = below(2) == 0 ? 0 : steps - std::min(steps, 1 + below(kSteps));
  Trace* const trace = machine_.trace;
  const std::size_t position = position_;
  ++checks_;
  const Copying copying(pages_);
  const Machine::Moment moment = machine_.mark();
  Outcome first, second;
  run(steps, first);
  const std::unordered_map<std::uint64_t, Page> pages = written();
  const auto return_to_mark = [&] {
    position_ = position;
    machine_.trace = trace;
    if (!machine_.undo(moment)) ++given_up_;
    compare_with_mark();
  };
  return_to_mark();
  run(steps, second);
  if (machine_.told_to_end == ToldToEnd::no) {
    compare_pages(pages);
    compare(first, second);
  }
  return_to_mark();
}

void UndoCheck::run(std::uint32_t steps, Outcome& outcome) {
  machine_.trace = &outcome.trace;
  steps_left_ = steps;
  machine_.run_threads(true);
  outcome.output = machine_.output;
  outcome.position = position_;
  outcome.steps_left = machine_.steps_left;
  outcome.clocks = clocks();
  outcome.foreign = machine_.foreign_.size();
  outcome.freed = machine_.freed_.size();
  outcome.allowed = machine_.allowed_.size();
  outcome.over = machine_.over;
}

std::unordered_map<std::uint64_t, UndoCheck::Page> UndoCheck::written() const {
  std::unordered_map<std::uint64_t, Page> pages;
  for (const PageCopy& page : pages_.copies()) {
    const auto* const begin = reinterpret_cast<const std::byte*>(page.address);
    pages.emplace(page.address, Page(begin, begin + kPageSize));
  }
  return pages;
}

void UndoCheck::compare_with_mark() {
  for (const PageCopy& page : pages_.copies())
    compare_page(page.address, page.bytes, true, "is after the return to a mark not what it was there");
}

void UndoCheck::compare_pages(const std::unordered_map<std::uint64_t, Page>& first) {
  for (const PageCopy& page : pages_.copies()) {
    const auto found = first.find(page.address);
    compare_page(page.address, found != first.end() ? found->second.data() : page.bytes, false,
                 "differs after the same steps were run again");
  }
}

void UndoCheck::compare_page(std::uint64_t address, const std::byte* wanted, bool dead_too,
                             const char* when) {
  const auto* const is = reinterpret_cast<const std::byte*>(address);
  if (std::memcmp(is, wanted, kPageSize) == 0) return;
  for (std::size_t i = 0; i < kPageSize; ++i) {
    if (is[i] == wanted[i] || !is_state(address + i, dead_too)) continue;
    report(part_of(address + i) + ", " + when + ": " + std::to_string(static_cast<unsigned>(is[i])) +
           " in place of " + std::to_string(static_cast<unsigned>(wanted[i])));
    return;
  }
}

void UndoCheck::compare(const Outcome& first, const Outcome& second) {
  const auto counts = [](const Outcome& one) {
    return std::vector<std::uint64_t>{one.position, one.steps_left, one.foreign, one.freed,
                                      one.allowed,  one.over,       one.clocks};
  };
  if (first.trace.events != second.trace.events) report("other events after the return to a mark");
  if (told(first.trace) != told(second.trace))
    report("another end after the return to a mark: " + told(second.trace) +
           "; before: " + told(first.trace));
  if (first.output != second.output) report("another output after the return to a mark");
  const std::vector<std::uint64_t> before = counts(first), after = counts(second);
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i] != after[i])
      report("count " + std::to_string(i) + " beside the memory is " + std::to_string(after[i]) +
             " after the return to a mark, and was " + std::to_string(before[i]));
  }
}

void UndoCheck::report(const std::string& what) {
  if (problem_.empty()) problem_ = what;
}

// Whether what the byte holds belongs to the program's state, in the present state. dead_too: dead registers
// count.
bool UndoCheck::is_state(std::uint64_t address, bool dead_too) {
  if (address - kFrames >= kThreadSlots * kFramesSize) return true;
  const auto slot = static_cast<std::uint32_t>((address - kFrames) / kFramesSize);
  if (slot >= Machine::course().slots_used) return false;
  const Thread& thread = Machine::thread(slot);
  if (thread.top < thread.bottom) return false;
  if ((address - kFrames) % kFramesSize >= kRecordsSize) {
    if (address >= reinterpret_cast<std::uint64_t>(thread.top->registers + thread.top->function->slots))
      return false;
    return dead_too || is_live(thread, address);
  }
  const auto bottom = reinterpret_cast<std::uint64_t>(thread.bottom);
  if (address < bottom) return false;
  const Frame* const frame = thread.bottom + (address - bottom) / sizeof(Frame);
  if (frame > thread.top) return false;
  const std::size_t place = (address - bottom) % sizeof(Frame);
  constexpr std::size_t kThen = offsetof(Frame, then), kPhase = offsetof(Frame, phase);
  static_assert(offsetof(Frame, kept) > kPhase && kPhase > kThen);
  if (place <= kThen) return true;
  return place >= kPhase && frame->then != Then::go_on;
}

// Whether the register, of one of the thread's frames, is live.
bool UndoCheck::is_live(const Thread& thread, std::uint64_t address) {
  const auto* const place = reinterpret_cast<const std::uint64_t*>(address & ~std::uint64_t{7});
  const Frame* frame = thread.top;
  while (frame > thread.bottom && place < frame->registers) --frame;
  const auto slot = static_cast<Slot>(place - frame->registers);
  const Function& function = *frame->function;
  std::unique_ptr<Liveness>& liveness = liveness_[&function];
  if (!liveness) liveness = std::make_unique<Liveness>(function);
  const auto is_live_at = [&](const Instruction* where) {
    const auto number = static_cast<std::size_t>(where - function.code.data());
    if (number >= function.code.size()) return false;
    const std::vector<Slot>& live = liveness->before(static_cast<std::uint32_t>(number));
    return std::binary_search(live.begin(), live.end(), slot);
  };
  // Before or behind the call at which it stands.
  return is_live_at(frame->next) || (frame->next != function.code.data() && is_live_at(frame->next - 1));
}

// A digest of the race detector's clocks of threads.
std::uint64_t UndoCheck::clocks() const {
  if (!machine_.judges) return 0;
  std::uint64_t digest = 0;
  const std::uint16_t threads = Machine::course().created;
  for (std::uint16_t one = 0; one < threads; ++one) {
    for (std::uint16_t other = 0; other < threads; ++other)
      digest = (digest ^ machine_.races.clock(one)[other]) * 0x100000001b3;
  }
  return digest;
}

}  // namespace thrum::vm
