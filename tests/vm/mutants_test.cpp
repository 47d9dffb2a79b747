// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Broken bitcode is refused, or it is valid and runs to some end.
//
// LLVM may abort, or loop, when it reads what is broken; users see that as a refusal, since a process of its
// own reads. So processes try mutants one after the other, and tell how far they came: one that dies while
// LLVM alone reads is a refusal, one that dies later a mistake of ours. THRUM_VM_MUTANTS says how many are
// tried.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <random>

#include <fcntl.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/DiagnosticHandler.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bitcode/reader.hpp"
#include "vm/code.hpp"
#include "vm/machine.hpp"
#include "vm/random_function.hpp"

namespace {

using namespace thrum;

enum class Step { reading, decoding, running };

// What a process tells of the mutants that it has tried; both sides see it.
struct Progress {
  std::uint64_t mutant = 0;
  Step step = Step::reading;
  std::uint64_t refused = 0;
  std::uint64_t valid = 0;
};

std::uint64_t number_of(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

std::vector<std::string> programs() {
  constexpr std::uint64_t kPrograms = 12;
  std::vector<std::string> all;
  for (std::uint64_t seed = 1; seed <= kPrograms; ++seed) {
    llvm::LLVMContext context;
    llvm::raw_string_ostream out(all.emplace_back());
    llvm::WriteBitcodeToFile(*random_module(context, seed, 1), out);
  }
  return all;
}

// One to four changes: a bit, a byte, a range that is cut, copied, or taken from another program.
std::string mutant(const std::vector<std::string>& programs, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&random](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  std::string bytes = programs[below(programs.size())];
  for (std::size_t changes = 1 + below(4); changes != 0; --changes) {
    constexpr std::size_t kRange = 64;
    const std::size_t at = below(bytes.size() - kRange), length = 1 + below(kRange);
    switch (below(8)) {
      case 0: bytes[at] = static_cast<char>(random()); break;
      case 1: bytes.erase(at, length / 4 * 4); break;
      case 2: bytes.replace(below(bytes.size() - kRange), length, bytes.substr(at, length)); break;
      case 3: {
        const std::string& other = programs[below(programs.size())];
        bytes.replace(at, length, other.substr(below(other.size() - kRange), length));
        break;
      }
      default: bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
    }
  }
  return bytes;
}

class Silent final : public llvm::DiagnosticHandler {
 public:
  bool handleDiagnostics(const llvm::DiagnosticInfo& /*info*/) override { return true; }
};

// Whether LLVM reads it and takes it for valid.
bool is_readable(const std::string& bytes) {
  llvm::LLVMContext context;
  context.setDiagnosticHandler(std::make_unique<Silent>());
  auto module = llvm::parseBitcodeFile({bytes, "mutant"}, context);
  if (!module) {
    llvm::consumeError(module.takeError());
    return false;
  }
  return !llvm::verifyModule(**module);
}

// Of loops and calls: what is broken may go round for ever.
constexpr std::uint64_t kRoundsMax = 20'000'000;

void run(vm::Code& code) {
  for (const auto& function : code.functions) {
    if (function->is_decoded) vm::bind_handlers(*function);
  }
  ThreadNames names;
  vm::MachineSettings settings;
  settings.arguments = {"program"};
  settings.instructions = kRoundsMax;
  vm::Machine machine(code, settings, names);
  machine.prepare();
  if (machine.ended_early()) return;
  const Plan plan;
  Trace trace;
  machine.execute(plan, nullptr, Wanted::everything(), trace);
}

constexpr unsigned kSeconds = 60;

// In a process of its own: the machine's memory has fixed addresses. What it ends by, 0: by itself.
int signal_of_run(vm::Code& code) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(kSeconds);
    try {
      run(code);
    } catch (const vm::Refused&) {
      // A function that is decoded when it is called.
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

// All mutants from progress.mutant on.
[[noreturn]] void try_mutants(const std::vector<std::string>& programs, std::uint64_t first,
                              std::uint64_t end, Progress& progress) {
  const int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, STDERR_FILENO);
  for (; progress.mutant < end; ++progress.mutant) {
    progress.step = Step::reading;
    constexpr unsigned kSecondsToRead = 10;
    alarm(kSecondsToRead);
    const std::string bytes = mutant(programs, first + progress.mutant);
    if (!is_readable(bytes)) {
      ++progress.refused;
      continue;
    }
    progress.step = Step::decoding;
    alarm(kSeconds);
    try {
      const bitcode::Linked linked = bitcode::link({{"mutant", bytes}}, {});
      progress.step = Step::running;
      alarm(2 * kSeconds);
      if (const int signal = signal_of_run(*linked.code)) {
        std::signal(signal, SIG_DFL);
        std::raise(signal);
      }
      ++progress.valid;
    } catch (const vm::Refused& refused) {
      if (refused.why.find('\n') != std::string::npos) std::abort();
      ++progress.refused;
    }
  }
  _exit(0);
}

TEST(BitcodeMutants, AreRefusedOrRun) {
  const std::vector<std::string> originals = programs();
  const std::uint64_t wanted = number_of("THRUM_VM_MUTANTS", 1000), first = number_of("THRUM_VM_SEED", 1);
  auto* const progress = static_cast<Progress*>(
      mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(progress, MAP_FAILED);
  *progress = {};
  std::uint64_t died = 0, crashed = 0;
  while (progress->mutant < wanted) {
    const pid_t child = fork();
    if (child == 0) try_mutants(originals, first, wanted, *progress);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && progress->mutant == wanted) break;
    const std::uint64_t seed = first + progress->mutant++;
    if (progress->step == Step::reading) {
      ++died;
      continue;
    }
    ++crashed;
    if (const char* const kept = std::getenv("THRUM_VM_KEEP"))
      std::ofstream(kept + std::to_string(seed), std::ios::binary) << mutant(originals, seed);
    ADD_FAILURE() << "seed " << seed << ": "
                  << (progress->step == Step::decoding ? "the decoder" : "the machine") << " dies by signal "
                  << WTERMSIG(status);
  }
  std::cout << wanted << " mutants: " << progress->refused << " refused, " << died
            << " refused by a death of the reader, " << progress->valid << " valid, " << crashed
            << " crashed\n";
  EXPECT_EQ(progress->refused + died + progress->valid + crashed, wanted);
  EXPECT_GT(progress->refused, 0U);
  EXPECT_GT(progress->valid, 0U);
}

}  // namespace
