// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A linked module as the machine's code: addresses of variables and functions, what memory holds at first,
// and names. What functions do is decoded one by one (function_decoder.hpp).
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>

#include "bitcode/leaves.hpp"
#include "vm/code.hpp"

namespace thrum::bitcode {

class ModuleDecoder {
 public:
  // quiet: names of functions that come from a library that is not instrumented. is_for_states: the code
  // tells what a search of states asks of it (reader.hpp, CodeUse).
  ModuleDecoder(std::unique_ptr<llvm::LLVMContext> context, std::unique_ptr<llvm::Module> module,
                std::unordered_set<std::string> quiet, bool is_for_states);

  // Decodes all but the functions. Throws vm::Refused.
  void decode();

  vm::Code& code() { return code_; }
  bool is_for_states() const { return is_for_states_; }
  const llvm::DataLayout& layout() const { return module_->getDataLayout(); }

  vm::Function& function_of(const llvm::Function& function);
  // A function of the machine that the program does not name itself.
  vm::Function& external_function(const char* name);
  const llvm::Function& source_of(const vm::Function& function) const { return *sources_[function.number]; }
  // The address of a variable; of a thread-local one: in the storage.
  std::uint64_t address_of(const llvm::GlobalVariable& variable) const;
  std::uint64_t alignment_of(const llvm::GlobalVariable& variable) const;

  // A constant's slots, in order. Throws vm::Refused.
  std::vector<std::uint64_t> words_of(const llvm::Constant& constant);
  // Its location; 0 stands for none.
  std::uint32_t location_of(const llvm::DILocation* location, const llvm::Function& function);

 private:
  void add_functions();
  void add_variables();
  void add_contents();
  void add_constructors();
  std::vector<vm::Function*> list_of(const char* name);
  void add_words(const llvm::Constant& constant, std::vector<std::uint64_t>& words);
  std::uint64_t word_of(const llvm::Constant& constant);
  std::uint64_t word_of_expression(const llvm::ConstantExpr& expression);
  void write(const llvm::Constant& constant, std::uint8_t* to);
  std::uint32_t text_number(std::string_view text);

  std::unique_ptr<llvm::LLVMContext> context_;
  std::unique_ptr<llvm::Module> module_;
  std::unordered_set<std::string> quiet_;
  bool is_for_states_;
  vm::Code code_;
  std::unordered_map<const llvm::Function*, vm::Function*> functions_;
  std::vector<const llvm::Function*> sources_;  // by number
  std::unordered_map<const llvm::GlobalVariable*, std::uint64_t> addresses_;
  std::vector<const llvm::GlobalVariable*> external_variables_;
  std::uint64_t local_size_ = 0;
  std::unordered_map<std::string, std::uint32_t> text_numbers_;
  std::unordered_map<const llvm::DILocation*, std::uint32_t> location_numbers_;
  std::unordered_map<const llvm::DISubprogram*, std::uint32_t> function_locations_;
};

}  // namespace thrum::bitcode
