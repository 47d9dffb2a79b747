// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// thrum-vm PROGRAM [ARGUMENT...]: runs the bitcode that the program carries, as the supervisor's job says.
// `thrum check --engine vm` starts it.
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "protocol/search_channel.hpp"
#include "vm_worker/loading.hpp"
#include "vm_worker/search.hpp"
#include "vm_worker/vm_process.hpp"
#include "vm_worker/worker_program.hpp"
#include "vm_worker/world.hpp"

namespace {

constexpr int kExitUsage = 2;

thrum::Report run(thrum::VmWorld& world, thrum::ThreadNames& names, std::vector<std::string> words) {
  thrum::Report report;
  try {
    const thrum::bitcode::Linked linked = thrum::load_program(words.front(), world.job());
    thrum::WorkerProgram program(*linked.code, world, names, std::move(words));
    thrum::VmProcess process(world, program);
    report = thrum::run_vm_search(world, process);
  } catch (const thrum::vm::Refused& refused) {
    report.refused = refused.why;
  }
  return report;
}

}  // namespace

int main(int count, char** words) {
  thrum::ThreadNames names;
  std::optional<thrum::VmWorld> world = thrum::VmWorld::enter(names);
  if (!world || count < 2) {
    std::fputs("thrum-vm: is started by thrum check --engine vm\n", stderr);
    return kExitUsage;
  }
  const thrum::Report report = run(*world, names, {words + 1, words + count});
  hand_in(world->channel(), report, names);
  world->channel().phase.store(thrum::Channel::Phase::reported, std::memory_order_release);
  return 0;
}
