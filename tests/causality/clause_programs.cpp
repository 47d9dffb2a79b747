// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "causality/clause_programs.hpp"

namespace thrum {

namespace {

using Compared = ClauseProgram::Compared;

constexpr ClauseProgram kPrograms[] = {
    {"one down takes one token, so that the other one is not stuck", Compared::values, R"(thread t0
  create t1
  create t2
thread t1
  up s0
  up s0
thread t2
  down s0
  down s0
)"},
    {"a waiter is woken once, so that the second signal is for the other one", Compared::values, R"(thread t0
  create t1
  create t2
  create t3
thread t1
  lock m0
  add x0 r0 1
  wait c0 m0
  unlock m0
thread t2
  lock m0
  add x0 r0 1
  wait c0 m0
  unlock m0
thread t3
  lock m0
  load x0 r0
  skip r0 2 2
  unlock m0
  down s1
  signal c0
  signal c0
  unlock m0
)"},
    {"a signal wakes one waiter", Compared::values, R"(thread t0
  create t1
  create t2
  create t3
thread t1
  lock m0
  wait c0 m0
  unlock m0
  add x1 r0 1
thread t2
  lock m0
  wait c0 m0
  unlock m0
  add x1 r0 1
thread t3
  lock m0
  signal c0
  unlock m0
)"},
    {"who has waited long enough takes no signal, and is known to wait first", Compared::values, R"(thread t0
  create t3
  create t1
  create t2
thread t1
  lock m0
  add x0 r0 1
  timedwait c0 m0 r1 1
  unlock m0
  skip r1 0 1
  down s0
thread t2
  lock m0
  add x0 r0 1
  wait c0 m0
  unlock m0
thread t3
  lock m0
  load x0 r0
  skip r0 2 2
  unlock m0
  down s1
  signal c0
  unlock m0
)"},
    {"who has waited long enough takes no signal, and the signal is known first", Compared::values,
     R"(thread t0
  create t1
  create t2
  create t3
  store x1 1
thread t1
  lock m0
  add x0 r0 1
  load x1 r1
  skip r1 0 1
  timedwait c0 m0 r2 1
  unlock m0
  skip r2 0 1
  down s0
thread t2
  lock m0
  add x0 r0 1
  load x1 r1
  skip r1 0 1
  wait c0 m0
  unlock m0
thread t3
  lock m0
  load x0 r0
  skip r0 2 2
  unlock m0
  down s1
  signal c0
  unlock m0
)"},
    {"a timed wait does not last for ever, though its mutex is held", Compared::paths, R"(thread t0
  create t1
  create t2
thread t1
  lock m0
  timedwait c0 m0 r1 1
  unlock m0
thread t2
  lock m0
)"},
    {"a lock orders what was done before it was released", Compared::races, R"(thread t0
  create t1
  create t2
thread t1
  write p0 1
  lock m0
  store.relaxed x0 1
  unlock m0
thread t2
  lock m0
  load.relaxed x0 r0
  unlock m0
  skip r0 0 1
  read p0 r1
)"},
    {"a relaxed store passes on what came before a release fence", Compared::races, R"(thread t0
  create t1
  create t2
thread t1
  write p0 1
  fence.release
  store.relaxed x0 1
thread t2
  load.acquire x0 r0
  skip r0 0 1
  read p0 r1
)"},
    {"a compare-exchange acquires", Compared::races, R"(thread t0
  create t1
  create t2
thread t1
  write p0 1
  store.release x0 1
thread t2
  cas.acquire x0 r0 1 2
  skip r0 0 1
  read p0 r1
)"},
    {"a relaxed update passes on what it has read", Compared::races, R"(thread t0
  create t1
  create t2
  create t3
thread t1
  write p0 1
  store.release x0 1
thread t2
  add.relaxed x0 r0 2
thread t3
  load.acquire x0 r0
  skip r0 0 3
  skip r0 1 2
  skip r0 2 1
  read p0 r1
)"},
    {"only one of them writes", Compared::races, R"(thread t0
  create t1
  create t2
thread t1
  cas.relaxed x0 r0 0 1
  skip r0 0 1
  write p0 1
thread t2
  cas.relaxed x0 r0 0 2
  skip r0 0 1
  write p0 2
)"},
    {"a compare-exchange that fails writes nothing", Compared::races, R"(thread t0
  create t1
  store x1 1
  create t2
thread t1
  cas.relaxed x1 r0 0 0
  skip r0 1 1
  store.relaxed x0 1
thread t2
  load.relaxed x0 r1
  skip r1 0 1
  peek x1 r2
)"},
    {"nothing comes behind a failure", Compared::races, R"(thread t0
  create t1
  create t2
  create t3
thread t1
  cas.relaxed x0 r0 0 1
  skip r0 0 3
  write p0 1
  store.relaxed x1 1
  equal r0 0
thread t2
  cas.relaxed x0 r0 0 2
  skip r0 0 1
  store.relaxed x1 1
thread t3
  load.relaxed x1 r0
  skip r0 0 1
  write p0 2
)"},
};

}  // namespace

std::span<const ClauseProgram> clause_programs() { return kPrograms; }

}  // namespace thrum
