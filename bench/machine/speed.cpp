// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How fast the machine is: `scripts/machine` compiles the programs and runs this.
//
//   machine_speed run FILE        instructions, seconds; of main, to its end
//   machine_speed search FILE N   seconds for N executions by a random strategy, with races looked for
//
// FILE is bitcode that needs no library. Instructions are counted by a second loop, in a run whose time does
// not count.

#include <time.h>

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "bitcode/reader.hpp"
#include "campaign/explore.hpp"
#include "campaign/strategies.hpp"
#include "vm/run.hpp"
#include "vm/vm_program.hpp"

namespace {

using namespace thrum;

// Of the processor, since others may use the computer.
double seconds_now() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

vm::Stop run_counting(vm::Machine* machine, vm::Thread* thread, std::uint32_t* handlers) {
  return vm::run_loop<false, true>(machine, thread, handlers);
}

bitcode::Linked linked(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  return bitcode::link({{file, bytes.str()}}, {});
}

// Seconds of main. The machine's memory lies at fixed addresses, so there is one machine at a time.
double run_once(const std::string& file, vm::Loop loop) {
  const bitcode::Linked program = linked(file);
  vm::MachineSettings settings;
  settings.loop = loop;
  settings.arguments = {"program"};
  ThreadNames names;
  vm::Machine machine(*program.code, settings, names);
  const double begin = seconds_now();
  machine.prepare();
  const double seconds = seconds_now() - begin;
  if (!machine.ended_early() || machine.trace->end != End::finished) {
    std::cerr << file << ": does not run to its end: " << machine.trace->failure.message << machine.refused
              << "\n";
    std::exit(2);
  }
  return seconds;
}

void run(const std::string& file) {
  const double seconds = run_once(file, vm::run_concrete);
  run_once(file, run_counting);
  std::cout << vm::loop::counted << " " << seconds << "\n";
}

void search(const std::string& file, std::uint64_t executions) {
  const bitcode::Linked program = linked(file);
  vm::MachineSettings settings;
  settings.arguments = {"program"};
  ThreadNames names;
  vm::VmProgram vm_program(*program.code, settings, names);
  Limits limits;
  limits.executions = executions;
  limits.now = seconds_now;
  limits.out_of_time = [] { return false; };
  limits.announce = [](const Plan&) {};
  limits.note_bug = [](const FoundBug&) {};
  limits.note_level = [](const SearchResult&) {};
  const auto strategy = make_strategy("random", {});
  const SearchResult result = explore(vm_program, *strategy, limits);
  if (!result.bugs.empty() || result.executions != executions) {
    std::cerr << file << ": " << result.executions << " executions, " << result.bugs.size() << " bugs\n";
    std::exit(2);
  }
  std::cout << result.executions << " " << result.seconds << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::string what = argc > 1 ? argv[1] : "";
    if (what == "run" && argc == 3)
      run(argv[2]);
    else if (what == "search" && argc == 4)
      search(argv[2], std::strtoull(argv[3], nullptr, 10));
    else {
      std::cerr << "machine_speed run FILE | search FILE N\n";
      return 2;
    }
  } catch (const vm::Refused& refused) {
    std::cerr << refused.why << "\n";
    return 2;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
  return 0;
}
