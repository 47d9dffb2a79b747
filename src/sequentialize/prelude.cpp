// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sequentialize/prelude.hpp"

#include <clang/AST/ASTContext.h>

#include <array>

namespace thrum::seq {

namespace {

constexpr const char* kVerifier = R"(/* What verifiers give a meaning to. */
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_assume(int condition);
extern void reach_error(void);
extern void abort(void);
/* A recorder may look on: at each step of a thread, in a round, and at the failure. */
#ifndef THRUM_STEP
#define THRUM_STEP(thread, round)
#define THRUM_FAILED(thread, round, message)
#endif

/* Threads are numbered as they are started; main is number 0. A handle is the number and 1. */
typedef unsigned long thrum_thread;
#define pthread_t thrum_thread
static unsigned char thrum_self;        /* the one that runs */
static unsigned char thrum_threads = 1; /* that were started */
static unsigned char thrum_function[THRUM_THREADS];
static unsigned char thrum_atomic; /* how many atomic sections it is in */
)";

// Each works on the object itself, so that it may stand in any memory.
constexpr const char* kMeeting = R"(
/* What threads meet by. A thread that would wait is not there: it ends before, or never comes here. */
typedef struct { unsigned char owner, depth, kind; } thrum_mutex;
typedef struct { unsigned char writer, readers; } thrum_rwlock;
typedef struct { _Bool waits[THRUM_THREADS]; } thrum_condition;
typedef struct { unsigned char count, arrived, round; } thrum_barrier;
typedef struct { unsigned value; } thrum_semaphore;
typedef struct { int kind; } thrum_attribute;
typedef struct { unsigned char state; } thrum_once;
typedef struct { _Bool _Value; } thrum_flag;
#define THRUM_MUTEX_INIT(m, k) do { (m).owner = 0; (m).depth = 0; (m).kind = (unsigned char)(k); } while (0)
/* kind 1: it may be locked again by the thread that has it. */
#define THRUM_LOCK(m) do { if ((m).owner == thrum_self + 1 && (m).kind == 1) ++(m).depth; \
    else { __VERIFIER_assume((m).owner == 0); (m).owner = (unsigned char)(thrum_self + 1); } } while (0)
#define THRUM_TRYLOCK(m, result) do { (result) = 0; \
    if ((m).owner == 0) (m).owner = (unsigned char)(thrum_self + 1); \
    else if ((m).owner == thrum_self + 1 && (m).kind == 1) ++(m).depth; else (result) = 16; } while (0)
#define THRUM_TIMEDLOCK(m, result) do { (result) = 0; if (__VERIFIER_nondet_bool()) (result) = 110; \
    else THRUM_LOCK(m); } while (0)
#define THRUM_UNLOCK(m) do { if ((m).owner != thrum_self + 1) THRUM_FAIL("unlocked by a thread that does not hold it"); \
    if ((m).depth > 0) --(m).depth; else (m).owner = 0; } while (0)
#define THRUM_RWLOCK_INIT(l) do { (l).writer = 0; (l).readers = 0; } while (0)
#define THRUM_READ_LOCK(l) do { __VERIFIER_assume((l).writer == 0); ++(l).readers; } while (0)
#define THRUM_WRITE_LOCK(l) do { __VERIFIER_assume((l).writer == 0 && (l).readers == 0); \
    (l).writer = (unsigned char)(thrum_self + 1); } while (0)
#define THRUM_TRY_READ_LOCK(l, result) do { (result) = 0; if ((l).writer == 0) ++(l).readers; \
    else (result) = 16; } while (0)
#define THRUM_TRY_WRITE_LOCK(l, result) do { (result) = 0; if ((l).writer == 0 && (l).readers == 0) \
    (l).writer = (unsigned char)(thrum_self + 1); else (result) = 16; } while (0)
#define THRUM_READ_WRITE_UNLOCK(l) do { if ((l).writer == thrum_self + 1) (l).writer = 0; \
    else if ((l).readers > 0) --(l).readers; else THRUM_FAIL("unlocked by a thread that does not hold it"); } while (0)
#define THRUM_SEMAPHORE_INIT(s, n) do { (s).value = (n); } while (0)
#define THRUM_DOWN(s) do { __VERIFIER_assume((s).value > 0); --(s).value; } while (0)
#define THRUM_TRY_DOWN(s, result) do { (result) = 0; if ((s).value > 0) --(s).value; else (result) = -1; } while (0)
#define THRUM_UP(s) do { ++(s).value; } while (0)
#define THRUM_CONDITION_INIT(c) do { for (unsigned thrum_i = 0; thrum_i < THRUM_THREADS; ++thrum_i) (c).waits[thrum_i] = 0; } while (0)
#define THRUM_SLEEP(c, m) do { THRUM_UNLOCK(m); (c).waits[thrum_self] = 1; } while (0)
#define THRUM_WAKE(c, m) do { __VERIFIER_assume(!(c).waits[thrum_self]); THRUM_LOCK(m); } while (0)
#define THRUM_TIMED_WAKE(c, m, result) do { (result) = 0; \
    if ((c).waits[thrum_self]) { (c).waits[thrum_self] = 0; (result) = 110; } THRUM_LOCK(m); } while (0)
/* Wakes one of those that wait, any of them. */
#define THRUM_SIGNAL(c) do { _Bool thrum_more = 0, thrum_done = 0; \
    for (unsigned thrum_i = 0; thrum_i < THRUM_THREADS; ++thrum_i) if ((c).waits[thrum_i] && !thrum_done) { \
      if (__VERIFIER_nondet_bool()) { (c).waits[thrum_i] = 0; thrum_done = 1; } else thrum_more = 1; } \
    __VERIFIER_assume(thrum_done || !thrum_more); } while (0)
#define THRUM_BROADCAST(c) THRUM_CONDITION_INIT(c)
#define THRUM_BARRIER_INIT(b, n) do { (b).count = (unsigned char)(n); (b).arrived = 0; (b).round = 0; } while (0)
#define THRUM_ARRIVE(b, mine, result) do { (mine) = (b).round; (result) = 0; ++(b).arrived; \
    if ((b).arrived == (b).count) { (b).arrived = 0; ++(b).round; (result) = -1; } } while (0)
#define pthread_mutex_t thrum_mutex
#define pthread_spinlock_t thrum_mutex
#define pthread_rwlock_t thrum_rwlock
#define pthread_cond_t thrum_condition
#define pthread_barrier_t thrum_barrier
#define pthread_once_t thrum_once
#define sem_t thrum_semaphore
#define pthread_attr_t thrum_attribute
#define pthread_mutexattr_t thrum_attribute
#define pthread_condattr_t thrum_attribute
#define pthread_rwlockattr_t thrum_attribute
#define pthread_barrierattr_t thrum_attribute
#define atomic_flag thrum_flag
)";

constexpr const char* kChoice = R"(
/* A number below n. */
static unsigned thrum_choice(unsigned n) {
  for (unsigned i = 0; i + 1 < n; ++i)
    if (__VERIFIER_nondet_bool()) return i;
  return n == 0 ? 0 : n - 1;
}
)";

constexpr const char* kKiss = R"(
/* Threads run as calls: at a scheduling point some that were started run, as far as they like; and a thread may
   end early, by thrum_raise, which goes up to where it was called. */
#ifndef THRUM_FAIL
#define THRUM_FAIL(message) do { THRUM_FAILED(thrum_self, 0, message); reach_error(); abort(); } while (0)
#endif
static _Bool thrum_raise;
static _Bool thrum_waiting[THRUM_THREADS]; /* started, and not run yet */
static unsigned char thrum_pending;        /* how many these are */
static _Bool thrum_finished[THRUM_THREADS];
static void thrum_call(unsigned char thread);
static void thrum_run(unsigned char thread) {
  unsigned char self = thrum_self;
  thrum_self = thread;
  thrum_waiting[thread] = 0;
  --thrum_pending;
  thrum_call(thread);
  if (!thrum_raise) thrum_finished[thread] = 1;
  thrum_raise = 0;
  thrum_atomic = 0; /* as it was */
  thrum_self = self;
}
static void thrum_schedule(void) {
  unsigned char thread = 1;
  while (thread < thrum_threads) {
    if (thrum_waiting[thread] && __VERIFIER_nondet_bool()) {
      thrum_run(thread);
      thread = 1;
    } else {
      ++thread;
    }
  }
}
static _Bool thrum_stops(void) {
  if (thrum_atomic > 0) return 0;
  thrum_schedule();
  if (thrum_self == 0 && thrum_pending == 0) return 0; /* nobody would go on */
  thrum_raise = __VERIFIER_nondet_bool();
  return thrum_raise;
}
#define THRUM_POINT(leave) if (thrum_stops()) leave; THRUM_STEP(thrum_self, 0)
#define THRUM_FINISHED(handle) thrum_finished[(handle) - 1]
#define THRUM_EXIT(value) do { THRUM_GIVE(value); thrum_finished[thrum_self] = 1; thrum_raise = 1; } while (0)
static void thrum_start(unsigned char thread) {
  thrum_waiting[thread] = 1;
  ++thrum_pending;
  if (thrum_pending > THRUM_PENDING && thrum_atomic == 0) thrum_run(thread);
}
#define THRUM_START(handle) thrum_start((unsigned char)((handle) - 1))
)";

constexpr const char* kLazy = R"(
/* Threads take turns, THRUM_ROUNDS times each, and stop at any scheduling point to go on there in their next
   turn: a function's locals stand in a frame, with the point where it stopped. */
#ifndef THRUM_FAIL
#define THRUM_FAIL(message) do { THRUM_FAILED(thrum_self, thrum_round, message); reach_error(); abort(); } while (0)
#endif
static unsigned char thrum_round;
static _Bool thrum_finished[THRUM_THREADS];
static _Bool thrum_stopped[THRUM_THREADS]; /* for good */
static _Bool thrum_switches(void) {
  if (thrum_atomic > 0) return 0;
  if (thrum_round + 1 == THRUM_ROUNDS && thrum_self + 1 == thrum_threads) return 0; /* nobody would go on */
  return __VERIFIER_nondet_bool();
}
#define THRUM_STOP(point) { thrum_f->thrum_pc = point; return 1; }
#define THRUM_POINT(point) if (thrum_switches()) THRUM_STOP(point) THRUM_STEP(thrum_self, thrum_round)
#define THRUM_FINISHED(handle) thrum_finished[(handle) - 1]
#define THRUM_EXIT(value) do { THRUM_GIVE(value); thrum_finished[thrum_self] = 1; } while (0)
#define THRUM_START(handle) thrum_begin((unsigned char)((handle) - 1))
static void thrum_begin(unsigned char thread);
)";

constexpr const char* kEager = R"(
/* Threads run one after the other, each through all rounds: thrum_round says in which it is. Each shared variable
   has a copy for each round; what a round begins with is guessed, and compared in the end. */
#ifndef THRUM_FAIL
#define THRUM_FAIL(message) do { THRUM_FAILED(thrum_self, thrum_round, message); thrum_failed = 1; \
    thrum_raise = 1; } while (0)
#endif
static unsigned char thrum_round;
static _Bool thrum_raise, thrum_failed;
static _Bool thrum_finished[THRUM_ROUNDS][THRUM_THREADS];
static unsigned char thrum_begins[THRUM_THREADS]; /* the round in which it was started */
static _Bool thrum_advances(void) {
  if (thrum_raise) return 1;
  if (thrum_atomic > 0) return 0;
  while (thrum_round + 1 < THRUM_ROUNDS && __VERIFIER_nondet_bool()) ++thrum_round;
  if (thrum_round + 1 == THRUM_ROUNDS) thrum_raise = __VERIFIER_nondet_bool();
  return thrum_raise;
}
#define THRUM_POINT(leave) if (thrum_advances()) leave; THRUM_STEP(thrum_self, thrum_round)
#define THRUM_FINISHED(handle) thrum_finished[thrum_round][(handle) - 1]
#define THRUM_EXIT(value) do { THRUM_GIVE(value); thrum_finished[thrum_round][thrum_self] = 1; thrum_raise = 1; } while (0)
#define THRUM_START(handle) thrum_begins[(handle) - 1] = thrum_round
)";

// Of shared variables, and of what the program draws itself.
constexpr const char* kGuesses = R"(extern char __VERIFIER_nondet_char(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern short __VERIFIER_nondet_short(void);
extern unsigned short __VERIFIER_nondet_ushort(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern long __VERIFIER_nondet_long(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
)";

constexpr const char* kRace = R"(
/* A thread that is about to make an access, and stops there; whoever makes another one races with it. */
static const char *thrum_race_begin;
static unsigned long thrum_race_size;
static _Bool thrum_race_writes, thrum_race_atomic, thrum_race_noted;
static unsigned char thrum_race_thread;
static _Bool thrum_race(const volatile void *object, unsigned long size, _Bool writes, _Bool atomic) {
  const char *begin = (const char *)object;
  if (thrum_race_noted) {
    if (thrum_race_thread != thrum_self && (writes || thrum_race_writes) && !(atomic && thrum_race_atomic) &&
        begin < thrum_race_begin + thrum_race_size && thrum_race_begin < begin + size)
      THRUM_FAIL("data race");
    return 0;
  }
  if (thrum_atomic > 0 || !__VERIFIER_nondet_bool()) return 0;
  thrum_race_noted = 1;
  thrum_race_begin = begin;
  thrum_race_size = size;
  thrum_race_writes = writes;
  thrum_race_atomic = atomic;
  thrum_race_thread = thrum_self;
)";

std::string number(unsigned value) { return std::to_string(value); }

bool has(const Program& program, Feature feature) { return program.features.contains(feature); }

std::string threads(const Program& program) {
  std::string text;
  bool arguments = has(program, Feature::arguments);
  if (has(program, Feature::results)) {
    text +=
        "static void *thrum_result[THRUM_THREADS];\n"
        "#define THRUM_GIVE(value) thrum_result[thrum_self] = (value)\n";
  } else {
    text += "#define THRUM_GIVE(value) (void)0\n";
  }
  if (arguments) text += "static void *thrum_argument[THRUM_THREADS];\n";
  text += std::string("static thrum_thread thrum_new(unsigned char function") +
          (arguments ? ", void *argument" : "") + ") {\n" +
          "  __VERIFIER_assume(thrum_threads < THRUM_THREADS);\n"
          "  thrum_function[thrum_threads] = function;\n" +
          (arguments ? "  thrum_argument[thrum_threads] = argument;\n" : "") +
          "  return (thrum_thread)++thrum_threads; /* a handle: its number and 1 */\n"
          "}\n";
  text +=
      arguments
          ? "#define THRUM_NEW(function, argument) thrum_new((unsigned char)(function), (void *)(argument))\n"
          : "#define THRUM_NEW(function, argument) thrum_new((unsigned char)(function))\n";
  return text;
}

// What is passed to a function that runs as a thread.
std::string argument_of(const Program& program, const Defined& function) {
  if (function.declaration->getNumParams() == 0) return "";
  if (!has(program, Feature::arguments)) return "0";
  clang::QualType type = function.declaration->getParamDecl(0)->getType();
  return (type->isPointerType() ? "" : "(long)") + std::string("thrum_argument[thrum_t]");
}

// What makes a join's value of what the function returns; empty: nobody wants it.
std::string result_of(const Program& program, const Defined& function) {
  if (!has(program, Feature::results) || function.declaration->getReturnType()->isVoidType()) return "";
  return function.declaration->getReturnType()->isPointerType() ? "(void *)" : "(void *)(long)";
}

std::string main_arguments(const Defined& main) {
  switch (main.declaration->getNumParams()) {
    case 0: return "";
    case 1: return "1";
    case 2: return "1, thrum_arguments";
    default: return "1, thrum_arguments, thrum_arguments + 1";
  }
}

std::string calls(const Program& program) {
  std::string text =
      "static void thrum_call(unsigned char thrum_t) {\n  switch (thrum_function[thrum_t]) {\n";
  for (std::size_t i = 1; i < program.thread_functions.size(); ++i) {
    const Defined& function = program.functions.at(program.thread_functions[i]);
    std::string result = result_of(program, function);
    std::string call = function.name + "(" + argument_of(program, function) + ");";
    // What a thread that ended early returns means nothing, or pthread_exit gave something else.
    text += "    case " + std::to_string(i) + ": ";
    text += result.empty() ? call + " break;\n"
                           : "{ void *thrum_r = " + result + call +
                                 " if (!thrum_raise) thrum_result[thrum_t] = thrum_r; break; }\n";
  }
  return text + "  }\n}\n";
}

std::string kiss_main(const Program& program) {
  return calls(program) + "int main(void) {\n  thrum_main(" +
         main_arguments(program.functions.at("thrum_main")) +
         ");\n"
         "  thrum_raise = 0;\n"
         "  thrum_schedule(); /* before the process ends, or where main ended early */\n"
         "  return 0;\n"
         "}\n";
}

std::string eager_main(const Program& program) {
  return calls(program) + "int main(void) {\n  thrum_guess();\n  thrum_main(" +
         main_arguments(program.functions.at("thrum_main")) +
         ");\n"
         "  for (thrum_self = 1; thrum_self < thrum_threads; ++thrum_self) {\n"
         "    thrum_raise = 0;\n"
         "    thrum_atomic = 0;\n"
         "    thrum_round = thrum_begins[thrum_self];\n"
         "    thrum_call(thrum_self);\n"
         "    if (!thrum_raise) thrum_finished[thrum_round][thrum_self] = 1;\n"
         "  }\n"
         "  thrum_compare();\n"
         "  if (thrum_failed) {\n"
         "    reach_error();\n"
         "    abort();\n"
         "  }\n"
         "  return 0;\n"
         "}\n";
}

std::string given_back(const std::string& result) {
  return result.empty() ? "" : "thrum_result[thrum_t] = " + result;
}

std::string lazy_main(const Program& program) {
  std::string frames, begin, resume;
  const Defined& main = program.functions.at("thrum_main");
  for (std::size_t i = 0; i < program.thread_functions.size(); ++i) {
    const Defined& function = program.functions.at(program.thread_functions[i]);
    std::string which = "    case " + std::to_string(i) + ": ";
    if (!function.visible) {
      std::string given = i == 0 ? main_arguments(main) : argument_of(program, function);
      resume += which + given_back(i == 0 ? "" : result_of(program, function)) + function.name + "(" + given +
                "); return 0;\n";
      continue;
    }
    std::string frame = "thrum_frame_of_" + function.name + (i == 0 ? "" : "[thrum_t]");
    frames += "static struct thrum_frame_" + function.name + " thrum_frame_of_" + function.name +
              (i == 0 ? "" : "[THRUM_THREADS]") + ";\n";
    begin += which;
    for (unsigned p = 0; p < function.parameters.size(); ++p) {
      static const std::array<const char*, 3> of_main = {"1", "thrum_arguments", "thrum_arguments + 1"};
      begin += frame + "." + function.parameters[p] + " = " +
               (i == 0 ? of_main.at(p) : argument_of(program, function)) + "; ";
    }
    begin += "break;\n";
    std::string result = i == 0 ? "" : result_of(program, function);
    resume += which + "if (thrum_run_" + function.name + "(&" + frame + ")) return 1; " +
              (result.empty() ? "" : given_back(result) + frame + ".thrum_result; ") + "return 0;\n";
  }
  return frames + "static void thrum_begin(unsigned char thrum_t) {\n  switch (thrum_function[thrum_t]) {\n" +
         begin +
         "    default: break;\n  }\n}\n"
         "static _Bool thrum_resume(unsigned char thrum_t) {\n  switch (thrum_function[thrum_t]) {\n" +
         resume +
         "    default: return 0;\n  }\n}\n"
         "int main(void) {\n"
         "  thrum_begin(0);\n"
         "  for (thrum_round = 0; thrum_round < THRUM_ROUNDS; ++thrum_round)\n"
         "    for (thrum_self = 0; thrum_self < thrum_threads; ++thrum_self) {\n"
         "      if (thrum_finished[thrum_self] || thrum_stopped[thrum_self]) continue;\n"
         "      if (thrum_resume(thrum_self)) continue;\n"
         "      if (thrum_self == 0) thrum_stopped[0] = 1; /* just before the process ends: others may go on "
         "*/\n"
         "      else thrum_finished[thrum_self] = 1;\n"
         "    }\n"
         "  return 0;\n"
         "}\n";
}

}  // namespace

std::string prelude(const Program& program) {
  const Options& options = program.options;
  if (options.form == Form::normal) return "";
  std::string text = "enum { THRUM_THREADS = " + number(options.threads);
  text += options.form == Form::kiss ? ", THRUM_PENDING = " + number(options.pending)
                                     : ", THRUM_ROUNDS = " + number(options.rounds);
  text += " };\n\n";
  text += kVerifier;
  if (options.form == Form::eager) text += kGuesses;
  text += options.form == Form::kiss ? kKiss : options.form == Form::lazy ? kLazy : kEager;
  text += threads(program);
  if (has(program, Feature::meeting)) text += kMeeting;
  if (has(program, Feature::choose)) text += kChoice;
  if (program.race) {
    text += kRace;
    text += options.form == Form::lazy ? "  thrum_stopped[thrum_self] = 1;\n" : "  thrum_raise = 1;\n";
    text += "  return 1;\n}\n";
  }
  return text;
}

std::string epilogue(const Program& program) {
  std::string text;
  if (program.options.form == Form::normal) {
    const Defined& main = program.functions.at("thrum_main");
    unsigned count = main.declaration->getNumParams();
    bool is_void = main.declaration->getReturnType()->isVoidType();
    return std::string(
               "int main(int argc, char **argv, char **envp) {\n  (void)argc;\n  (void)argv;\n  "
               "(void)envp;\n  ") +
           (is_void ? "" : "return ") + "thrum_main(" +
           (count == 0   ? ""
            : count == 1 ? "argc"
            : count == 2 ? "argc, argv"
                         : "argc, argv, envp") +
           ");\n}\n";
  }
  if (program.functions.at("thrum_main").declaration->getNumParams() > 1)
    text += "static char *thrum_arguments[] = {\"program\", 0, 0};\n";
  switch (program.options.form) {
    case Form::lazy: return text + lazy_main(program);
    case Form::eager: return text + eager_main(program);
    default: return text + kiss_main(program);
  }
}

}  // namespace thrum::seq
