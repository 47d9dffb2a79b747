// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/machine_run.hpp"

#include <charconv>
#include <exception>
#include <fstream>
#include <sstream>

#include <sys/wait.h>
#include <unistd.h>

#include "bitcode/reader.hpp"
#include "vm/code.hpp"
#include "vm/machine.hpp"

namespace {

using namespace thrum;

bitcode::Input input(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  return {path, bytes.str()};
}

std::vector<bitcode::Input> inputs(const std::vector<std::string>& paths) {
  std::vector<bitcode::Input> all;
  for (const std::string& path : paths) all.push_back(input(path));
  return all;
}

// What the machine says of an exit with another status than 0.
constexpr std::string_view kExits = "the program exits with status ";

MachineRun end_of(const vm::Machine& machine) {
  MachineRun run;
  run.output = machine.output;
  const Trace& trace = *machine.trace;
  if (trace.end == End::finished) {
    run.status = 0;
  } else if (trace.end == End::bug && trace.failure.kind == BugKind::nonzero_exit &&
             trace.failure.message.starts_with(kExits)) {
    const std::string_view status = std::string_view(trace.failure.message).substr(kExits.size());
    std::from_chars(status.data(), status.data() + status.size(), run.status);
  } else {
    run.problem = trace.failure.message + machine.refused + " (end " +
                  std::to_string(static_cast<int>(trace.end)) + ")";
  }
  return run;
}

MachineRun run_here(const std::vector<std::string>& program, const std::vector<std::string>& libraries) {
  try {
    const bitcode::Linked linked = bitcode::link(inputs(program), inputs(libraries));
    for (const auto& function : linked.code->functions) {
      if (function->is_decoded) vm::bind_handlers(*function);
    }
    ThreadNames names;
    vm::MachineSettings settings;
    settings.arguments = {"program"};
    vm::Machine machine(*linked.code, settings, names);
    machine.prepare();
    if (machine.ended_early()) return end_of(machine);
    // The second execution begins where the first one began.
    const Plan plan;
    Trace trace, again;
    machine.execute(plan, nullptr, Wanted::everything(), trace);
    MachineRun run = end_of(machine);
    machine.execute(plan, nullptr, Wanted::everything(), again);
    if (run.problem.empty() && end_of(machine).output != run.output)
      run.problem = "the second execution prints: " + machine.output;
    return run;
  } catch (const vm::Refused& refused) {
    return {-1, "", "refused: " + refused.why};
  } catch (const std::exception& error) {
    return {-1, "", std::string("internal: ") + error.what()};
  }
}

// The status and the length of the problem, then that, then the output.
std::string packed(const MachineRun& run) {
  return std::to_string(run.status) + " " + std::to_string(run.problem.size()) + "\n" + run.problem +
         run.output;
}
MachineRun unpacked(const std::string& text) {
  std::istringstream in(text);
  MachineRun run;
  std::size_t length = 0;
  std::string end;
  if (!(in >> run.status >> length) || !std::getline(in, end)) return {-1, "", "the machine's process died"};
  const auto begin = static_cast<std::size_t>(in.tellg() < 0 ? static_cast<long>(text.size())
                                                             : static_cast<long>(in.tellg()));
  run.problem = text.substr(begin, length);
  run.output = text.substr(begin + length);
  return run;
}

}  // namespace

MachineRun run_in_machine(const std::vector<std::string>& program,
                          const std::vector<std::string>& libraries) {
  int ends[2];
  if (pipe(ends) != 0) return {-1, "", "there is no pipe"};
  const pid_t child = fork();
  if (child == 0) {
    constexpr unsigned kSecondsMax = 120;
    alarm(kSecondsMax);
    close(ends[0]);
    const std::string result = packed(run_here(program, libraries));
    for (std::size_t done = 0; done < result.size();) {
      const ssize_t count = write(ends[1], result.data() + done, result.size() - done);
      if (count <= 0) _exit(1);
      done += static_cast<std::size_t>(count);
    }
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char part[4096];
  for (ssize_t count = 0; (count = read(ends[0], part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(count));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return unpacked(text);
}
