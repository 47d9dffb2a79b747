// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/engine.hpp"

#include "runtime/base/world.hpp"

namespace thrum {

constinit Engine engine;
bool shares_search = false;

namespace {

[[noreturn]] void leave() {
  Context dead;
  switch_to(dead, engine.context, engine.fs_base);
  __builtin_unreachable();
}

[[noreturn]] void run_again(Again again) {
  engine.again = again;
  leave();
}

}  // namespace

void switch_to_engine() { switch_to(running_thread().context, engine.context, engine.fs_base); }

void end_execution() { leave(); }

void cut_execution(End end) {
  engine.trace->end = end;
  leave();
}

void start_anew() { run_again(Again::same); }

void need_more_threads() { run_again(Again::more_threads); }

void restart_search() {
  world.restarts = true;
  cut_execution(End::uncontrolled);
}

void need_library() {
  engine.again = Again::library;
  restart_search();
}

void stay_alone(const std::string& why) {
  if (world.alone != nullptr) return;
  world.alone = (new std::string(why))->c_str();
  if (shares_search && world.running) restart_search();
}

}  // namespace thrum
