// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bitcode/compared_constants.hpp"

#include <algorithm>

#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

namespace thrum::bitcode {

namespace {

constexpr std::size_t kMost = 44;

class Constants {
 public:
  bool is_full() const { return values_.size() == kMost; }

  void add(std::int64_t value) {
    const bool is_usual = value >= -1 && value <= 1;
    if (is_usual || is_full() || std::find(values_.begin(), values_.end(), value) != values_.end()) return;
    values_.push_back(value);
  }
  void add(const llvm::APInt& value) {
    if (value.getSignificantBits() <= 64) add(value.getSExtValue());
  }

  // A compiler turns `x >= 20 && x < 40` into `x - 20 < 20`.
  void add_of(const llvm::ICmpInst& compares) {
    const auto* const constant = llvm::dyn_cast<llvm::ConstantInt>(compares.getOperand(1));
    if (constant == nullptr) return;
    const llvm::APInt* added = nullptr;
    if (llvm::PatternMatch::match(
            compares.getOperand(0),
            llvm::PatternMatch::m_Add(llvm::PatternMatch::m_Value(), llvm::PatternMatch::m_APInt(added)))) {
      add(-*added);
      add(constant->getValue() - *added);
    }
    add(constant->getValue());
  }

  void add_neighbours() {
    const std::size_t count = values_.size();
    for (const std::int64_t step : {1, -1}) {
      for (std::size_t i = 0; i < count; ++i)
        add(static_cast<std::int64_t>(static_cast<std::uint64_t>(values_[i]) +
                                      static_cast<std::uint64_t>(step)));
    }
  }

  std::vector<std::int64_t> take() { return std::move(values_); }

 private:
  std::vector<std::int64_t> values_;
};

}  // namespace

std::vector<std::int64_t> compared_constants(const llvm::Module& module,
                                             const std::unordered_set<std::string>& quiet) {
  Constants constants;
  for (const llvm::Function& function : module) {
    if (function.isDeclaration() || quiet.contains(function.getName().str())) continue;
    for (const llvm::Instruction& one : llvm::instructions(function)) {
      if (constants.is_full()) break;
      if (const auto* const compares = llvm::dyn_cast<llvm::ICmpInst>(&one)) constants.add_of(*compares);
      const auto* const chooses = llvm::dyn_cast<llvm::SwitchInst>(&one);
      if (chooses == nullptr) continue;
      for (const auto& way : chooses->cases()) constants.add(way.getCaseValue()->getValue());
    }
  }
  constants.add_neighbours();
  return constants.take();
}

}  // namespace thrum::bitcode
