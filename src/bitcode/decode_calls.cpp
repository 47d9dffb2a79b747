// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls, exceptions, inline assembly, and the calls by which the compiler instruments accesses.
#include <charconv>

#include <llvm/IR/Constants.h>

#include "bitcode/function_decoder.hpp"
#include "bitcode/module_decoder.hpp"

namespace thrum::bitcode {

using vm::Opcode;

// An argument passed by value in memory is the callee's own copy.
void FunctionDecoder::copy_by_value_arguments() {
  for (const llvm::Argument& parameter : source_.args()) {
    if (!parameter.hasByValAttr()) continue;
    const auto size = layout_.getTypeAllocSize(parameter.getParamByValType()).getFixedValue();
    const unsigned alignment = std::max(4U, llvm::Log2(parameter.getParamAlign().valueOrOne()));
    const Slot copy = new_slot();
    emit(Opcode::allocate, copy, 0, 0, static_cast<Slot>(alignment), static_cast<std::int64_t>(size));
    emit(Opcode::copy_memory, 0, copy, values_.at(&parameter)[0], constant(size));
    values_[&parameter] = {copy};
  }
}

std::uint32_t FunctionDecoder::add_pad(const llvm::InvokeInst& invoke) {
  const llvm::LandingPadInst& landing = *invoke.getLandingPadInst();
  vm::LandingPad pad;
  const Slots& d = result_of(landing);
  if (d.size() != 2) refuse(landing);
  pad.exception = d[0];
  pad.selector = d[1];
  pad.cleanup = landing.isCleanup();
  for (unsigned i = 0; i < landing.getNumClauses(); ++i) {
    vm::LandingPad::Clause clause;
    const std::vector<std::uint64_t> words = module_.words_of(*landing.getClause(i));
    clause.is_filter = landing.isFilter(i);
    if (clause.is_filter)
      clause.types = words;
    else
      clause.type = words.at(0);
    pad.clauses.push_back(std::move(clause));
  }
  pad_edges_.push_back({result_.pads.size(), {invoke.getParent(), invoke.getUnwindDest()}});
  result_.pads.push_back(std::move(pad));
  return static_cast<std::uint32_t>(result_.pads.size() - 1);
}

void FunctionDecoder::decode_landing_pad(const llvm::LandingPadInst& pad) { result_of(pad); }

void FunctionDecoder::decode_call(const llvm::CallBase& call, const llvm::BasicBlock* next) {
  const auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(&call);
  const auto go_on = [&] {
    if (invoke) go_to({invoke->getParent(), invoke->getNormalDest()}, next);
  };
  if (llvm::isa<llvm::CallBrInst>(call)) refuse(call);
  if (call.isInlineAsm()) {
    decode_assembly(call);
    return go_on();
  }
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) {
    decode_intrinsic(*intrinsic);
    return;
  }
  // An alias, or a function called by another type than its own.
  const auto* callee = llvm::dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCastsAndAliases());
  if (callee != nullptr) {
    if (callee->isIntrinsic()) {  // one that is invoked
      refuse(call);
    }
    if (callee->isDeclaration() && callee->getName().starts_with("__tsan_") &&
        decode_instrumentation(call, callee->getName()))
      return go_on();
  }
  vm::CallSite site;
  site.cannot_unwind = call.doesNotThrow();
  for (const llvm::Use& argument : call.args()) {
    const Slots slots = value(*argument);
    const bool is_fixed = argument.getOperandNo() < call.getFunctionType()->getNumParams();
    site.arguments.insert(site.arguments.end(), slots.begin(), slots.end());
    if (is_fixed) {
      site.fixed += static_cast<std::uint32_t>(slots.size());
    } else {
      site.variable.push_back(variable_argument(call, argument.getOperandNo()));
    }
  }
  site.takes_variable = call.getFunctionType()->isVarArg();
  const bool has_result = !call.getType()->isVoidTy();
  const Slots d = has_result ? result_of(call) : Slots{};
  site.results = static_cast<std::uint16_t>(d.size());
  site.result = d.empty() ? scrap_ : d[0];
  if (invoke) site.landing_pad = add_pad(*invoke);
  Opcode opcode = Opcode::call_indirect;
  Slot target = 0;
  if (callee == nullptr) {
    target = single(*call.getCalledOperand());
  } else {
    site.callee = &module_.function_of(*callee);
    opcode = site.callee->is_defined ? Opcode::call : Opcode::call_external;
  }
  emit(opcode, site.result, target, 0, 0, static_cast<std::int64_t>(result_.calls.size()));
  result_.calls.push_back(std::move(site));
  go_on();
}

// How a variable argument lies in memory.
vm::CallSite::Variable FunctionDecoder::variable_argument(const llvm::CallBase& call, unsigned number) {
  llvm::Type* const type = call.getArgOperand(number)->getType();
  const Slots& slots = value(*call.getArgOperand(number));
  vm::CallSite::Variable how;
  how.slots = static_cast<std::uint8_t>(slots.size());
  how.aligned16 = layout_.getABITypeAlign(type).value() > 8 && slots.size() > 1;
  if (call.isByValArgument(number)) {
    how.bytes =
        static_cast<std::uint32_t>(layout_.getTypeAllocSize(call.getParamByValType(number)).getFixedValue());
    how.aligned16 = call.getParamAlign(number).valueOrOne().value() > 8;
  } else if (const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
    how.slot_bytes =
        static_cast<std::uint8_t>(layout_.getTypeAllocSize(vector->getElementType()).getFixedValue());
  }
  return how;
}

// What compilers and libraries write for the sake of the optimiser or of the processor. Outputs that are tied
// to inputs have their values.
void FunctionDecoder::decode_assembly(const llvm::CallBase& call) {
  const auto& assembly = llvm::cast<llvm::InlineAsm>(*call.getCalledOperand());
  llvm::StringRef text = llvm::StringRef(assembly.getAsmString()).trim(" \t\n;");
  const bool is_known = text.empty() || text.starts_with("#") || text == "pause" || text == "mfence" ||
                        text == "lfence" || text == "sfence" || text == "nop" || text == "rep nop" ||
                        text == "rep; nop" || text == "rep ; nop" || text == "rep;nop";
  const bool is_trap = text == "ud2" || text == "ud2a";
  const bool is_breakpoint = text == "int3" || text == "int $$3";
  if (!is_known && !is_trap && !is_breakpoint) refuse("the assembly \"" + text.str() + "\"");
  if (is_trap) emit(Opcode::trap, 0);
  if (is_breakpoint) emit(Opcode::breakpoint, 0);
  std::vector<Slot> outputs;
  unsigned argument = 0;
  struct Output {
    bool is_direct;
    const llvm::Value* tied = nullptr;
  };
  std::vector<Output> direct;
  std::vector<int> numbers;  // of each output constraint: its place among the direct ones
  for (const llvm::InlineAsm::ConstraintInfo& constraint : assembly.ParseConstraints()) {
    if (constraint.Type == llvm::InlineAsm::isClobber || constraint.Type == llvm::InlineAsm::isLabel)
      continue;
    if (constraint.Type == llvm::InlineAsm::isOutput) {
      numbers.push_back(constraint.isIndirect ? -1 : static_cast<int>(direct.size()));
      if (constraint.isIndirect)
        ++argument;
      else
        direct.push_back({true});
      continue;
    }
    const llvm::Value* input = call.getArgOperand(argument++);
    if (!constraint.hasMatchingInput() && constraint.Codes.size() == 1 && !constraint.Codes[0].empty()) {
      unsigned tied = 0;
      const std::string& code = constraint.Codes[0];
      const auto parsed = std::from_chars(code.data(), code.data() + code.size(), tied);
      if (parsed.ec == std::errc() && tied < numbers.size() && numbers[tied] >= 0)
        direct[static_cast<std::size_t>(numbers[tied])].tied = input;
    }
  }
  for (const Output& output : direct) {
    if (output.tied == nullptr) refuse("the assembly \"" + text.str() + "\" with a result");
    const Slots& slots = value(*output.tied);
    outputs.insert(outputs.end(), slots.begin(), slots.end());
  }
  if (!call.getType()->isVoidTy()) values_[&call] = outputs;
}

// How many arguments such a call has at least. rest: what stands behind __tsan_ in its name.
static std::size_t arguments_of_instrumentation(llvm::StringRef rest) {
  if (rest == "init" || rest == "atomic_signal_fence" || rest.starts_with("func_")) return 0;
  if (rest == "memcpy" || rest == "memmove" || rest == "memset") return 3;
  if (rest == "vptr_update" || rest.ends_with("_range")) return 2;
  if (!rest.starts_with("atomic") || rest == "atomic_thread_fence") return 1;
  if (rest.ends_with("_load")) return 2;
  return rest.contains("compare_exchange") ? 5 : 3;
}

// False: it is no such call.
bool FunctionDecoder::decode_instrumentation(const llvm::CallBase& call, llvm::StringRef name) {
  llvm::StringRef rest = name.drop_front(std::string_view("__tsan_").size());
  if (call.arg_size() < arguments_of_instrumentation(rest)) return false;
  if (rest == "init" || rest == "atomic_signal_fence") return true;
  if (rest == "func_entry" || rest == "func_exit") {
    if (!result_.is_section) return true;
    vm::CallSite site;
    site.callee =
        &module_.external_function(rest == "func_entry" ? "thrum_atomic_begin" : "thrum_atomic_end");
    site.result = scrap_;
    emit(Opcode::call_external, scrap_, 0, 0, 0, static_cast<std::int64_t>(result_.calls.size()));
    result_.calls.push_back(std::move(site));
    return true;
  }
  if (rest == "atomic_thread_fence") {
    const auto* order = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(0));
    emit(Opcode::fence, 0, 0, 0, 0, order ? order->getSExtValue() : __ATOMIC_SEQ_CST);
    return true;
  }
  if (rest.consume_front("atomic")) {
    decode_atomic(call, rest);
    return true;
  }
  if (rest == "memcpy" || rest == "memmove" || rest == "memset") {
    const bool sets = rest == "memset";
    emit(sets ? Opcode::set_memory : Opcode::copy_memory, 0, single(*call.getArgOperand(0)),
         single(*call.getArgOperand(1)), single(*call.getArgOperand(2)), 1);
    share(call, *call.getArgOperand(0));
    return true;
  }
  if (rest == "vptr_update") {
    emit(Opcode::vptr_update, 0, address_slot(*call.getArgOperand(0)), single(*call.getArgOperand(1)));
    return true;
  }
  return decode_instrumented_access(call, rest);
}

bool FunctionDecoder::decode_instrumented_access(const llvm::CallBase& call, llvm::StringRef rest) {
  if (rest == "vptr_read") rest = "read8";
  if (call.arg_empty()) return false;  // the program's own call of something else
  const llvm::Value& pointer = *call.getArgOperand(0);
  if (rest == "read_range" || rest == "write_range") {
    const auto* size = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(1));
    if (size == nullptr) refuse(call);
    emit(Opcode::access, 0, address_slot(pointer), 0, rest == "write_range" ? 1 : 0,
         static_cast<std::int64_t>(size->getLimitedValue(std::uint64_t{1} << 32)));
    return true;
  }
  rest.consume_front("unaligned_");
  const bool is_volatile = rest.consume_front("volatile_");
  const bool writes = rest.consume_front("write");
  if (!writes && !rest.consume_front("read")) return false;
  std::uint64_t size = 0;
  if (rest.getAsInteger(10, size)) return false;
  const llvm::Instruction* next = call.getNextNode();
  const llvm::Value* accessed = next ? llvm::getLoadStorePointerOperand(next) : nullptr;
  const bool is_next = accessed == &pointer && llvm::isa<llvm::StoreInst>(next) == writes &&
                       layout_.getTypeStoreSize(llvm::getLoadStoreType(const_cast<llvm::Instruction*>(next)))
                               .getFixedValue() == size;
  if (is_volatile) {
    vm::AtomicSite site;
    site.operation = writes ? Operation::store : Operation::load;
    site.is_volatile = true;
    site.size = static_cast<std::uint8_t>(size);
    site.address = address_slot(pointer);
    site.result = scrap_;
    if (writes && !is_next) refuse(call);
    if (writes) site.value = value(*llvm::cast<llvm::StoreInst>(next)->getValueOperand())[0];
    emit(Opcode::atomic, scrap_, site.address, site.value, 0,
         static_cast<std::int64_t>(result_.atomics.size()));
    result_.atomics.push_back(site);
    return true;
  }
  if (is_next) {
    pending_pointer_ = &pointer;
    pending_size_ = size;
    return true;
  }
  emit(Opcode::access, 0, address_slot(pointer), 0, writes ? 1 : 0, static_cast<std::int64_t>(size));
  return true;
}

// rest: the number of bits and the operation, such as 32_fetch_add.
void FunctionDecoder::decode_atomic(const llvm::CallBase& call, llvm::StringRef rest) {
  unsigned bits = 0;
  if (rest.consumeInteger(10, bits) || !rest.consume_front("_")) refuse(call);
  const auto order = [&call, this](unsigned argument) {
    const auto* number = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(argument));
    if (number == nullptr) refuse(call);
    return static_cast<std::uint8_t>(number->getZExtValue());
  };
  const auto argument = [&call, this](unsigned number) { return single(*call.getArgOperand(number)); };
  vm::AtomicSite site;
  site.size = static_cast<std::uint8_t>(bits / 8);
  site.address = address_slot(*call.getArgOperand(0));
  if (rest == "load") {
    site.operation = Operation::load;
    site.order = order(1);
  } else if (rest == "store") {
    site.operation = Operation::store;
    site.value = argument(1);
    site.order = order(2);
  } else if (rest.starts_with("compare_exchange")) {
    site.operation = Operation::compare_exchange;
    site.expected_in_memory = rest != "compare_exchange_val";
    site.value = argument(1);
    site.desired = argument(2);
    site.order = order(3);
    site.order_if_failed = order(4);
  } else {
    site.operation = Operation::read_modify_write;
    site.value = argument(1);
    site.order = order(2);
    constexpr std::pair<const char*, Update> kUpdates[] = {
        {"exchange", Update::exchange},  {"fetch_add", Update::add},   {"fetch_sub", Update::subtract},
        {"fetch_and", Update::bit_and},  {"fetch_or", Update::bit_or}, {"fetch_xor", Update::bit_xor},
        {"fetch_nand", Update::bit_nand}};
    const auto* found = std::find_if(std::begin(kUpdates), std::end(kUpdates),
                                     [&rest](const auto& row) { return rest == row.first; });
    if (found == std::end(kUpdates)) refuse(call);
    site.update = found->second;
  }
  site.result = call.getType()->isVoidTy() ? scrap_ : result_of(call)[0];
  emit(Opcode::atomic, site.result, site.address, site.value, site.desired,
       static_cast<std::int64_t>(result_.atomics.size()));
  result_.atomics.push_back(site);
}

}  // namespace thrum::bitcode
