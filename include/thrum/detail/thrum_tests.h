// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between the listeners of test frameworks, in the headers of this folder, and thrum::check(), in
// thrum/thrum.hpp, and Thrum's runtime, which is linked into every program that is compiled with them. Not
// for use by programs: it changes with those headers.
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

// What this process is asked for. To be called before main, so that the runtime knows of the framework.
enum {
  THRUM_TESTS_NOTHING,  // the program runs by itself
  THRUM_TESTS_LIST,     // the names of its tests
  THRUM_TESTS_ONE       // one test is to be run, and no other
};
int thrum_tests_asked(void);
int thrum_is_active(void);  // whether there is a search, asking for nothing

// THRUM_TESTS_LIST: each name, then the end of the list, which ends the process.
void thrum_tests_add(const char* name);
__attribute__((noreturn)) void thrum_tests_listed(void);

// THRUM_TESTS_ONE: its name, and what becomes of it. Each end ends the execution.
const char* thrum_tests_wanted(void);
void thrum_test_begins(void);
// file: NULL where the place is not known.
enum {
  THRUM_FAILURE_EXPECTATION,
  THRUM_FAILURE_EXCEPTION  // which left the test
};
__attribute__((noreturn)) void thrum_test_fails(int kind, const char* message, const char* file, int line);
__attribute__((noreturn)) void thrum_test_skips(const char* reason);
__attribute__((noreturn)) void thrum_test_ends(void);

// thrum::check(), unless THRUM_TESTS_NOTHING is asked for: the options of the test, by their names on the
// command line, then whether its body is to be run, which begins the test then and ends with
// thrum_test_ends().
void thrum_check_word(const char* name, const char* value);
void thrum_check_number(const char* name, long long value);
void thrum_check_seconds(const char* name, double value);
void thrum_check_flag(const char* name);
int thrum_check_begins(const char* name);

// A framework may run a test in parts, each from its beginning. Each part is checked by a process of its own,
// and those before it are passed over there: they run by one schedule, and how they fail does not matter.
unsigned thrum_part_wanted(void);  // counts from 0
void thrum_part_passes_over(void);
void thrum_part_begins(void);
void thrum_part_named(const char* name);
__attribute__((noreturn)) void thrum_part_ends(int more);  // whether another one follows
__attribute__((noreturn)) void thrum_part_missing(void);   // the test has no such part

#ifdef __cplusplus
}
#endif
