// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Both engines on small programs whose answers are known.
#include "boolprog/check.hpp"

#include <gtest/gtest.h>

#include "boolprog/contexts.hpp"
#include "boolprog/trace_json.hpp"

namespace thrum::bp {
namespace {

// "bug in N", "exhausted N" or "complete", or else the reason. Each trace of a bug is saved, read and
// replayed.
std::string outcome(const std::string& text, const std::vector<std::string>& threads, std::uint32_t contexts,
                    Engine engine) {
  Flow flow = to_flow(parse(text), threads);
  Goal goal = goal_of(flow, true, {"ERROR"});
  Limits limits;
  limits.contexts = contexts;
  if (engine == Engine::explicit_states) limits.memory = 50U << 20U;
  Answer answer = check(flow, goal, engine, limits);
  if (answer.kind == Answer::Kind::inconclusive) return answer.reason;
  if (answer.kind == Answer::Kind::exhausted) {
    return answer.complete ? "complete" : "exhausted " + std::to_string(answer.contexts);
  }
  std::string problem;
  auto trace = trace_from_json(to_json(stored(flow, answer.bug.value())), problem);
  if (!trace) return "a broken trace: " + problem;
  if (trace->contexts != answer.contexts)
    return "a trace of " + std::to_string(trace->contexts) + " contexts";
  bool departed = false;
  problem = replay(flow, goal, *trace, departed);
  return problem.empty() ? "bug in " + std::to_string(answer.contexts) : "the replay says: " + problem;
}

void expect(const std::string& text, const std::string& expected, std::uint32_t contexts = 6,
            const std::vector<std::string>& threads = {}) {
  EXPECT_EQ(outcome(text, threads, contexts, Engine::pushdown), expected) << text;
  std::string by_states = outcome(text, threads, contexts, Engine::explicit_states);
  if (by_states == "the memory for states ended" || by_states.starts_with("there were more than")) return;
  if (expected == "complete" || expected.starts_with("exhausted")) {
    EXPECT_TRUE(by_states == "complete" || by_states.starts_with("exhausted")) << by_states << '\n' << text;
  } else {
    EXPECT_EQ(by_states, expected) << text;
  }
}

// A switch away from a thread that waits is no preemption.
TEST(Check, PreemptionsAreOfThreadsThatCouldGoOn) {
  Flow flow = to_flow(parse("decl x; void main() begin x := F; start_thread f(); assume(x); assert(F); end\n"
                            "void f() begin x := T; end\n"),
                      {});
  Answer answer = check(flow, Goal{}, Engine::explicit_states, {});
  ASSERT_TRUE(answer.bug);
  EXPECT_EQ(answer.contexts, 3U);
  EXPECT_LT(Interpreter(flow).preemptions(*answer.bug), 2U);
}

// The example of Qadeer and Rehof's slide 37 has five aggregate states: a global and a set of stacks.
TEST(Check, AggregateStatesOfTheSlides) {
  Flow flow = to_flow(parse("decl a;\n"
                            "void main() begin L1: a := T; L2: flip(a); L3: skip; end\n"
                            "void flip(x) begin L4: a := !x; L5: assume(x | a); end\n"),
                      {});
  Goal goal;
  Encoding encoding(flow, 0, 0);
  BddSpace space(static_cast<int>(encoding.variables()), 100000, {});
  Transfer transfer(encoding, goal);
  Summaries summaries(transfer);
  Phase phase(summaries, transfer, Phase::Purpose::go_on, 0, 0);
  Bdd a = Bdd::variable(encoding.global_now(0));
  Bdd x = Bdd::variable(encoding.local_now(0));
  phase.begin_first(flow.procedures[0].entry, !a);
  phase.saturate();
  auto main_at = [&](Pc pc) { return transfer.without_frame(phase.at({kBase, {0, pc}}).all()); };
  Pc flip = flow.procedures[1].entry;
  EXPECT_TRUE(main_at(0) == !a);  // (F, L1)
  EXPECT_TRUE(main_at(1) == a);   // (T, L2)
  EXPECT_TRUE(main_at(2) == !a);  // (F, L3)
  // (T, <x = T, L4> <L3>) and (F, <x = T, L5> <L3>): of flip's frame, called with a and x true.
  EXPECT_TRUE(
      (Cube({encoding.global_entry(0), encoding.local_entry(0)}).exists(summaries.at({flip, flip}).all())) ==
      (a & x));
  EXPECT_TRUE((Cube({encoding.global_entry(0), encoding.local_entry(0)})
                   .exists(summaries.at({flip, flip + 1}).all())) == minus(x, a));
  ASSERT_EQ(phase.callers(flip).size(), 1U);
  EXPECT_EQ(phase.callers(flip)[0].frame.frame.pc, 1U);
  EXPECT_TRUE(main_at(transfer.dead()) == !a);  // (F, empty)
}

TEST(Check, OneThread) {
  expect("decl a; void main() begin a := F; assert(!a); end", "complete");
  expect("decl a; void main() begin a := *; assert(!a); end", "bug in 1");
  expect("decl a; void main() begin assert(!a); end", "bug in 1");  // what is not initialised is arbitrary
  expect("decl a; void main() begin a := F; goto L, M; L: skip; M: if a then ERROR: skip; fi end",
         "complete");
  expect("decl a; void main() begin a := T; goto L, M; L: skip; M: if a then ERROR: skip; fi end",
         "bug in 1");
}

TEST(Check, ValuesAndConstraints) {
  expect("decl a, b; void main() begin a, b := T, F; a, b := b, a; assert(!a & b); end", "complete");
  expect("decl a, b; void main() begin a, b := *, * constrain 'a != 'b; assert(a ^ b); end", "complete");
  expect("decl a, b; void main() begin b := T; a := * constrain 'a = b; assert(a); end", "complete");
  expect(
      "decl a; void main() begin a := T; a := schoose[a, !a]; assert(a); a := schoose[F, T]; assert(!a); end",
      "complete");
  expect("decl a; void main() begin a := schoose[F, F]; assert(a); end", "bug in 1");
  expect("decl a; void main() begin a := T; dead a; assert(a); end", "bug in 1");
  expect("decl a; void main() begin a := T; assert(a ? T : F); assert(!a => F); end", "complete");
  expect("decl a; void main() begin if * then a := T; else a := F; fi if a then assert(a); fi end",
         "complete");
}

TEST(Check, CallsWithResults) {
  std::string swap = "bool<2> swap(x, y) begin return y, x; end ";
  expect("decl a, b; " + swap + "void main() begin a, b := T, F; a, b := swap(a, b); assert(!a & b); end",
         "complete");
  expect("decl a, b; " + swap + "void main() begin a, b := T, F; b, a := swap(a, b); assert(!a & b); end",
         "bug in 1");
  expect("bool f() begin end void main() begin decl a; a := f(); assert(a); end", "bug in 1");
  expect(
      "decl g; bool f(x) begin decl l; l := x; if !x then l := f(T); fi return !l; end "
      "void main() begin g := f(F); assert(g); end",
      "complete");
}

TEST(Check, Enforce) {
  expect("decl a; void main() begin enforce a; a := F; assert(a); end",
         "complete");  // nothing runs after it
  expect("decl a; void main() begin abortif !a; assert(a); a := F; assert(a); end", "complete");
  expect("decl a, b; void main() begin enforce a | b; assert(a); end", "bug in 1");
}

// p is negated as often before the calls as after them. To prove it takes an analysis of unbounded stacks.
TEST(Check, UnboundedStacks) {
  std::string text =
      "decl p; void f() begin p := !p; if * then f(); fi p := !p; end "
      "void main() begin p := F; f(); assert(!p); end";
  EXPECT_EQ(outcome(text, {}, 3, Engine::pushdown), "complete");
  EXPECT_EQ(outcome(text, {}, 3, Engine::explicit_states), "a stack grew to more than 64 frames");
}

// The stack of one thread keeps, over two context switches, what the thread saw.
TEST(Check, StacksLastOverSwitches) {
  std::string text =
      "decl g, turn, ready; "
      "void main() begin ready, turn, g := F, F, *; ready := T; f(g); end "
      "void f(x) begin if * then f(x); else turn := T; assume(!turn); assert(g = x); fi end "
      "void other() begin assume(ready & turn); g := !g; turn := F; end";
  expect(text, "bug in 3", 5, {"main", "other"});
}

TEST(Check, ContextsOfTwoThreads) {
  // The same thread must see x change twice.
  std::string text =
      "decl x; "
      "void main() begin assume(x); x := F; assume(x); assert(F); end "
      "void other() begin x := T; assume(!x); x := T; end";
  expect(text, "bug in 3", 5, {"main", "other"});
  std::string known = "decl x, atomic; void init() begin x, atomic := F, F; end " + text.substr(8);
  expect(known, "bug in 4", 5);
  expect(known, "exhausted 3", 3);
}

TEST(Check, AtomicSections) {
  std::string begin = "decl x; void main() begin x := F; start_thread other(); ";
  std::string other = " end void other() begin assume(x); assert(F); end";
  expect(begin + "x := T; x := F;" + other, "bug in 2");
  expect(begin + "atomic_begin; x := T; x := F; atomic_end;" + other, "complete");
  expect(begin + "atomic_begin; x := T; end_thread;" + other, "bug in 2");  // which ends the section
}

TEST(Check, ForkAndJoin) {
  expect(
      "decl x; decl thread t; void main() begin x := F; t := start_thread f(); join t; assert(x); end "
      "void f() begin x := T; end",
      "complete");
  expect(
      "decl x; decl thread t; void main() begin x := F; t := start_thread f(); assert(x); end "
      "void f() begin x := T; end",
      "bug in 1");
  expect(
      "decl x; void main() begin decl thread t, u; x := F; t := start_thread f(); u := t; "
      "t := start_thread g(); join u; assert(x); end "
      "void f() begin x := T; end void g() begin skip; end",
      "complete");
  // A thread that is joined twice ends once; the other one may not have moved.
  expect(
      "decl x, y; void main() begin decl thread t, u; x, y := F, F; t := start_thread f(); u := start_thread "
      "g(); "
      "join t; join t; assert(x & y); end "
      "void f() begin x := T; end void g() begin y := T; end",
      "bug in 3");
}

// The child has its parent's locals at the start, together with the globals at the start.
TEST(Check, ChildrenHaveTheirParentsLocals) {
  std::string text =
      "decl g; void main() begin decl l; g, l := F, F; while * do g := *; l := g; start_thread goto C; "
      "l := !l; od goto E; C: ";
  expect(text + "assert(T); E: skip; end", "exhausted 4", 4);
  expect(
      "decl g; void main() begin decl l; g := *; l := g; start_thread goto C; goto E; C: assert(l = g); E: "
      "skip; end",
      "complete");
  expect(
      "decl g; void main() begin decl l; g := *; l := g; start_thread goto C; g := !g; goto E; "
      "C: assert(l != g); E: skip; end",
      "bug in 2");
}

TEST(Check, LoopsThatStartThreads) {
  std::string text =
      "decl a, b, c; void main() begin a, b, c := F, F, F; while * do start_thread f(); od end "
      "void f() begin if !a then a := T; elsif !b then b := T; elsif !c then c := T; ";
  expect(text + "else assert(F); fi end", "bug in 5", 5);
  expect(text + "else assert(F); fi end", "exhausted 4", 4);
}

TEST(Check, WaitAndBroadcast) {
  std::string begin = "decl x; void main() begin x := F; start_thread f(); ";
  std::string f = " end void f() begin wait; assert(x); end";
  expect(begin + "assume(T);" + f, "complete");
  expect(begin + "broadcast;" + f, "bug in 4", 4);
  expect(begin + "x := T; broadcast;" + f, "complete");
}

// The threads begin with the globals that init leaves, even if these keep all but one thread from moving.
TEST(Check, InitMayLeaveAtomicTrue) {
  std::string threads = "void a() begin assert(!atomic); end void b() begin skip; end";
  expect("decl atomic, x; void init() begin x := F; end " + threads, "bug in 1");
  expect("decl atomic, x; void init() begin atomic := T; end " + threads, "bug in 1");
  expect("decl atomic, x; void init() begin atomic := F; end " + threads, "complete");
  expect("decl atomic, x; void init() begin atomic := T; assert(!atomic); end " + threads, "bug in 1");
}

TEST(Check, ThreadsMayCallThemselves) {
  expect(
      "decl atomic, x; void init() begin atomic, x := F, F; end "
      "void a() begin if (*) then a(); fi; assert(x); end void b() begin skip; end",
      "bug in 1");
}

// No further context would have a step, so none is searched: the tree of schedules is finite.
TEST(Check, SchedulesOfThreadsThatEndAreFew) {
  Flow flow =
      to_flow(parse("decl atomic, x, y, z; void init() begin atomic := F; end "
                    "void a() begin x := T; end void b() begin y := T; end void c() begin z := T; end"),
              {});
  Limits limits;
  limits.explores_fully = false;
  Answer answer = check(flow, {}, Engine::pushdown, limits);
  EXPECT_EQ(answer.kind, Answer::Kind::exhausted);
  EXPECT_TRUE(answer.complete);
  EXPECT_LT(answer.schedules, 200U);
}

// A bug is reported even if its trace cannot be shown. Here the stack has a frame for each valuation of
// twelve variables.
TEST(Check, BugsWithoutATrace) {
  std::string names, zero, ones, carry;
  std::string text;
  std::string values;
  std::string next;
  for (int i = 0; i < 13; ++i) {
    std::string v = "v" + std::to_string(i);
    names += (i ? ", " : "") + v;
    zero += i ? ", F" : "F";
    ones += (i ? " & " : "") + v;
    next += (i ? ", " : "") + v + " ^ (" + (carry.empty() ? "T" : carry) + ")";
    carry += (i ? " & " : "") + v;
  }
  text = "decl " + names + "; void main() begin " + names + " := " + zero +
         "; deeper(); end "
         "void deeper() begin if " +
         ones + " then assert(F); fi; " + names + " := " + next + "; deeper(); end";
  Flow flow = to_flow(parse(text), {});
  Answer answer = check(flow, {}, Engine::pushdown, {});
  EXPECT_EQ(answer.kind, Answer::Kind::bug) << answer.reason;
  EXPECT_FALSE(answer.bug);
  EXPECT_EQ(answer.trace_missing, "its stacks are too deep to show each step");
}

TEST(Check, SmallMemory) {
  Flow flow = to_flow(parse("decl a; void main() begin a := F; assert(!a); end"), {});
  Limits limits;
  limits.memory = 64;
  Answer answer = check(flow, {}, Engine::pushdown, limits);
  EXPECT_TRUE(answer.kind == Answer::Kind::inconclusive || answer.complete);
}

// What was cut before the bug was found does not count as covered.
TEST(Check, CutsAreNoCoverage) {
  Flow flow = to_flow(parse("void main() begin if * then start_thread c(); start_thread c(); assert(F); "
                            "else start_thread d(); fi end "
                            "void c() begin skip; end void d() begin assert(F); end"),
                      {});
  Limits limits;
  limits.threads = 2;
  Answer answer = check(flow, {}, Engine::explicit_states, limits);
  EXPECT_EQ(answer.kind, Answer::Kind::bug);
  EXPECT_EQ(answer.contexts, 2U);
  EXPECT_EQ(answer.searched, 0U);
}

}  // namespace
}  // namespace thrum::bp
