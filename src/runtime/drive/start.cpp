// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/drive/start.hpp"

#include <cerrno>
#include <string>

#include "runtime/base/fiber.hpp"
#include "runtime/base/notes.hpp"
#include "runtime/base/section_functions.hpp"
#include "runtime/base/world.hpp"
#include "runtime/drive/inputs.hpp"
#include "runtime/drive/native_program.hpp"
#include "runtime/drive/native_search.hpp"
#include "runtime/drive/native_worker.hpp"
#include "runtime/kernel/descriptors.hpp"
#include "runtime/kernel/output.hpp"
#include "runtime/kernel/system_call_watch.hpp"
#include "runtime/memory/heap.hpp"
#include "runtime/memory/mappings.hpp"
#include "runtime/memory/memory_limit.hpp"
#include "runtime/threads/failure.hpp"
#include "runtime/threads/invariants.hpp"
#include "runtime/threads/reach_error.hpp"
#include "runtime/threads/scheduler.hpp"
#include "runtime/threads/test_framework.hpp"
#include "runtime/threads/thread_pool.hpp"

namespace thrum {

namespace {

constexpr std::size_t kThreadsAtFirst = 9;

// Runs on the engine's own stack.
void run_engine() {
  take_snapshot();
  world.channel->phase.store(Channel::Phase::searching, std::memory_order_release);
  run_search();
}

}  // namespace

// Prepares what must be ready before the program's first call of any kind.
void initialize() {
  if (world.mode == Mode::checking) refuse_in_invariant("calls a function that Thrum controls");
  if (world.mode != Mode::undecided || !enter_world()) return;
  initialize_worker();
  the_heap.initialize();
  the_memory_limit.begin(world.job->program_memory);
  mappings().initialize();
  descriptors().initialize();
  scheduler().start_main();
  install_signal_handlers();
  trap_reach_error();
  limit_steps(0);
  world.watches_memory = world.job->races != Races::ignore;
}

void begin_search() {
  if (is_loading()) {
    lose_control(
        "uncontrolled-threads",
        "the constructors of a library that is loaded in an execution start a thread or make a choice");
  }
  if (world.job->only_list && !test_framework().is_present()) report_without_search(nullptr);
  if (const std::uint64_t size = ThreadPool::size_of_storage(); size > ThreadPool::kStorageMax) {
    lose_control("uncontrolled-threads", "the thread-local storage takes " + std::to_string(size) +
                                             " bytes, and threads have room for " +
                                             std::to_string(ThreadPool::kStorageMax));
  }
  const int program_errno = errno;
  Output::prepare();
  find_section_functions();
  trap_reach_error();
  thread_pool().grow(kThreadsAtFirst);
  Thread& main = scheduler().thread_in_slot(0);
  thread_pool().describe_main(main);
  main.life = Life::unsettled;
  Context engine_context = new_context(new_engine_stack(), run_engine, kInitialModes);
  install_signal_handlers();  // again: the program may have replaced them
  watch_system_calls();
  switch_to(main.context, engine_context, 0);
  if (notes().inputs_drawn()) choose_inputs();
  errno = program_errno;
}

}  // namespace thrum
