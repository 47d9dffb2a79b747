// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include "boolprog/flow.hpp"

namespace thrum::bp {
namespace {

// "line:column: message", or empty if the text is a correct program.
std::string problem_of(const std::string& text) {
  try {
    to_flow(parse(text), {});
  } catch (const InputError& error) {
    return std::to_string(error.where().line) + ':' + std::to_string(error.where().column) + ": " +
           error.what();
  }
  return "";
}

// A program whose main contains these statements.
std::string in_main(const std::string& statements) {
  return "decl a, b;\nvoid main()\nbegin\n" + statements + "\nend\n";
}

std::string printed_expression(const std::string& text) {
  Program program = parse(in_main("a := " + text + ";"));
  return to_text(program.functions[0].body[0].values[0]);
}

TEST(Parser, OperatorsBindAsInGetafix) {
  EXPECT_EQ(printed_expression("a & b | a ^ b => !a = b"), "a & b | a ^ b => !a = b");
  EXPECT_EQ(printed_expression("((a & b) | (a ^ b)) => ((!a) = b)"), "a & b | a ^ b => !a = b");
  EXPECT_EQ(printed_expression("a & (b | a)"), "a & (b | a)");
  EXPECT_EQ(printed_expression("a => b => a"), "a => b => a");
  EXPECT_EQ(printed_expression("a => (b => a)"), "a => (b => a)");
  EXPECT_EQ(printed_expression("~(a <> b)"), "!(a != b)");
  EXPECT_EQ(printed_expression("a ? b : a ? T : 0"), "a ? b : a ? T : F");
  EXPECT_EQ(printed_expression("(a ? b : a) ? T : 1"), "(a ? b : a) ? T : T");
  EXPECT_EQ(printed_expression("schoose[a | b, *]"), "schoose[a | b, *]");
}

// One program with every construct of the grammar.
constexpr char kWhole[] = R"(// a comment
decl g$0, other_1;
decl lonely;
dfs bool<2> pair(x, y) begin
  decl l;
  enforce !(x & y);
  abortif l & g$0;
  PC12: return x, y;
end
bool one() begin return *; end
void main() begin
  decl i, j; decl k;
  decl thread t, u;
  0: skip;
  1: L: i, j := j, * constrain 'i | j;
  i, j := pair(i, !j);
  pair(T, F);
  if i then goto 0, 1; fi;
  if (i) then skip; elsif j then skip; else skip; fi
  while (*) do i := !i; od
  dead i, j;
  print(i, j & k);
  assume(* => i); constrain('i = i);
  assert(schoose[i, j]);
  start_thread goto L;
  t := start_thread worker(i);
  u := t;
  join u;
  ASYNC_1: worker(T);
  sync SLOC;
  atomic_begin; wait; broadcast; atomic_end;
  i := one();
  end_thread;
end
void worker(a) begin return; end
)";

TEST(Parser, ReadsWhatItPrints) {
  EXPECT_EQ(problem_of(kWhole), "");
  std::string once = to_text(parse(kWhole));
  EXPECT_EQ(problem_of(once), "");
  EXPECT_EQ(to_text(parse(once)), once);
}

TEST(Parser, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(problem_of("decl a;\n"), "2:1: expected a function, found the end of the file");
  EXPECT_EQ(problem_of(in_main("a = b;")), "4:3: expected ':=', found '='");
  EXPECT_EQ(problem_of(in_main("a := b")), "5:1: expected ';', found 'end'");
  EXPECT_EQ(problem_of(in_main("a := b @ a;")), "4:8: '@' begins no word of a boolean program");
  EXPECT_EQ(problem_of(in_main("a := \x80;")), "4:6: byte 0x80 begins no word of a boolean program");
  EXPECT_EQ(problem_of(in_main("a := 2;")), "4:6: a truth value is 0 or 1, not 2");
  EXPECT_EQ(problem_of(in_main("if a then skip;")), "5:1: expected a statement, found 'end'");
  EXPECT_EQ(problem_of("bool<0> main() begin end"),
            "1:6: a function has 1 to 1024 results, not 0 ('void' for none)");
  std::string deep(1000, '(');
  EXPECT_EQ(problem_of(in_main("a := " + deep)), "4:405: nested deeper than 400 levels");
  EXPECT_EQ(problem_of(in_main("a := " + std::string(1000, '!') + "a;")),
            "4:404: nested deeper than 400 levels");
}

TEST(Flow, LooksNamesUp) {
  EXPECT_EQ(problem_of(in_main("c := a;")), "4:1: 'c' is not declared");
  EXPECT_EQ(problem_of(in_main("a := c;")), "4:6: 'c' is not declared");
  EXPECT_EQ(problem_of(in_main("f();")), "4:1: there is no function 'f'");
  EXPECT_EQ(problem_of(in_main("goto L;")), "4:6: 'main' has no label 'L'");
  EXPECT_EQ(problem_of(in_main("L: skip; L: skip;")), "4:10: the label 'L' stands twice in this function");
  EXPECT_EQ(problem_of("decl a, a; void main() begin end"), "1:9: 'a' is declared twice");
  EXPECT_EQ(problem_of("void main() begin end void main() begin end"),
            "1:28: there are two functions 'main'");
  EXPECT_EQ(problem_of("void f() begin end"), "1:6: there is no function 'main' to be a thread");
  EXPECT_EQ(problem_of("void main(a) begin end"), "1:6: 'main' is to be a thread, and takes 1 argument");
}

TEST(Flow, CountsWhatGoesTogether) {
  EXPECT_EQ(problem_of(in_main("a, b := T;")), "4:1: 2 variables and 1 value do not go together");
  EXPECT_EQ(problem_of(in_main("a, a := T, F;")), "4:4: 'a' is assigned twice at once");
  EXPECT_EQ(problem_of(in_main("main(a);")), "4:1: 'main' takes 0 arguments, not 1");
  EXPECT_EQ(problem_of(in_main("a := main();")), "4:6: 'main' gives 0 results, not 1");
  EXPECT_EQ(problem_of("bool<2> f() begin return T; end void main() begin end"),
            "1:19: 'f' gives 2 results, not 1");
  EXPECT_EQ(problem_of(in_main("a := 'b;")), "4:6: 'b stands behind 'constrain' only");
}

TEST(Flow, TellsThreadsFromTruthValues) {
  auto with_thread = [](const std::string& statement) {
    return "decl a; decl thread t;\nvoid main() begin\n" + statement + "\nend";
  };
  EXPECT_EQ(problem_of(with_thread("a := t;")), "3:6: 't' holds a thread, and is no truth value");
  EXPECT_EQ(problem_of(with_thread("t := a;")), "3:6: a thread is expected: a variable that holds one");
  EXPECT_EQ(problem_of(with_thread("join a;")), "3:6: 'a' holds no thread: decl thread a");
  EXPECT_EQ(problem_of(with_thread("a := start_thread main();")), "3:1: 'a' holds no thread: decl thread a");
}

TEST(Flow, RefusesInitsThatStartThreads) {
  EXPECT_EQ(problem_of("decl atomic; void init() begin start_thread f(); end void f() begin end"),
            "1:32: 'init' starts no threads");
  EXPECT_EQ(problem_of("decl thread atomic; void init() begin end void f() begin end"),
            "1:13: 'atomic' is a truth value");
  EXPECT_EQ(problem_of("decl atomic; void init() begin end void f() begin g(); end void g() begin f(); end"),
            "1:19: there is no thread: each function is called by another one");
}

// In a file of Getafix, the threads are the functions that no other one calls.
TEST(Flow, KnowsTheFilesOfGetafix) {
  Program program = parse(
      "decl super_atomic, atomic, x;\n"
      "void init() begin atomic, super_atomic := F, F; end\n"
      "void t1() begin atomic := F; help(); assume(T); end\n"
      "void help() begin if (x) then x := F; fi end\n"
      "void t2() begin atomic := F; while (x) do skip; od assume(T); end\n");
  Flow flow = to_flow(program, {});
  ASSERT_EQ(flow.threads.size(), 2U);
  EXPECT_EQ(flow.procedures[flow.threads[0]].name, "t1");
  EXPECT_EQ(flow.procedures[flow.threads[1]].name, "t2");
  EXPECT_EQ(flow.init, 0U);
  EXPECT_EQ(flow.atomic_globals, (std::vector<std::uint32_t>{1, 0}));
}

}  // namespace
}  // namespace thrum::bp
