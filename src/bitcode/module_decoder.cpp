// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bitcode/module_decoder.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>
#include <llvm/Support/raw_ostream.h>

#include "bitcode/compared_constants.hpp"
#include "bitcode/constrained.hpp"
#include "vm/address_space.hpp"
#include "vm/externals.hpp"

namespace thrum::bitcode {

using vm::Refused;

namespace {

constexpr std::uint64_t kRedZone = 16;  // between variables
constexpr std::string_view kSectionPrefix = "__VERIFIER_atomic_";

std::uint64_t up(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

bool is_section_name(std::string_view name) {
  if (!name.starts_with(kSectionPrefix)) return false;
  name.remove_prefix(kSectionPrefix.size());
  return !name.starts_with("begin") && !name.starts_with("end");
}

// What LLVM keeps for itself.
bool is_metadata(const llvm::GlobalVariable& variable) {
  return variable.getName().starts_with("llvm.") || variable.getSection() == "llvm.metadata";
}

std::uint64_t low_bits(const llvm::APInt& value, unsigned from) {
  const unsigned width = value.getBitWidth();
  if (from >= width) return 0;
  return value.extractBitsAsZExtValue(std::min(64U, width - from), from);
}

}  // namespace

ModuleDecoder::ModuleDecoder(std::unique_ptr<llvm::LLVMContext> context, std::unique_ptr<llvm::Module> module,
                             std::unordered_set<std::string> quiet, bool is_for_states)
    : context_(std::move(context)),
      module_(std::move(module)),
      quiet_(std::move(quiet)),
      is_for_states_(is_for_states) {
  code_.locations.emplace_back();
  text_number("");
}

void ModuleDecoder::decode() {
  if (!module_->getModuleInlineAsm().empty()) throw Refused{"assembly outside functions"};
  if (!module_->ifunc_empty())
    throw Refused{"the indirect function " + module_->ifunc_begin()->getName().str()};
  for (llvm::Function& function : *module_) replace_constrained(function);
  add_functions();
  add_variables();
  add_contents();
  add_constructors();
  code_.compared_constants = compared_constants(*module_, quiet_);
}

void ModuleDecoder::add_functions() {
  for (const llvm::Function& function : *module_) {
    if (function.isIntrinsic()) continue;
    auto own = std::make_unique<vm::Function>();
    own->name = function.getName().str();
    own->number = static_cast<std::uint32_t>(code_.functions.size());
    if (own->number == vm::kFunctionsMax) throw Refused{"a program of more than a million functions"};
    own->is_quiet = quiet_.contains(own->name);
    // What the machine does itself goes before a library's code, and before any code of reach_error().
    const bool is_machines =
        vm::find_external(own->name) != 0 && (own->is_quiet || vm::is_reach_error(own->name));
    own->is_defined = !function.isDeclaration() && !is_machines;
    own->has_body = !function.isDeclaration();
    own->is_section = is_section_name(own->name);
    own->takes_variable = function.isVarArg();
    own->cannot_unwind = function.doesNotThrow();
    if (!own->is_defined) own->external = vm::find_external(own->name);
    if (own->name == "main") code_.main = own.get();
    if (own->name == "thrum_vm_match") code_.match_exception = own.get();
    functions_[&function] = own.get();
    sources_.push_back(&function);
    code_.functions.push_back(std::move(own));
  }
  if (code_.main == nullptr || !code_.main->is_defined) throw Refused{"the program has no main function"};
}

std::uint64_t ModuleDecoder::alignment_of(const llvm::GlobalVariable& variable) const {
  return std::max<std::uint64_t>(variable.getAlign().valueOrOne().value(),
                                 layout().getPreferredAlign(&variable).value());
}

void ModuleDecoder::add_variables() {
  std::uint64_t next = vm::kGlobals + kRedZone;
  for (const llvm::GlobalVariable& variable : module_->globals()) {
    if (is_metadata(variable)) continue;
    const bool is_local = variable.isThreadLocal();
    std::uint64_t size = variable.getValueType()->isSized()
                             ? layout().getTypeAllocSize(variable.getValueType()).getFixedValue()
                             : 0;
    if (variable.isDeclaration()) {
      if (variable.hasExternalWeakLinkage()) {
        addresses_[&variable] = 0;
        continue;
      }
      size = vm::size_of_external_variable(variable.getName().str());
      if (size == 0 && !variable.use_empty())
        throw Refused{"the variable " + variable.getName().str() + ", which has no definition",
                      variable.getName().str()};
    }
    if (variable.isDeclaration() && size != 0) external_variables_.push_back(&variable);
    const std::uint64_t alignment = alignment_of(variable);
    std::uint64_t& end = is_local ? local_size_ : next;
    const std::uint64_t address = up(end, alignment);
    end = up(address + size, kRedZone) + kRedZone;
    if (is_local) code_.thread_local_alignment = std::max(code_.thread_local_alignment, alignment);
    addresses_[&variable] = address;
    code_.variables.push_back({variable.getName().str(), address, size, variable.isConstant(), is_local});
  }
  if (next - vm::kGlobals > vm::kGlobalsSize) throw Refused{"global variables of more than 64 gigabytes"};
}

void ModuleDecoder::add_contents() {
  code_.thread_local_content.resize(local_size_);
  for (const llvm::GlobalVariable* variable : external_variables_) {
    const std::uint64_t word = vm::initial_word_of(variable->getName().str());
    vm::Code::Content& content = code_.contents.emplace_back();
    content.address = addresses_.at(variable);
    content.bytes.resize(sizeof word);
    std::memcpy(content.bytes.data(), &word, sizeof word);
  }
  for (const llvm::GlobalVariable& variable : module_->globals()) {
    if (is_metadata(variable) || !variable.hasInitializer()) continue;
    const std::uint64_t size = layout().getTypeAllocSize(variable.getValueType()).getFixedValue();
    const std::uint64_t address = addresses_.at(&variable);
    if (variable.isThreadLocal()) {
      write(*variable.getInitializer(), code_.thread_local_content.data() + address);
    } else if (!variable.getInitializer()->isNullValue()) {
      vm::Code::Content& content = code_.contents.emplace_back();
      content.address = address;
      content.bytes.resize(size);
      write(*variable.getInitializer(), content.bytes.data());
    }
  }
}

std::vector<vm::Function*> ModuleDecoder::list_of(const char* name) {
  struct Row {
    std::uint64_t priority;
    vm::Function* function;
  };
  std::vector<Row> rows;
  const llvm::GlobalVariable* list = module_->getNamedGlobal(name);
  if (list == nullptr || !list->hasInitializer()) return {};
  const auto* entries = llvm::dyn_cast<llvm::ConstantArray>(list->getInitializer());
  if (entries == nullptr) return {};
  for (const llvm::Use& entry : entries->operands()) {
    const auto* row = llvm::cast<llvm::Constant>(entry.get());
    const auto* function = llvm::dyn_cast<llvm::Function>(row->getAggregateElement(1U)->stripPointerCasts());
    if (function == nullptr || function->isDeclaration()) continue;
    rows.push_back({llvm::cast<llvm::ConstantInt>(row->getAggregateElement(0U))->getZExtValue(),
                    functions_.at(function)});
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.priority < b.priority; });
  std::vector<vm::Function*> functions;
  for (const Row& row : rows) functions.push_back(row.function);
  return functions;
}

void ModuleDecoder::add_constructors() {
  code_.constructors = list_of("llvm.global_ctors");
  code_.destructors = list_of("llvm.global_dtors");
  std::reverse(code_.destructors.begin(), code_.destructors.end());
}

vm::Function& ModuleDecoder::external_function(const char* name) {
  if (vm::Function* known = code_.find(name)) return *known;
  auto own = std::make_unique<vm::Function>();
  own->name = name;
  own->number = static_cast<std::uint32_t>(code_.functions.size());
  own->external = vm::find_external(name);
  sources_.push_back(nullptr);
  code_.functions.push_back(std::move(own));
  return *code_.functions.back();
}

vm::Function& ModuleDecoder::function_of(const llvm::Function& function) { return *functions_.at(&function); }

std::uint64_t ModuleDecoder::address_of(const llvm::GlobalVariable& variable) const {
  const auto found = addresses_.find(&variable);
  if (found == addresses_.end())
    throw Refused{"the variable " + variable.getName().str() + ", which has no definition",
                  variable.getName().str()};
  return found->second;
}

std::vector<std::uint64_t> ModuleDecoder::words_of(const llvm::Constant& constant) {
  std::vector<std::uint64_t> words;
  add_words(constant, words);
  return words;
}

void ModuleDecoder::add_words(const llvm::Constant& constant, std::vector<std::uint64_t>& words) {
  llvm::Type* type = constant.getType();
  if (const auto* expression = llvm::dyn_cast<llvm::ConstantExpr>(&constant)) {
    // Such as the bits of a vector as one number.
    const llvm::Constant* const folded = llvm::ConstantFoldConstant(expression, layout());
    if (folded != expression) return add_words(*folded, words);
  }
  if (is_composed(type)) {
    for (std::uint32_t i = 0; i < element_count(type); ++i) {
      const llvm::Constant* element = constant.getAggregateElement(i);
      if (element == nullptr) throw Refused{"a constant of type " + text_of(type)};
      add_words(*element, words);
    }
    return;
  }
  const bool two = bits_of(layout(), type) > 64;
  if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(&constant)) {
    words.push_back(low_bits(number->getValue(), 0));
    if (two) words.push_back(low_bits(number->getValue(), 64));
  } else if (const auto* real = llvm::dyn_cast<llvm::ConstantFP>(&constant)) {
    const llvm::APInt bits = real->getValueAPF().bitcastToAPInt();
    words.push_back(low_bits(bits, 0));
    if (two) words.push_back(low_bits(bits, 64));
  } else {
    words.push_back(word_of(constant));
    if (two) words.push_back(0);
  }
}

std::uint64_t ModuleDecoder::word_of(const llvm::Constant& constant) {
  if (constant.isNullValue() || llvm::isa<llvm::UndefValue>(constant)) return 0;
  if (const auto* function = llvm::dyn_cast<llvm::Function>(&constant)) {
    const vm::Function& own = function_of(*function);
    if (function->hasExternalWeakLinkage() && own.external == 0) return 0;
    return vm::code_address(own.number);
  }
  if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&constant)) {
    if (variable->isThreadLocal())
      throw Refused{"the address of the thread-local variable " + variable->getName().str() +
                    " as a constant"};
    return address_of(*variable);
  }
  if (const auto* alias = llvm::dyn_cast<llvm::GlobalAlias>(&constant)) return word_of(*alias->getAliasee());
  if (const auto* expression = llvm::dyn_cast<llvm::ConstantExpr>(&constant))
    return word_of_expression(*expression);
  if (const auto* same = llvm::dyn_cast<llvm::DSOLocalEquivalent>(&constant))
    return word_of(*same->getGlobalValue());
  if (const auto* plain = llvm::dyn_cast<llvm::NoCFIValue>(&constant))
    return word_of(*plain->getGlobalValue());
  if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(&constant)) return number->getZExtValue();
  std::string text;
  llvm::raw_string_ostream out(text);
  constant.print(out);
  throw Refused{"the constant " + text};
}

std::uint64_t ModuleDecoder::word_of_expression(const llvm::ConstantExpr& expression) {
  const auto operand = [&](unsigned i) {
    return word_of(*llvm::cast<llvm::Constant>(expression.getOperand(i)));
  };
  const auto cut = [&](std::uint64_t value) {
    const std::uint32_t bits = bits_of(layout(), expression.getType());
    return bits >= 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
  };
  switch (expression.getOpcode()) {
    case llvm::Instruction::BitCast:
    case llvm::Instruction::AddrSpaceCast:
    case llvm::Instruction::IntToPtr:
    case llvm::Instruction::PtrToInt:
    case llvm::Instruction::Trunc: return cut(operand(0));
    case llvm::Instruction::Add: return cut(operand(0) + operand(1));
    case llvm::Instruction::Sub: return cut(operand(0) - operand(1));
    case llvm::Instruction::Xor: return cut(operand(0) ^ operand(1));
    case llvm::Instruction::GetElementPtr: {
      llvm::APInt offset(64, 0);
      const auto& address = llvm::cast<llvm::GEPOperator>(expression);
      if (!address.accumulateConstantOffset(layout(), offset)) break;
      return operand(0) + offset.getZExtValue();
    }
    default: break;
  }
  throw Refused{std::string("the constant expression ") + expression.getOpcodeName()};
}

void ModuleDecoder::write(const llvm::Constant& constant, std::uint8_t* to) {
  if (constant.isNullValue() || llvm::isa<llvm::UndefValue>(constant)) return;
  llvm::Type* type = constant.getType();
  if (const auto* data = llvm::dyn_cast<llvm::ConstantDataSequential>(&constant)) {
    const llvm::StringRef bytes = data->getRawDataValues();
    std::memcpy(to, bytes.data(), bytes.size());
    return;
  }
  if (const std::uint32_t bits = type->isVectorTy() ? packed_bits(layout(), type) : 0; bits != 0) {
    const std::vector<std::uint64_t> words = words_of(constant);
    std::uint64_t whole = 0;
    for (std::size_t i = 0; i < words.size(); ++i) whole |= words[i] << i * (bits / words.size());
    std::memcpy(to, &whole, (bits + 7) / 8);
    return;
  }
  if (is_composed(type)) {
    auto* record = llvm::dyn_cast<llvm::StructType>(type);
    const llvm::StructLayout* places = record ? layout().getStructLayout(record) : nullptr;
    for (std::uint32_t i = 0; i < constant.getNumOperands(); ++i) {
      const auto* element = llvm::cast<llvm::Constant>(constant.getOperand(i));
      const std::uint64_t size = layout().getTypeAllocSize(element->getType()).getFixedValue();
      write(*element, to + (places ? places->getElementOffset(i).getFixedValue() : i * size));
    }
    return;
  }
  const std::vector<std::uint64_t> words = words_of(constant);
  const std::uint64_t size = layout().getTypeStoreSize(type).getFixedValue();
  std::memcpy(to, words.data(), std::min<std::uint64_t>(size, words.size() * sizeof words[0]));
}

std::uint32_t ModuleDecoder::text_number(std::string_view text) {
  const auto [found, is_new] = text_numbers_.emplace(text, static_cast<std::uint32_t>(code_.texts.size()));
  if (is_new) code_.texts.emplace_back(text);
  return found->second;
}

std::uint32_t ModuleDecoder::location_of(const llvm::DILocation* location, const llvm::Function& function) {
  const auto add = [this](const llvm::DISubprogram* subprogram, const llvm::DIFile* file, std::uint32_t line,
                          std::uint32_t column, std::uint32_t inlined_at) {
    const auto number = static_cast<std::uint32_t>(code_.locations.size());
    vm::SourceLocation own;
    if (subprogram != nullptr) {
      const llvm::StringRef linkage = subprogram->getLinkageName();
      own.function = text_number((linkage.empty() ? subprogram->getName() : linkage).str());
    }
    if (file != nullptr) {
      const std::string name = file->getFilename().str();
      // As the line table of a compiled program has it: in another folder than where the compiler ran it
      // stays relative to that.
      const llvm::DICompileUnit* const unit = subprogram ? subprogram->getUnit() : nullptr;
      const bool is_beside = unit != nullptr && unit->getFilename() != file->getFilename() &&
                             unit->getDirectory() == file->getDirectory() &&
                             name.find('/') != std::string::npos;
      const bool is_absolute = name.starts_with('/') || file->getDirectory().empty() || is_beside;
      own.file = text_number(is_absolute ? name : file->getDirectory().str() + "/" + name);
    }
    own.line = line;
    own.column = column;
    own.inlined_at = inlined_at;
    code_.locations.push_back(own);
    return number;
  };
  if (location == nullptr) {
    const llvm::DISubprogram* subprogram = function.getSubprogram();
    if (subprogram == nullptr) return 0;
    const auto [found, is_new] = function_locations_.emplace(subprogram, 0);
    if (is_new)
      found->second =
          add(subprogram, subprogram->getFile(), subprogram->getLine(), 0, vm::SourceLocation::kNone);
    return found->second;
  }
  const auto known = location_numbers_.find(location);
  if (known != location_numbers_.end()) return known->second;
  const std::uint32_t outer =
      location->getInlinedAt() ? location_of(location->getInlinedAt(), function) : vm::SourceLocation::kNone;
  const llvm::DISubprogram* const subprogram = location->getScope()->getSubprogram();
  // Code that the compiler made up has no line: the function's stands for it.
  const std::uint32_t line = location->getLine() != 0 ? location->getLine() : subprogram->getLine();
  const std::uint32_t number = add(subprogram, location->getFile(), line, location->getColumn(), outer);
  location_numbers_[location] = number;
  return number;
}

}  // namespace thrum::bitcode
