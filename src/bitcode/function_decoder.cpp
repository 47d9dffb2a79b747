// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bitcode/function_decoder.hpp"

#include <algorithm>
#include <limits>

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/Support/raw_ostream.h>

#include "bitcode/module_decoder.hpp"

namespace thrum::bitcode {

namespace {

constexpr std::uint32_t kSlotsMax = 0xffff;

bool fits_immediate(std::int64_t value) {
  return value >= std::numeric_limits<std::int32_t>::min() &&
         value <= std::numeric_limits<std::int32_t>::max();
}

}  // namespace

FunctionDecoder::FunctionDecoder(ModuleDecoder& module, const llvm::Function& source, vm::Function& result)
    : module_(module), source_(source), endless_loops_(source), layout_(module.layout()), result_(result) {}

void FunctionDecoder::refuse(const std::string& what) const { throw vm::Refused{what}; }

void FunctionDecoder::refuse(const llvm::Instruction& instruction) const {
  std::string text;
  llvm::raw_string_ostream out(text);
  instruction.print(out);
  text.erase(0, text.find_first_not_of(' '));
  throw vm::Refused{"the instruction " + text.substr(0, text.find(", !dbg"))};
}

// Constants stand behind the parameters, so their number must be known: a first pass finds it.
void FunctionDecoder::decode() {
  constants_reserved_ = kSlotsMax / 2;
  decode_once();
  constants_reserved_ = static_cast<std::uint32_t>(result_.constants.size());
  decode_once();
}

void FunctionDecoder::decode_once() {
  vm::Function& own = result_;
  own.constants.clear();
  own.code.clear();
  own.opcodes.clear();
  own.locations.clear();
  own.calls.clear();
  own.atomics.clear();
  own.switches.clear();
  own.lists.clear();
  own.pads.clear();
  own.locals.clear();
  values_.clear();
  constant_slots_.clear();
  block_begins_.clear();
  jumps_.clear();
  switch_edges_.clear();
  pad_edges_.clear();
  next_slot_ = 0;
  for (const llvm::Argument& parameter : source_.args())
    values_[&parameter] = new_slots(slots_of(layout_, parameter.getType()));
  own.parameters = next_slot_;
  next_slot_ += constants_reserved_;
  scrap_ = new_slots(2)[0];
  if (source_.isVarArg()) own.variable_arguments = new_slot();
  location_ = module_.location_of(nullptr, source_);
  copy_by_value_arguments();
  // In this order definitions come before uses, so that values can share slots.
  const llvm::ReversePostOrderTraversal<const llvm::Function*> order(&source_);
  const std::vector<const llvm::BasicBlock*> blocks(order.begin(), order.end());
  for (std::size_t i = 0; i < blocks.size(); ++i)
    decode_block(*blocks[i], i + 1 < blocks.size() ? blocks[i + 1] : nullptr);
  finish_edges();
  own.slots = next_slot_;
}

vm::Slot FunctionDecoder::new_slot() { return new_slots(1)[0]; }

FunctionDecoder::Slots FunctionDecoder::new_slots(std::uint32_t count) {
  if (next_slot_ + count > kSlotsMax) refuse("a function of more than 65,535 values");
  Slots slots(count);
  for (Slot& slot : slots) slot = static_cast<Slot>(next_slot_++);
  return slots;
}

vm::Slot FunctionDecoder::constant(std::uint64_t value) {
  const auto [found, is_new] = constant_slots_.emplace(value, Slot{0});
  if (is_new) found->second = new_constant(value);
  return found->second;
}

vm::Slot FunctionDecoder::new_constant(std::uint64_t value) {
  if (result_.constants.size() == constants_reserved_) refuse("a function of more than 32,767 constants");
  result_.constants.push_back(value);
  return static_cast<Slot>(result_.parameters + result_.constants.size() - 1);
}

// The two slots of a scalar stand side by side.
FunctionDecoder::Slots FunctionDecoder::slots_of_constant(const llvm::Constant& of) {
  Slots slots;
  const std::vector<std::uint64_t> words = module_.words_of(of);
  std::size_t word = 0;
  for (const Leaf& leaf : leaves_of(layout_, of.getType())) {
    if (leaf.slots == 1) {
      slots.push_back(constant(words[word++]));
      continue;
    }
    for (int i = 0; i < 2; ++i) slots.push_back(new_constant(words[word++]));
  }
  return slots;
}

vm::Slot FunctionDecoder::single(const llvm::Value& of) {
  const Slots& slots = value(of);
  if (slots.empty()) refuse("a value of type " + text_of(of.getType()) + " where a number is needed");
  return slots[0];
}

// The thread-local variable in which the constant address lies, with the distance from its begin.
const llvm::GlobalVariable* FunctionDecoder::thread_local_base(const llvm::Value& of,
                                                               llvm::APInt& offset) const {
  if (!llvm::isa<llvm::Constant>(of)) return nullptr;
  const auto* cast = llvm::dyn_cast<llvm::ConstantExpr>(&of);
  const bool is_number = cast != nullptr && cast->getOpcode() == llvm::Instruction::PtrToInt;
  const llvm::Value* address = is_number ? cast->getOperand(0) : &of;
  if (!address->getType()->isPointerTy()) return nullptr;
  const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(
      address->stripAndAccumulateConstantOffsets(layout_, offset, /*AllowNonInbounds=*/true));
  return variable != nullptr && variable->isThreadLocal() ? variable : nullptr;
}

const FunctionDecoder::Slots& FunctionDecoder::value(const llvm::Value& of) {
  const auto known = values_.find(&of);
  if (known != values_.end()) return known->second;
  llvm::APInt offset(64, 0);
  if (const llvm::GlobalVariable* variable = thread_local_base(of, offset)) {
    const Slot slot = new_slot();
    emit(Opcode::thread_local_address, slot, 0, 0, 0,
         static_cast<std::int64_t>(module_.address_of(*variable) + offset.getZExtValue()));
    thread_local_ = {slot};  // not kept: another block may not come by here
    return thread_local_;
  }
  if (const auto* as_constant = llvm::dyn_cast<llvm::Constant>(&of))
    return values_[&of] = slots_of_constant(*as_constant);
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(&of);
  if (instruction == nullptr) refuse("an operand that is no value");
  return result_of(*instruction);
}

FunctionDecoder::Slots& FunctionDecoder::result_of(const llvm::Instruction& instruction) {
  const auto known = values_.find(&instruction);
  if (known != values_.end()) return known->second;
  return values_[&instruction] = new_slots(slots_of(layout_, instruction.getType()));
}

std::size_t FunctionDecoder::emit(Opcode opcode, Slot d, Slot a, Slot b, Slot c, std::int64_t immediate) {
  if (!fits_immediate(immediate)) refuse("a number of more than 32 bits where the machine has none");
  constexpr std::size_t kCodeMax = (std::size_t{1} << 20) - 1;
  if (result_.code.size() == kCodeMax) refuse("a function of more than a million instructions");
  vm::Instruction instruction;
  instruction.d = d;
  instruction.a = a;
  instruction.b = b;
  instruction.c = c;
  instruction.immediate = static_cast<std::int32_t>(immediate);
  result_.code.push_back(instruction);
  result_.opcodes.push_back(opcode);
  result_.locations.push_back(location_);
  return result_.code.size() - 1;
}

void FunctionDecoder::compute(vm::Computation computation, Slot d, Slot a, Slot b, Slot c) {
  emit(Opcode::compute, d, a, b, c, static_cast<std::int32_t>(computation));
}

void FunctionDecoder::decode_block(const llvm::BasicBlock& block, const llvm::BasicBlock* next) {
  block_begins_[&block] = static_cast<std::uint32_t>(result_.code.size());
  for (const llvm::Instruction& instruction : block) {
    if (const llvm::DebugLoc& place = instruction.getDebugLoc())
      location_ = module_.location_of(place, source_);
    if (module_.is_for_states() && llvm::isa<llvm::SwitchInst>(instruction))
      note_escape(*instruction.getOperand(0));
    visit(instruction, next);
    if (module_.is_for_states()) note_escapes(instruction);
  }
}

void FunctionDecoder::visit(const llvm::Instruction& instruction, const llvm::BasicBlock* next) {
  using llvm::cast;
  switch (instruction.getOpcode()) {
    case llvm::Instruction::PHI: return;  // on the edges
    case llvm::Instruction::Br: return decode_branch(cast<llvm::BranchInst>(instruction), next);
    case llvm::Instruction::Switch: return decode_switch(cast<llvm::SwitchInst>(instruction), next);
    case llvm::Instruction::Ret: return decode_return(cast<llvm::ReturnInst>(instruction));
    case llvm::Instruction::Unreachable: emit(Opcode::unreachable, 0); return;
    case llvm::Instruction::Resume: {
      const Slots& in = value(*instruction.getOperand(0));
      emit(Opcode::resume, 0, in[0], in[1]);
      return;
    }
    case llvm::Instruction::Call:
    case llvm::Instruction::Invoke: return decode_call(cast<llvm::CallBase>(instruction), next);
    case llvm::Instruction::LandingPad: return decode_landing_pad(cast<llvm::LandingPadInst>(instruction));
    case llvm::Instruction::Load: return decode_load(cast<llvm::LoadInst>(instruction));
    case llvm::Instruction::Store: return decode_store(cast<llvm::StoreInst>(instruction));
    case llvm::Instruction::Alloca: return decode_allocation(cast<llvm::AllocaInst>(instruction));
    case llvm::Instruction::GetElementPtr: return decode_address(cast<llvm::GetElementPtrInst>(instruction));
    case llvm::Instruction::AtomicRMW: return decode_update(cast<llvm::AtomicRMWInst>(instruction));
    case llvm::Instruction::AtomicCmpXchg: return decode_exchange(cast<llvm::AtomicCmpXchgInst>(instruction));
    case llvm::Instruction::Fence: return;  // one that is instrumented is a call
    case llvm::Instruction::ICmp:
    case llvm::Instruction::FCmp: return decode_comparison(cast<llvm::CmpInst>(instruction));
    case llvm::Instruction::Select: return decode_select(cast<llvm::SelectInst>(instruction));
    case llvm::Instruction::FNeg: return decode_negation(cast<llvm::UnaryOperator>(instruction));
    case llvm::Instruction::Freeze: return share(instruction, *instruction.getOperand(0));
    case llvm::Instruction::ExtractElement:
      return decode_element(cast<llvm::ExtractElementInst>(instruction));
    case llvm::Instruction::InsertElement:
      return decode_insertion(cast<llvm::InsertElementInst>(instruction));
    case llvm::Instruction::ShuffleVector: return decode_shuffle(cast<llvm::ShuffleVectorInst>(instruction));
    case llvm::Instruction::ExtractValue:
    case llvm::Instruction::InsertValue: return decode_aggregate(instruction);
    default: break;
  }
  if (const auto* binary = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) return decode_binary(*binary);
  if (const auto* conversion = llvm::dyn_cast<llvm::CastInst>(&instruction)) return decode_cast(*conversion);
  refuse(instruction);
}

// The instruction's value is that of another one.
void FunctionDecoder::share(const llvm::Instruction& instruction, const llvm::Value& of) {
  const Slots slots = value(of);
  values_[&instruction] = slots;
}

void FunctionDecoder::decode_return(const llvm::ReturnInst& instruction) {
  const llvm::Value* result = instruction.getReturnValue();
  const Slots slots = result ? value(*result) : Slots{};
  if (slots.empty()) {
    emit(Opcode::ret, 0);
  } else if (slots.size() == 1) {
    emit(Opcode::ret1, 0, slots[0]);
  } else {
    emit(Opcode::ret_list, 0, 0, 0, 0, static_cast<std::int64_t>(result_.lists.size()));
    result_.lists.push_back(slots);
  }
}

bool FunctionDecoder::has_code(Edge edge) const {
  const auto phis = edge.to->phis();
  return phis.begin() != phis.end() || completes_round(edge);
}

bool FunctionDecoder::completes_round(Edge edge) const {
  return module_.is_for_states() && endless_loops_.completes_round(edge.from, edge.to);
}

void FunctionDecoder::emit_edge(Edge edge) {
  if (completes_round(edge)) emit(Opcode::round, 0);
  emit_moves(edge);
}

void FunctionDecoder::go_to(Edge edge, const llvm::BasicBlock* next) {
  emit_edge(edge);
  if (edge.to == next) return;
  jumps_.push_back({emit(Opcode::jump, 0), {nullptr, edge.to}});
}

void FunctionDecoder::decode_branch(const llvm::BranchInst& branch, const llvm::BasicBlock* next) {
  if (branch.isUnconditional()) return go_to({branch.getParent(), branch.getSuccessor(0)}, next);
  if (branch.getSuccessor(0) != branch.getSuccessor(1)) decode_condition(branch);
  go_to({branch.getParent(), branch.getSuccessor(1)}, next);
}

// Over more than 64 bits: compared with one value after the other.
void FunctionDecoder::decode_wide_switch(const llvm::SwitchInst& branch, const llvm::BasicBlock* next) {
  const Slot value_of = single(*branch.getCondition());
  for (const auto& one : branch.cases()) {
    const Slot same = new_slot();
    compute(vm::Computation::eq128, same, value_of, single(*one.getCaseValue()));
    jumps_.push_back({emit(Opcode::br, 0, same), {branch.getParent(), one.getCaseSuccessor()}});
  }
  go_to({branch.getParent(), branch.getDefaultDest()}, next);
}

void FunctionDecoder::decode_switch(const llvm::SwitchInst& branch, const llvm::BasicBlock* next) {
  const std::uint32_t bits = bits_of(layout_, branch.getCondition()->getType());
  if (bits > 64) return decode_wide_switch(branch, next);
  SwitchEdge edges{result_.switches.size(), {}, {branch.getParent(), branch.getDefaultDest()}};
  for (const auto& one : branch.cases())
    edges.cases.push_back({one.getCaseValue()->getZExtValue(), {branch.getParent(), one.getCaseSuccessor()}});
  std::sort(edges.cases.begin(), edges.cases.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  emit(Opcode::switch_to, 0, single(*branch.getCondition()), 0, 0, static_cast<std::int64_t>(edges.table));
  result_.switches.emplace_back();
  switch_edges_.push_back(std::move(edges));
}

// The moves happen at once: one whose target others still read comes after them, and a circle goes by a
// further slot.
void FunctionDecoder::emit_moves(Edge edge) {
  std::vector<std::pair<Slot, Slot>> moves;
  for (const llvm::PHINode& phi : edge.to->phis()) {
    const Slots& to = result_of(phi);
    const llvm::Value& incoming = *phi.getIncomingValueForBlock(edge.from);
    if (llvm::isa<llvm::UndefValue>(incoming)) continue;  // any value
    const Slots& from = value(incoming);
    for (std::size_t i = 0; i < to.size(); ++i) {
      if (to[i] != from[i]) moves.emplace_back(to[i], from[i]);
    }
  }
  while (!moves.empty()) {
    const auto is_free = [&moves](const std::pair<Slot, Slot>& move) {
      return std::none_of(moves.begin(), moves.end(),
                          [&move](const std::pair<Slot, Slot>& other) { return other.second == move.first; });
    };
    const auto free = std::find_if(moves.begin(), moves.end(), is_free);
    if (free != moves.end()) {
      emit(Opcode::move, free->first, free->second);
      moves.erase(free);
      continue;
    }
    const Slot kept = new_slot();
    const Slot lost = moves.front().first;
    emit(Opcode::move, kept, lost);
    for (auto& move : moves) {
      if (move.second == lost) move.second = kept;
    }
  }
}

// An edge that has moves gets code of its own, behind the function's.
std::uint32_t FunctionDecoder::begin_of(Edge edge) {
  if (edge.from == nullptr || !has_code(edge)) return block_begins_.at(edge.to);
  const auto begin = static_cast<std::uint32_t>(result_.code.size());
  emit_edge(edge);
  emit(Opcode::jump, 0, 0, 0, 0, block_begins_.at(edge.to));
  return begin;
}

void FunctionDecoder::finish_edges() {
  for (const Jump& jump : jumps_)
    result_.code[jump.instruction].immediate = static_cast<std::int32_t>(begin_of(jump.edge));
  for (const PadEdge& pad : pad_edges_) result_.pads[pad.pad].target = begin_of(pad.edge);
  for (const SwitchEdge& edges : switch_edges_) {
    vm::SwitchTable table;
    table.otherwise = begin_of(edges.otherwise);
    if (!edges.cases.empty()) {
      const std::uint64_t first = edges.cases.front().first;
      const std::uint64_t range = edges.cases.back().first - first;
      constexpr std::uint64_t kSparse = 4;
      if (range < kSparse * edges.cases.size() + kSparse) {
        table.first = first;
        table.dense.assign(range + 1, table.otherwise);
        for (const auto& [value, edge] : edges.cases) table.dense[value - first] = begin_of(edge);
      } else {
        for (const auto& [value, edge] : edges.cases) table.sparse.emplace_back(value, begin_of(edge));
      }
    }
    result_.switches[edges.table] = std::move(table);
  }
}

}  // namespace thrum::bitcode
