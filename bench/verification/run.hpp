// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each program of this folder is made of: a State, and what each of its threads does with it.
//
// -DBARE=N leaves out the threads: the bodies are called one after the other, N times, on a fresh state each
// time. What that takes is the physical limit, but for what another order would take.
#pragma once

#include <pthread.h>

#include <cassert>
#include <new>

#ifdef BARE
constexpr bool kIsBare = true;  // nobody may wait for a later thread
#else
constexpr bool kIsBare = false;
#endif

template <class State>
struct Running {
  State* state;
  int thread;
  void (*body)(State&, int);
};

template <class State>
void* run_one(void* argument) {
  auto* mine = static_cast<Running<State>*>(argument);
  mine->body(*mine->state, mine->thread);
  return nullptr;
}

// Threads 0, 1, ... up to so many.
template <class State>
int run_threads(int count, void (*body)(State&, int)) {
  static State state;
#ifdef BARE
  for (long round = 0; round < BARE; ++round) {
    new (&state) State;
    for (int thread = 0; thread < count; ++thread) body(state, thread);
  }
#else
  constexpr int kThreadsMax = 64;
  static Running<State> running[kThreadsMax];
  pthread_t threads[kThreadsMax];
  assert(count <= kThreadsMax);
  for (int thread = 0; thread < count; ++thread) {
    running[thread] = {&state, thread, body};
    pthread_create(&threads[thread], nullptr, run_one<State>, &running[thread]);
  }
  for (int thread = 0; thread < count; ++thread) pthread_join(threads[thread], nullptr);
#endif
  return 0;
}
