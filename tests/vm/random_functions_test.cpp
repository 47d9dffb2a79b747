// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random functions do in the machine as they do natively, compiled from the same bitcode.
//
// THRUM_VM_FUNCTIONS says how many, THRUM_VM_SEED the seed of the first module. A module in which one differs
// is made small: first all other functions go, then instruction by instruction. THRUM_VM_KEEP names a file
// for what is left.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "programs/child_process.hpp"
#include "vm/machine_run.hpp"
#include "vm/random_function.hpp"

namespace {

namespace fs = std::filesystem;
using Module = std::unique_ptr<llvm::Module>;

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

void write(const llvm::Module& module, const std::string& path) {
  std::string bytes;
  llvm::raw_string_ostream out(bytes);
  llvm::WriteBitcodeToFile(module, out);
  std::ofstream(path, std::ios::binary) << out.str();
}

class RandomFunctions : public testing::Test {
 protected:
  void SetUp() override {
    if (run_child({"clang-19", "--version"}, {}, kSeconds).exit_code != 0)
      GTEST_SKIP() << "there is no clang-19";
    std::string pattern = fs::temp_directory_path().string() + "/thrum-vm-XXXXXX";
    if (mkdtemp(pattern.data()) != nullptr) work_ = pattern;
    ASSERT_FALSE(work_.empty());
  }
  void TearDown() override {
    if (!work_.empty()) fs::remove_all(work_);
  }

  struct Outcome {
    bool is_native = false;  // compiled, run to its end
    std::string native;
    MachineRun machine;
    bool agrees() const { return machine.problem.empty() && machine.status == 0 && machine.output == native; }
  };
  Outcome outcome(const llvm::Module& module) const {
    Outcome result;
    const std::string bitcode = work_ + "/program.bc", program = work_ + "/program";
    write(module, bitcode);
    const ChildResult compiled =
        run_child({"clang-19", "-w", "-O1", "-Xclang", "-disable-llvm-passes", bitcode, "-o", program, "-lm"},
                  {}, kSeconds);
    if (compiled.exit_code != 0) {
      result.native = compiled.errors;
      return result;
    }
    const ChildResult native = run_child({program}, {}, kSecondsToRun);
    result.native = native.output;
    result.is_native = native.exit_code == 0;
    if (result.is_native) result.machine = run_in_machine({bitcode}, {});
    return result;
  }

  // Whether it is valid, runs natively, and not so in the machine.
  bool fails(const llvm::Module& module) const {
    if (llvm::verifyModule(module)) return false;
    const Outcome result = outcome(module);
    return result.is_native && !result.agrees();
  }

  Module shrunk(Module module, const Outcome& first) const;

 private:
  Module without_other_functions(const llvm::Module& module, const Outcome& first) const;
  bool try_without(Module& module, const std::string& function, std::size_t at) const;

  static constexpr int kSeconds = 300;
  static constexpr int kSecondsToRun = 5;
  std::string work_;
};

// The numbers of functions of which a line is not as it is natively.
std::set<int> wrong_functions(const std::string& native, const std::string& machine) {
  std::istringstream a(native), b(machine);
  std::set<int> wrong;
  std::string expected, line;
  while (std::getline(a, expected)) {
    line.clear();
    std::getline(b, line);
    if (line != expected) wrong.insert(std::atoi(expected.c_str()));
  }
  return wrong;
}

// main calls one function only, and what nothing refers to is gone.
Module with_function(const llvm::Module& module, int number) {
  Module copy = llvm::CloneModule(module);
  llvm::BasicBlock& calls = copy->getFunction("main")->getEntryBlock();
  const std::string name = "f" + std::to_string(number);
  std::vector<llvm::CallInst*> others;
  for (llvm::Instruction& instruction : calls) {
    auto* const call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (call != nullptr && call->getCalledFunction()->getName().starts_with("f") &&
        call->getCalledFunction()->getName() != name)
      others.push_back(call);
  }
  for (llvm::CallInst* call : others) {
    llvm::cast<llvm::Instruction>(call->user_back())->eraseFromParent();
    call->eraseFromParent();
  }
  for (bool changes = true; changes;) {
    changes = false;
    for (llvm::Function& function : llvm::make_early_inc_range(*copy)) {
      if (function.getName() == "main" || !function.use_empty()) continue;
      function.eraseFromParent();
      changes = true;
    }
  }
  return copy;
}

Module RandomFunctions::without_other_functions(const llvm::Module& module, const Outcome& first) const {
  for (int number : wrong_functions(first.native, first.machine.output)) {
    Module one = with_function(module, number);
    if (fails(*one)) return one;
  }
  return llvm::CloneModule(module);
}

// Puts a null value in the place of the instruction at that place, if it fails all the same.
bool RandomFunctions::try_without(Module& module, const std::string& function, std::size_t at) const {
  Module copy = llvm::CloneModule(*module);
  std::size_t number = 0;
  for (llvm::BasicBlock& block : *copy->getFunction(function)) {
    for (llvm::Instruction& instruction : block) {
      if (number++ != at) continue;
      if (instruction.isTerminator()) {
        auto* const branch = llvm::dyn_cast<llvm::BranchInst>(&instruction);
        if (branch == nullptr || !branch->isConditional()) return false;
        llvm::BasicBlock* const left = branch->getSuccessor(0);
        if (left == branch->getSuccessor(1) || left == &block) return false;
        left->removePredecessor(&block);
        llvm::BranchInst::Create(branch->getSuccessor(1), &block);
        branch->eraseFromParent();
      } else {
        if (!instruction.getType()->isVoidTy())
          instruction.replaceAllUsesWith(llvm::Constant::getNullValue(instruction.getType()));
        instruction.eraseFromParent();
      }
      if (!fails(*copy)) return false;
      module = std::move(copy);
      return true;
    }
  }
  return false;
}

Module RandomFunctions::shrunk(Module module, const Outcome& first) const {
  Module result = without_other_functions(*module, first);
  std::vector<std::string> names;
  for (const llvm::Function& function : *result) {
    if (!function.isDeclaration()) names.push_back(function.getName().str());
  }
  const std::uint64_t tries_max = from_environment("THRUM_VM_TRIES", 300);
  std::uint64_t tries = 0;
  for (bool changes = true; changes;) {
    changes = false;
    for (const std::string& name : names) {
      for (std::size_t at = result->getFunction(name)->getInstructionCount(); at-- > 0;) {
        if (++tries > tries_max) return result;
        changes = try_without(result, name, at) || changes;
      }
    }
  }
  return result;
}

std::string text_of(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  module.print(out, nullptr);
  return out.str();
}

TEST_F(RandomFunctions, DoAsNatively) {
  constexpr int kModule = 50;
  const auto wanted = static_cast<int>(from_environment("THRUM_VM_FUNCTIONS", 50));
  const std::uint64_t first = from_environment("THRUM_VM_SEED", 1);
  for (int done = 0; done < wanted; done += kModule) {
    const std::uint64_t seed = first + static_cast<std::uint64_t>(done / kModule);
    llvm::LLVMContext context;
    Module module = random_module(context, seed, std::min(kModule, wanted - done));
    std::string problem;
    llvm::raw_string_ostream out(problem);
    ASSERT_FALSE(llvm::verifyModule(*module, &out)) << "seed " << seed << ": " << problem;
    const Outcome result = outcome(*module);
    const char* const kept = std::getenv("THRUM_VM_KEEP");
    if (!result.is_native && kept != nullptr) write(*module, kept);
    ASSERT_TRUE(result.is_native) << "seed " << seed << ": " << result.native;
    ASSERT_NE(result.native, "");
    if (result.agrees()) continue;
    std::string numbers;
    for (int number : wrong_functions(result.native, result.machine.output))
      numbers += " " + std::to_string(number);
    const Module small = shrunk(std::move(module), result);
    const Outcome left = outcome(*small);
    if (kept != nullptr) write(*small, kept);
    FAIL() << "seed " << seed << ", functions" << numbers << "\n"
           << result.machine.problem << "\nmade small: " << left.machine.problem << "\nnatively:\n"
           << left.native << "in the machine:\n"
           << left.machine.output << text_of(*small);
  }
}

}  // namespace
