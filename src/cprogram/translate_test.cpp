// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small C programs, translated and checked: what fails in C fails, and nothing else does.
#include "cprogram/translate.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "boolprog/check.hpp"

namespace thrum::cprogram {
namespace {

const std::string kHead =
    "#include <assert.h>\n#include <pthread.h>\n#include <stdbool.h>\n#include <stdlib.h>\n#include "
    "<stdint.h>\n"
    "void __VERIFIER_assume(int); int __VERIFIER_nondet_int(void); bool __VERIFIER_nondet_bool(void);\n"
    "void __VERIFIER_atomic_begin(void); void __VERIFIER_atomic_end(void); void reach_error(void);\n";

// "bug in N", "no bug", or why it is neither.
std::string outcome_of(const std::string& text, std::uint32_t contexts, unsigned bits) {
  Options options{.bits = bits, .include_folders = {}};
  bp::Flow flow;
  try {
    bp::Program program = translate("test.c", text, options);
    flow = bp::to_flow(bp::parse(to_text(program, "test.c", options)), {});
  } catch (const SourceError& error) {
    return std::to_string(error.where().line) + ": " + error.what();
  } catch (const bp::InputError& error) {
    return "a broken program: " + std::to_string(error.where().line) + ": " + error.what();
  }
  bp::Limits limits;
  limits.contexts = contexts;
  bp::Answer answer = bp::check(flow, bp::goal_of(flow, true, {}), bp::Engine::pushdown, limits);
  if (answer.kind == bp::Answer::Kind::inconclusive) return answer.reason;
  if (answer.kind == bp::Answer::Kind::bug) return "bug in " + std::to_string(answer.contexts);
  return "no bug";
}

std::string outcome(const std::string& text, std::uint32_t contexts, unsigned bits) {
  return outcome_of(kHead + text, contexts, bits);
}

void expect(const std::string& text, const std::string& expected, std::uint32_t contexts = 4,
            unsigned bits = 4) {
  EXPECT_EQ(outcome(text, contexts, bits), expected) << text;
}

// The assertions in main hold, and control gets behind them.
void holds(const std::string& body, const std::string& before = "", unsigned bits = 4) {
  expect(before + "int main(void) { " + body + " }", "no bug", 4, bits);
  expect(before + "int main(void) { " + body + " assert(0); }", "bug in 1", 4, bits);
}

TEST(Translate, GlobalsBeginWithTheirInitialisers) {
  holds("assert(a == 3 && b == 0 && c[0] == 1 && c[1] == 2 && c[2] == 0 && d == -2);",
        "int a = 3, b, c[3] = {1, 2}, d = -2;");
  holds("assert(s.x == 1 && s.y[1] == 3 && e == two);",
        "enum { one = 1, two }; struct { int x; int y[2]; } s = {1, {2, 3}}; int e = two;");
  expect("int main(void) { int x; assert(x == 0); }", "bug in 1");
  expect(
      "int f(void) { static int n = 1; return n++; } int main(void) { assert(f() == 1); assert(f() == 2); }",
      "no bug");
}

TEST(Translate, If) {
  holds("int x = 1; if (x) x = 2; else x = 3; assert(x == 2); if (x == 3) { x = 0; } assert(x == 2);");
  expect("int main(void) { bool b = __VERIFIER_nondet_bool(); int x = 0; if (b) x = 1; assert(x == b); }",
         "no bug");
  expect("int main(void) { if (__VERIFIER_nondet_bool()) assert(0); }", "bug in 1");
}

TEST(Translate, Loops) {
  holds("int n = 0; while (n < 5) n++; assert(n == 5);");
  holds("int n = 0; do { n++; } while (n < 5); assert(n == 5); do n = 7; while (0); assert(n == 7);");
  holds(
      "int n = 0; for (int i = 0; i < 5; i++) { if (i == 2) continue; if (i == 4) break; n += i; } assert(n "
      "== 4);");
  holds("int n = 0; for (;;) { if (++n == 3) break; } assert(n == 3);");
  holds(
      "int n = 0; for (; n < 3;) n++; assert(n == 3); for (n = 1; ; n++) if (n > 5) break; assert(n == 6);");
  holds("int n = 0, i = 0; for (;; i++) { if (i == 3) break; n = n + i; } assert(n == 3);");
  holds(
      "int n = 0; for (int i = 0; i < 3; i++) for (int k = 0; k < 3; k++) { if (k > i) break; n++; } "
      "assert(n == 6);");
  // What is declared in a loop is arbitrary each time.
  expect(
      "int main(void) { int seen = 0; for (int i = 0; i < 2; i++) { int x; if (i == 0) x = 1; else assert(x "
      "== 1); } }",
      "bug in 1");
}

TEST(Translate, Switch) {
  std::string function =
      "int f(int x) { int r = 0; switch (x) { case 1: r = 1; break; case 2: r = 2; case 3: r += 3; "
      "break; default: return 7; } return r; }";
  holds("assert(f(1) == 1 && f(2) == 5 && f(3) == 3 && f(4) == 7 && f(-1) == 7);", function);
  holds("int n = 0; for (int i = 0; i < 4; i++) { switch (i) { case 2: continue; } n++; } assert(n == 3);");
  holds("int n = 0; switch (g) { case 0: n = 1; break; } switch (g) { default: n++; } assert(n == 2);",
        "int g;");
}

TEST(Translate, Goto) {
  holds("int n = 0; again: n++; if (n < 4) goto again; goto out; n = 0; out: assert(n == 4);");
}

TEST(Translate, ShortCircuits) {
  holds(
      "int x = 0; assert(!(x && ++x)); assert(x == 0); assert(1 || ++x); assert(x == 0); assert(++x && x == "
      "1);");
  holds(
      "int y = 0; int x = g ? (y = 1, 2) : (y = 2, 3); assert(x == 3 && y == 2); x = y == 2 ? y : g; "
      "assert(x == 2);",
      "int g;");
  holds("assert(!(g == 1 && f()) && g == 0 && (g == 0 || f()) && g == 0 && f() && g == 5);",
        "int g; int f(void) { g = 5; return 1; }");
  // The right side is not read where the left one decides.
  holds("int i = 3; assert(!(i < 3 && a[i] == 1)); i = 2; assert(i < 3 && a[i] == 0);", "int a[3];");
}

TEST(Translate, Operators) {
  holds(
      "int x = 5, y = -3; assert(x + y == 2 && x - y == -8 && -x == -5 && ~x == -6 && !x == 0 && x * y == "
      "1);");
  holds(
      "int x = 7, y = -3; assert(x / 2 == 3 && y / 2 == -1 && y % 2 == -1 && x % 4 == 3 && x / y == -2 && x "
      "% y == 1);");
  holds(
      "int x = 5; assert((x & 3) == 1 && (x | 2) == 7 && (x ^ 1) == 4 && x << 1 == -6 && x >> 1 == 2 && -x "
      ">> 1 == -3);");
  holds(
      "unsigned u = 15; assert(u > 7 && u + 1 == 0 && u / 4 == 3 && u % 4 == 3 && u >> 3 == 1 && u / 5 == "
      "3);");
  holds(
      "int x = 1; x += 3; x -= 1; x *= 2; assert(x == 6); x /= 2; x <<= 1; x |= 1; x ^= 2; x &= 5; x %= 4; "
      "assert(x == 1);");
  holds(
      "int x = 1; assert(x++ == 1 && x == 2 && ++x == 3 && x-- == 3 && --x == 1); x = (x = 4, x + 1); "
      "assert(x == 5);");
  holds("bool b = 2; assert(b == 1); b++; assert(b); b--; assert(!b); b = !b; assert(b + b == 2);");
  holds("int x = 5; bool b = x; char c = (char)x; assert(b && c == 5 && (bool)x == 1 && (int)b == 1);");
  holds("int a, b = 2; a = b = 3; assert(a == 3 && b == 3); a = b += 1; assert(a == 4 && sizeof(int) == 4);");
}

// Unsigned types that are narrower than int keep their values in int, as in C.
TEST(Translate, Promotions) {
  holds("uint8_t c = 7; int x = c; assert(c > 6 && x == 7 && c + 1 != 0); c++; assert(c == 0);");
  holds(
      "uint8_t c = 200; int x = c; assert(x == 200 && c + 100 == 300); c += 100; assert(c == 44); int8_t d = "
      "-1; "
      "assert(d < 0 && (uint8_t)d == 255);",
      "", 12);
}

TEST(Translate, WidthOfInt) {
  holds("int x = 7; x++; assert(x == -8);");
  holds("int x = 7; x++; assert(x == 8); x = 1000; assert(x * 2 == 2000);", "", 12);
  holds(
      "int x = 2147483647; unsigned y = 4294967295U; assert(x + y == 2147483646U); assert(x >> 3 == "
      "268435455);",
      "", 64);
  holds("long x = 4611686018427387904, y = 3; assert(x + y > x && (x >> 60) == 4);", "", 64);
}

TEST(Translate, Arrays) {
  holds(
      "for (int i = 0; i < 4; i++) a[i] = i; int s = 0; for (int i = 3; i >= 0; i--) s += a[i]; assert(s == "
      "6);",
      "int a[4];");
  holds("for (int i = 0; i < 2; i++) for (int k = 0; k < 3; k++) a[i][k] = i + k; assert(a[1][2] == 3);",
        "int a[2][3];");
  holds(
      "int a[2][3]; for (int i = 0; i < 2; i++) for (int k = 0; k < 3; k++) a[i][k] = i + k; assert(a[1][2] "
      "== 3);");
  holds(
      "int i = 1; s[i].x[i] = 4; s[0].y++; assert(s[1].x[1] == 4 && s[0].x[1] == 0 && s[0].y == 1 && s[i].y "
      "== 0);",
      "struct { int x[2]; char y; } s[2];");
  expect("int a[3]; int main(void) { int i = 3; a[i] = 1; }", "bug in 1");
  expect("int a[3]; int main(void) { int i = -1; return a[i]; }", "bug in 1");
  expect("int main(void) { int i = 0; return 3 / i; }", "bug in 1");
}

TEST(Translate, Functions) {
  holds("assert(f(3, 1) == 4);", "int f(int a, bool b) { return b ? a + 1 : a; }");
  holds("int x = f(f(1)) + f(3); assert(x == 7);", "int f(int a) { a++; return a; }");
  holds("assert(sum(3) == 6);", "int sum(int n) { if (n == 0) return 0; return n + sum(n - 1); }");
  holds("assert(odd(5) && !odd(4));",
        "bool odd(int n); bool even(int n) { return n == 0 || odd(n - 1); } bool odd(int n) { return n != 0 "
        "&& even(n - 1); }");
  // As many up as down: no bound on the depth.
  expect(
      "int p; void f(void) { p++; if (__VERIFIER_nondet_bool()) f(); p--; } int main(void) { f(); assert(p "
      "== 0); }",
      "no bug");
  expect(
      "int p; void f(void) { p++; if (__VERIFIER_nondet_bool()) f(); } int main(void) { f(); assert(p != 3); "
      "}",
      "bug in 1");
}

TEST(Translate, WhatCheckersKnow) {
  expect("int main(void) { int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x > 3); assert(x > 2); }",
         "no bug");
  expect("int main(void) { int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x > 3); assert(x > 4); }",
         "bug in 1");
  expect("int main(void) { if (__VERIFIER_nondet_int() == 3) reach_error(); }", "bug in 1");
  expect("int main(void) { abort(); assert(0); }", "no bug");
  expect("int main(void) { assert(({ int x = 2; x + 1; }) == 3); }", "no bug");
  expect("int main(void) { goto ERROR; ERROR: { reach_error(); abort(); } }", "bug in 1");
}

std::string counter(const std::string& work) {
  return "int n; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_t t[2]; void *f(void *p) { " + work +
         " return NULL; } int main(void) { for (int i = 0; i < 2; i++) pthread_create(&t[i], NULL, f, NULL);"
         " for (int i = 0; i < 2; i++) pthread_join(t[i], 0); assert(n == 2); return 0; }";
}

TEST(Translate, Mutexes) {
  expect(counter("pthread_mutex_lock(&m); n++; pthread_mutex_unlock(&m);"), "no bug", 5);
  expect(counter("n++;"), "bug in 5", 5);
  expect(counter("__VERIFIER_atomic_begin(); n++; __VERIFIER_atomic_end();"), "no bug", 5);
  expect(counter("while (pthread_mutex_trylock(&m) != 0) {} n++; pthread_mutex_unlock(&m);"), "no bug", 4, 6);
}

TEST(Translate, AtomicFunctions) {
  std::string add = "int n; void __VERIFIER_atomic_add(int by) { if (by == 0) return; n = n + by; } ";
  std::string rest =
      "pthread_t t; void *f(void *p) { __VERIFIER_atomic_add(1); return 0; } int main(void) "
      "{ pthread_create(&t, 0, f, 0); __VERIFIER_atomic_add(2); pthread_join(t, 0); assert(n == 3); }";
  expect(add + rest, "no bug", 5);
  std::string nested =
      "int n; void set(int x) { n = x; } void __VERIFIER_atomic_inner(int by) { set(n + by); } "
      "void __VERIFIER_atomic_add(int by) { __VERIFIER_atomic_inner(0); __VERIFIER_atomic_inner(by); } ";
  expect(nested + rest, "no bug", 5);
  expect(
      "int n; void add(int by) { n = n + by; } void *f(void *p) { add(1); return 0; } pthread_t t; int "
      "main(void) "
      "{ pthread_create(&t, 0, f, 0); add(2); pthread_join(t, 0); assert(n == 3); }",
      "bug in 3", 5);
}

// A statement of C is several steps: each access of a shared variable is one.
TEST(Translate, AccessesAreSteps) {
  std::string rest =
      " void *f(void *p) { x = 1; y = 1; return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, "
      "0); ";
  expect("int x, y;" + rest + "assert(!(y == 1 && x == 0)); }", "no bug");
  expect("int x, y;" + rest + "assert(!(x == 0 && y == 1)); }", "bug in 3");
  expect("int x, y;" + rest + "assert(x - y == 0 || x - y == 1); }", "bug in 3");
  // But all bits of one are read and written at once.
  expect(
      "int x = 5; void *f(void *p) { x = 2; return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, "
      "f, 0); "
      "int y = x; assert(y == 5 || y == 2); }",
      "no bug");
}

TEST(Translate, ThreadsWithArguments) {
  expect(
      "int n[2]; void *f(void *p) { n[(intptr_t)p] = 1; return 0; } int main(void) { pthread_t t[2]; "
      "for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, f, (void *)(intptr_t)i); "
      "pthread_join(t[0], 0); pthread_join(t[1], 0); assert(n[0] == 1 && n[1] == 1); }",
      "no bug");
}

std::string example(const std::string& name) {
  std::ifstream in(std::filesystem::path(__FILE__).parent_path() / "../../examples/boolean" / name);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The stop of the driver is found out; with the count before the test it is not.
TEST(Translate, BluetoothDriver) {
  EXPECT_EQ(outcome_of(example("bluetooth.c"), 4, kBitsDefault), "bug in 3");
  EXPECT_EQ(outcome_of(example("bluetooth_fixed.c"), 4, kBitsDefault), "no bug");
}

TEST(Translate, NamesThatMeanSomethingElsewhere) {
  holds(
      "bool end = 1, thread = 0, T = 1; int join = 2; assert(end && !thread && T && join == 2 && dead() == "
      "1);",
      "bool atomic; int dead(void) { return 1; } void init(void) {}");
  holds(
      "int x = 1; { int x = 2; g = x; } assert(x == 1 && g == 2); { int g = 4; x = g; } assert(g == 2 && x "
      "== 4);",
      "int g;");
}

}  // namespace
}  // namespace thrum::cprogram
