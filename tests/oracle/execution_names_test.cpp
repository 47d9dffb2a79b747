// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of executions against their partial orders, in all executions of random programs: one that is taken
// for one of a class that was kept is of a class that was met before.
//
//   THRUM_ORACLE_NAMES   random programs (300)
//   THRUM_ORACLE_SEED    seed of the first (1)
#include <gtest/gtest.h>

#include <set>

#include "campaign/explore.hpp"
#include "campaign/strategies.hpp"
#include "oracle/compare.hpp"
#include "oracle/random_program.hpp"
#include "oracle/setting.hpp"
#include "oracle/toy_program.hpp"
#include "order/execution_names.hpp"
#include "order/partial_order.hpp"

namespace thrum {
namespace {

constexpr std::size_t kNamesExecutionsMax = 2'000;

// One event after the other, as the runtime tells them.
bool tell(ExecutionNames& names, const Event& event) {
  const auto thread = static_cast<std::uint16_t>(event.thread);
  const auto other = static_cast<std::uint16_t>(event.argument);
  switch (event.operation) {
    case Operation::thread_create: return names.create(thread, other, event.argument);
    case Operation::thread_join: return names.join(thread, other);
    case Operation::thread_start:
    case Operation::thread_end: return true;
    default:
      // Each variable in a cell of its own.
      return names.take(
          thread, {event.operation, event.outcome, event.size, event.object * 8, event.value,
                   event.operation == Operation::wait_release || event.operation == Operation::wait_reacquire
                       ? event.operand * 8
                       : event.operand,
                   event.operation == Operation::signal ? event.argument : 0});
  }
}

// Runs a program, and holds what each execution is taken for against its partial order.
class Checked final : public Program {
 public:
  explicit Checked(ToyCode code) : program_(std::move(code)) {}

  void run(const Plan& plan, Advisor* advisor, Wanted wanted, Trace& trace) override {
    program_.run(plan, advisor, wanted, trace);
    if (trace.end != End::finished || wanted != Wanted::all_events()) return;
    ++executions_;
    const bool known = is_known(trace);
    PartialOrder order;
    for (const Event& event : trace.events) order.append(event);
    const bool is_first = classes_.insert(order.fingerprint()).second;
    EXPECT_FALSE(known && is_first) << "an execution of a new class was taken for a known one";
    known_ += known ? 1 : 0;
    if (!known) learn(trace);
  }
  ThreadNames& names() override { return program_.names(); }

  std::size_t executions() const { return executions_; }
  std::size_t classes() const { return classes_.size(); }
  std::size_t known() const { return known_; }
  bool has_unnamed() const { return has_unnamed_; }

 private:
  bool is_known(const Trace& trace) {
    names_.begin(false);
    const std::size_t middle = trace.events.size() / 2;
    bool named = true;
    for (std::size_t i = 0; i < middle && named; ++i) named = tell(names_, trace.events[i]);
    ExecutionNames::Moment moment;
    names_.save(moment);
    const bool known = goes_on_known(trace, middle, named);
    // In between there is another one.
    names_.begin(false);
    for (std::size_t i = 0; i < middle / 2; ++i) tell(names_, trace.events[i]);
    names_.restore(moment, false);
    EXPECT_EQ(goes_on_known(trace, middle, named), known);
    return known;
  }
  bool goes_on_known(const Trace& trace, std::size_t from, bool named) {
    for (std::size_t i = from; i < trace.events.size() && named; ++i) named = tell(names_, trace.events[i]);
    const bool known = names_.is_kept();
    EXPECT_TRUE(named || !known);
    return known;
  }
  void learn(const Trace& trace) {
    names_.begin(true);
    bool named = true;
    for (const Event& event : trace.events) named = named && tell(names_, event);
    has_unnamed_ = has_unnamed_ || !named;
    if (!named) return;
    EXPECT_FALSE(names_.is_kept());
    names_.keep();
    EXPECT_TRUE(names_.is_kept());
  }

  ToyProgram program_;
  ExecutionNames names_;
  std::set<std::uint64_t> classes_;
  std::size_t executions_ = 0;
  std::size_t known_ = 0;
  bool has_unnamed_ = false;
};

void search(Checked& program) {
  Limits all = no_limits();
  all.count_classes = true;  // with events, that is
  explore(program, *make_strategy("dfs", {}), all);
}

TEST(ExecutionNames, NoneIsTakenForAnother) {
  const std::uint64_t count = setting("THRUM_ORACLE_NAMES", by_default(300));
  const std::uint64_t first = setting("THRUM_ORACLE_SEED", 1);
  std::size_t executions = 0;
  std::size_t known = 0;
  std::size_t exact = 0;
  std::size_t named = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    for (Family family : {Family::a, Family::b}) {
      ToyCode code = random_program(seed, family, kNamesExecutionsMax).code;
      Checked program(code);
      search(program);
      ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed << "\n" << print(code);
      executions += program.executions();
      known += program.known();
      if (program.has_unnamed()) continue;
      ++named;
      exact += program.known() == program.executions() - program.classes() ? 1 : 0;
    }
  }
  EXPECT_GT(known, executions / 2) << "else hardly any class was recognised";
  EXPECT_GT(exact, named / 2) << "else most of what is one class is taken for several";
}

TEST(ExecutionNames, ReadsCommuteAndWritesDoNot) {
  auto count = [](const char* text) {
    Checked program(parse(text).value());
    search(program);
    return program.executions() - program.known();
  };
  // Two readers, each of which reads before or after the write.
  EXPECT_EQ(count("thread t0\ncreate t1\ncreate t2\ncreate t3\n"
                  "thread t1\nstore x0 1\nthread t2\nload x0 r0\nthread t3\nload x0 r0\n"),
            4U);
  EXPECT_EQ(count("thread t0\ncreate t1\ncreate t2\nthread t1\nstore x0 1\nthread t2\nstore x0 1\n"), 2U);
  EXPECT_EQ(count("thread t0\ncreate t1\ncreate t2\nthread t1\nstore x0 1\nthread t2\nstore x1 1\n"), 1U);
}

}  // namespace
}  // namespace thrum
