// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is not translated is refused, with its place.
#include <gtest/gtest.h>

#include "cprogram/translate.hpp"

namespace thrum::cprogram {
namespace {

// "FILE:LINE:COLUMN: MESSAGE" up to the advice; nothing where the program is translated.
std::string refusal(const std::string& text) {
  try {
    translate("test.c", text, {});
  } catch (const SourceError& error) {
    std::string message = error.what();
    return error.file() + ':' + std::to_string(error.where().line) + ':' +
           std::to_string(error.where().column) + ": " +
           message.substr(0, message.find(" is not supported: "));
  }
  return "";
}

void expect(const std::string& text, const std::string& expected) {
  EXPECT_EQ(refusal(text), "test.c:" + expected) << text;
}

TEST(Refusal, Pointers) {
  expect("int main(void) {\n  int x; int *p;\n  p = &x;\n}", "2:15: a pointer ('int *')");
  expect("int g;\nint main(void) { return *&g; }", "2:25: a pointer that is followed");
  expect("void f(int *p) { *p = 1; }\nint main(void) { f(0); }", "1:13: a pointer ('int *')");
  expect("int a[2];\nint main(void) { return *a; }", "2:25: a pointer that is followed");
  expect("int f(void) { return 1; }\nint main(void) {\n  int (*p)(void) = f;\n  return p(); }",
         "3:9: a pointer ('int (*)(void)')");
  expect("int main(void) { const char *s = \"x\"; }", "1:30: a pointer ('const char *')");
  expect("struct s { int x; struct s *next; } v;\nint main(void) { return v.x; }",
         "1:37: a pointer ('struct s *')");
}

TEST(Refusal, Types) {
  expect("int main(void) {\n  float f = 1; }", "2:9: a floating-point number ('float')");
  expect("int main(void) {\n  int x = 1.5; }", "2:11: a floating-point number");
  expect("union { int a; char b; } u;\nint main(void) { return u.a; }", "1:26: a union");
  expect("struct { int a : 2; } s;\nint main(void) { return s.a; }", "1:14: a bit field");
  expect("int main(void) {\n  int n = 2; int a[n]; }", "2:18: an array without a constant size");
  expect("_Atomic int x;\nint main(void) { x = 1; }", "2:18: an _Atomic variable");
  expect("_Thread_local int x;\nint main(void) { x = 1; }",
         "1:19: a variable of which each thread has its own");
  expect("struct s { int a; } x, y;\nint main(void) { x = y; }", "2:18: the type 'struct s' here");
}

TEST(Refusal, Constants) {
  expect("int main(void) { int x = 128; }", "1:26: the constant 128 in 8 bits, into which it does not fit,");
  expect("int main(void) { int x = -129; }",
         "1:26: the constant -129 in 8 bits, into which it does not fit,");
  expect("unsigned char c = 200;\nint main(void) { c++; }",
         "1:19: the constant 200 in 7 bits, into which it does not fit,");
  EXPECT_EQ(refusal("int main(void) { int x = -128; unsigned y = 255; x = 127; }"), "");
  expect("int f(void);\nint g = 1; int h = 1;\nint main(void) { return 2 ? f() : g; }",
         "3:29: the function 'f', which this file does not define,");
}

TEST(Refusal, Functions) {
  expect("int puts2(const char *);\nint main(void) {\n  puts2(\"x\"); }",
         "3:3: the function 'puts2', which this file does not define,");
  expect("int f(int n, ...) { return n; }\nint main(void) { return f(1); }",
         "1:5: a function with a variable number of arguments");
  expect("int main(int argc, char **argv) { return argc; }", "1:14: a parameter of main");
  expect("int main(void) { return main(); }", "1:25: a call of main");
  expect("extern int x;\nint main(void) { return x; }", "1:12: 'x', which this file does not define,");
}

TEST(Refusal, Threads) {
  std::string head =
      "#include <pthread.h>\nvoid *f(void *p) { return p; } pthread_t t; pthread_mutex_t m; int x;\n";
  expect(head + "int main(void) { pthread_create(&t, 0, f, &x); pthread_join(t, 0); }",
         "3:43: the address of something");
  expect(head + "int main(void) { void *r; pthread_join(t, &r); }", "3:43: the result of a thread");
  expect(head + "int main(void) { pthread_mutex_lock(0); }", "3:37: this as a pthread_mutex_t");
  expect(head + "int main(void) { return t == 0; }", "3:25: a thread or a mutex as a value");
  expect(head + "int main(void) { return pthread_self(); }",
         "3:25: the function 'pthread_self', which this file does not define,");
}

TEST(Refusal, AtomicSections) {
  std::string head = "void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void); int g;\n";
  expect(head + "int main(void) {\n  if (g) __VERIFIER_atomic_begin();\n  g = 1; __VERIFIER_atomic_end(); }",
         "3:7: an atomic section that only one of two ways begins or ends");
  expect(head + "int main(void) { __VERIFIER_atomic_end(); }",
         "2:18: the end of an atomic section that does not begin in this function");
  expect(head + "int main(void) { __VERIFIER_atomic_begin(); return 0; }",
         "2:45: a return out of an atomic section");
  EXPECT_EQ(
      refusal(head +
              "int main(void) { __VERIFIER_atomic_begin(); if (g) { __VERIFIER_atomic_end(); return 0; } "
              "__VERIFIER_atomic_end(); }"),
      "");
}

TEST(Refusal, WhatIsNoProgram) {
  expect("int main(void) {\n  return y; }", "2:10: this does not compile: use of undeclared identifier 'y'");
  expect("#include <errno.h>\n", "1:10: this does not compile: 'errno.h' file not found");
  expect("int f(void) { return 1; }",
         "1:1: there is no function 'main' here, with which the program would begin");
  expect("int main(void) {\n  __asm__(\"nop\"); }", "2:3: this kind of statement (GCCAsmStmt)");
}

// What no thread can get to does not matter.
TEST(Refusal, OnlyWhatIsReached) {
  EXPECT_EQ(refusal("float f; double g(double x) { return x; } int main(void) { return 0; }"), "");
}

}  // namespace
}  // namespace thrum::cprogram
