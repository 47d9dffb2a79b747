// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// thrum.h for C++: the same, in a namespace; choices among things; and tests as closures (C++17).
//
//     #include <thrum/thrum.hpp>
//
//     int main() {
//       thrum::check("push", [] { ... });                         // a test, named
//       thrum::check({.bound = "preemptions=2"}, [] { ... });     // with options, named by its file and line
//     }
#ifndef THRUM_THRUM_HPP
#define THRUM_THRUM_HPP

#include <initializer_list>
#include <iterator>

#include "thrum/thrum.h"

namespace thrum {

inline unsigned choose(unsigned n) { return thrum_choose(n); }
// One of both: the search tries false and true. Outside a search, false.
inline bool choose() { return thrum_choose(2) != 0; }
// An element: the search tries each. Outside a search, the first. REQUIRES: there is one.
template <class Container>
auto choose(Container& elements) -> decltype(*std::begin(elements)) {
  const auto size = std::distance(std::begin(elements), std::end(elements));
  return *std::next(std::begin(elements), thrum_choose(static_cast<unsigned>(size)));
}
template <class T>
T choose(std::initializer_list<T> elements) {
  return choose<const std::initializer_list<T>>(elements);
}

inline void assume(bool condition) { thrum_assume(condition ? 1 : 0); }
inline void point() { thrum_point(); }
inline void progress() { thrum_progress(); }
inline bool is_active() { return thrum_is_active() != 0; }

// One operation that no other thread interrupts, for as long as it lives.
class AtomicSection {
 public:
  AtomicSection() { thrum_atomic_begin(); }
  ~AtomicSection() { thrum_atomic_end(); }
  AtomicSection(const AtomicSection&) = delete;
  AtomicSection& operator=(const AtomicSection&) = delete;
};

// An invariant for as long as it lives: condition() is true between any two steps (thrum_invariant).
template <class Condition>
class Invariant {
 public:
  Invariant(const char* name, Condition condition)
      : condition_(condition), number_(thrum_invariant(name, holds, this)) {}
  ~Invariant() { thrum_invariant_end(number_); }
  Invariant(const Invariant&) = delete;
  Invariant& operator=(const Invariant&) = delete;

 private:
  static int holds(void* self) noexcept { return static_cast<Invariant*>(self)->condition_() ? 1 : 0; }

  Condition condition_;
  unsigned long number_;
};

}  // namespace thrum

#if __cplusplus >= 201703L

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>

#ifdef __THRUM__
#include "thrum/detail/thrum_tests.h"
#endif

namespace thrum {

// How a test is searched: options of `thrum check` by the same names, with the same values (docs/options.md).
// An option of the command line wins over the one here. A wrong value is reported by `thrum check`, which
// exits with 2; a program that runs by itself does not look at them.
// New fields are added at the end: a program may give the first ones without their names.
struct Options {
  std::string strategy{};                  // "dpor", "pct", ...
  std::string bound{};                     // "preemptions=2", "yields=5", ...
  std::string races{};                     // "report", "explore", "ignore"
  std::string heap{};                      // "lifo", "fresh", "both"
  std::string fair{};                      // "auto", "on", "off"
  std::optional<long long> executions{};   // 0: no limit
  std::optional<long long> steps{};        // of one execution
  std::optional<long long> seed{};         // of everything random
  std::optional<long long> depth{};        // of the bugs that pct looks for
  std::optional<double> time{};            // seconds for this test (--time-per-test)
  std::optional<double> early_timeouts{};  // seconds
  bool leaks = false;
  bool spurious = false;
  bool keep_going = false;
  std::string priority{};           // of best-first search: "rand", "mdpor,pb", ...
  std::optional<long long> hang{};  // seconds
  std::string program_memory{};     // "500M", ...
  bool require_exhausted = false;
  std::string waiting{};  // "repeat", "block", "await", "merge"
};

namespace detail {

#ifdef __THRUM__

// Before main, so that the runtime knows that there will be tests.
template <class Body>
struct Announced {
  inline static const int before_main = thrum_tests_asked();
};

inline void tell(const char* name, const std::string& value) {
  if (!value.empty()) thrum_check_word(name, value.c_str());
}
inline void tell(const char* name, std::optional<long long> value) {
  if (value) thrum_check_number(name, *value);
}
inline void tell(const char* name, std::optional<double> value) {
  if (value) thrum_check_seconds(name, *value);
}
inline void tell(const char* name, bool value) {
  if (value) thrum_check_flag(name);
}

inline void tell(const Options& options) {
  tell("--strategy", options.strategy);
  tell("--bound", options.bound);
  tell("--priority", options.priority);
  tell("--races", options.races);
  tell("--heap", options.heap);
  tell("--fair", options.fair);
  tell("--waiting", options.waiting);
  tell("--executions", options.executions);
  tell("--steps", options.steps);
  tell("--seed", options.seed);
  tell("--depth", options.depth);
  tell("--hang", options.hang);
  tell("--time-per-test", options.time);
  tell("--early-timeouts", options.early_timeouts);
  tell("--program-memory", options.program_memory);
  tell("--leaks", options.leaks);
  tell("--spurious", options.spurious);
  tell("--keep-going", options.keep_going);
  tell("--require-exhausted", options.require_exhausted);
}

// Of an exception that leaves a body and that main would catch. Where nobody would, the search knows it where
// it was thrown.
struct Leaving {
  ~Leaving() {
    if (std::uncaught_exceptions() == 0) return;
    thrum_test_fails(THRUM_FAILURE_EXCEPTION, "an exception leaves the test", nullptr, 0);
  }
};

template <class Body>
void search(const char* name, const Options& options, Body& body) {
  (void)Announced<Body>::before_main;
  tell(options);
  if (thrum_check_begins(name) == 0) return;
  const Leaving leaving;
  body();
  thrum_test_ends();
}

#endif

// Of a program that runs by itself: the name of the test that runs.
inline std::atomic<const char*> running_test{nullptr};

struct Running {
  explicit Running(const char* name) {
    const char* other = nullptr;
    if (running_test.compare_exchange_strong(other, name)) return;
    std::fprintf(stderr, "thrum: the test '%s' begins within the test '%s'; a test cannot hold another one\n",
                 name, other);
    std::_Exit(2);
  }
  ~Running() { running_test = nullptr; }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
};

inline std::string place(const char* file, int line) {
  const std::string path = file;
  return path.substr(path.find_last_of('/') + 1) + ":" + std::to_string(line);
}

}  // namespace detail

// A test. Under `thrum check` its body is searched as a test of that name, as those of a test framework are:
// each has a process of its own, which runs main, passes over the bodies of the other tests, and ends with
// the body of this one. An exception that leaves the body is a bug then. Else the body runs once.
//
// The name: where it is left out, the file and line of the call; where an earlier call has the same, as in a
// loop, " (2)" and so on follows. Call it in main's thread, and not within a test.
template <class Body>
void check(const std::string& name, const Options& options, Body&& body) {
#ifdef __THRUM__
  if (thrum_tests_asked() != THRUM_TESTS_NOTHING) return detail::search(name.c_str(), options, body);
#endif
  (void)options;
  const detail::Running running(name.c_str());
  body();
}
template <class Body>
void check(const std::string& name, Body&& body) {
  check(name, Options{}, body);
}
template <class Body>
void check(const Options& options, Body&& body, const char* file = __builtin_FILE(),
           int line = __builtin_LINE()) {
  check(detail::place(file, line), options, body);
}
template <class Body>
void check(Body&& body, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  check(detail::place(file, line), Options{}, body);
}

}  // namespace thrum

#endif  // C++17

#endif  // THRUM_THRUM_HPP
