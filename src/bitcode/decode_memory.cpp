// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads, stores, and the addresses that they take.
#include <bit>
#include <limits>

#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/Operator.h>

#include "bitcode/function_decoder.hpp"
#include "bitcode/module_decoder.hpp"

namespace thrum::bitcode {

using vm::Opcode;

namespace {

// The rows of one size in operations.def, in this order.
struct Access {
  Opcode plain;
  Opcode indexed() const { return static_cast<Opcode>(static_cast<unsigned>(plain) + 2); }
  static Opcode shared(Opcode opcode) { return static_cast<Opcode>(static_cast<unsigned>(opcode) + 1); }
};

Access load_of(std::uint32_t bytes) {
  switch (bytes) {
    case 1: return {Opcode::load8};
    case 2: return {Opcode::load16};
    case 4: return {Opcode::load32};
    default: return {Opcode::load64};
  }
}

Access store_of(std::uint32_t bytes) {
  switch (bytes) {
    case 1: return {Opcode::store8};
    case 2: return {Opcode::store16};
    case 4: return {Opcode::store32};
    default: return {Opcode::store64};
  }
}

// The offset of a GEP without its one variable index; nothing if it has more of them.
struct Steps {
  std::int64_t offset = 0;
  const llvm::Value* index = nullptr;
  std::uint64_t scale = 0;
};

bool is_small(std::int64_t offset) {
  constexpr std::int64_t kMax = 1 << 30;  // several may be added
  return offset > -kMax && offset < kMax;
}

std::optional<Steps> steps_of(const llvm::DataLayout& layout, const llvm::GetElementPtrInst& pointer) {
  Steps steps;
  for (auto at = llvm::gep_type_begin(pointer); at != llvm::gep_type_end(pointer); ++at) {
    const llvm::Value* index = at.getOperand();
    if (llvm::StructType* record = at.getStructTypeOrNull()) {
      const auto field = static_cast<unsigned>(llvm::cast<llvm::ConstantInt>(index)->getZExtValue());
      steps.offset +=
          static_cast<std::int64_t>(layout.getStructLayout(record)->getElementOffset(field).getFixedValue());
      continue;
    }
    const std::uint64_t size = at.getSequentialElementStride(layout).getFixedValue();
    if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(index)) {
      steps.offset += number->getValue().sextOrTrunc(64).getSExtValue() * static_cast<std::int64_t>(size);
    } else {
      if (steps.index != nullptr || !index->getType()->isIntegerTy()) return std::nullopt;
      steps.index = index;
      steps.scale = size;
    }
  }
  return steps;
}

}  // namespace

// Whether the address never stands in a slot: it is only used by accesses, which have room for it.
bool FunctionDecoder::is_folded(const llvm::Value& pointer) const {
  const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&pointer);
  if (address == nullptr || address->getType()->isVectorTy()) return false;
  const std::optional<Steps> steps = steps_of(layout_, *address);
  if (!steps || !is_small(steps->offset)) return false;
  if (steps->index &&
      (steps->scale > std::numeric_limits<std::uint16_t>::max() || !steps->index->getType()->isIntegerTy(64)))
    return false;
  for (const llvm::User* user : address->users()) {
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
      if (load->isAtomic()) return false;
    } else if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) {
      if (store->getValueOperand() == address || store->isAtomic()) return false;
    } else if (const auto* call = llvm::dyn_cast<llvm::CallInst>(user)) {
      const llvm::Function* callee = call->getCalledFunction();
      if (callee == nullptr) return false;
      const llvm::StringRef name = callee->getName();
      if (!name.starts_with("__tsan_read") && !name.starts_with("__tsan_write")) return false;
      if (name.contains("range")) return false;
      // What the compiler announces is folded only into the access right behind it.
      const llvm::Instruction* next = call->getNextNode();
      if (next == nullptr || (!llvm::isa<llvm::LoadInst>(next) && !llvm::isa<llvm::StoreInst>(next)))
        return false;
    } else {
      return false;
    }
  }
  return true;
}

FunctionDecoder::Address FunctionDecoder::address_of(const llvm::Value& pointer) {
  if (values_.contains(&pointer) || !is_folded(pointer)) return {single(pointer), 0, 0, 0, false};
  const auto& address = llvm::cast<llvm::GetElementPtrInst>(pointer);
  const Steps steps = *steps_of(layout_, address);
  // The base may be such an address itself.
  Address result = address_of(*address.getPointerOperand());
  if (steps.index != nullptr) {
    if (result.is_indexed) result = {materialized(result), 0, 0, 0, false};
    result.index = single(*steps.index);
    result.scale = static_cast<std::uint16_t>(steps.scale);
    result.is_indexed = true;
  }
  if (!is_small(result.offset + steps.offset))
    result = {materialized(result), result.index, result.scale, 0, false};
  result.offset += steps.offset;
  return result;
}

// The address itself, in a slot.
vm::Slot FunctionDecoder::materialized(const Address& address) {
  Slot slot = address.base;
  if (address.is_indexed)
    emit(Opcode::mul_add, slot = new_slot(), address.base, address.index, 0, address.scale);
  if (address.offset == 0) return slot;
  const Slot moved = new_slot();
  emit(Opcode::add_i, moved, slot, 0, 0, address.offset);
  return moved;
}

vm::Slot FunctionDecoder::address_slot(const llvm::Value& pointer) {
  return materialized(address_of(pointer));
}

void FunctionDecoder::decode_address(const llvm::GetElementPtrInst& instruction) {
  if (is_folded(instruction)) return;
  if (instruction.getType()->isVectorTy()) refuse(instruction);
  Slot at = address_slot(*instruction.getPointerOperand());
  std::int64_t offset = 0;
  for (auto step = llvm::gep_type_begin(instruction); step != llvm::gep_type_end(instruction); ++step) {
    const llvm::Value* index = step.getOperand();
    if (llvm::StructType* record = step.getStructTypeOrNull()) {
      const auto field = static_cast<unsigned>(llvm::cast<llvm::ConstantInt>(index)->getZExtValue());
      offset +=
          static_cast<std::int64_t>(layout_.getStructLayout(record)->getElementOffset(field).getFixedValue());
      continue;
    }
    const auto size = static_cast<std::int64_t>(step.getSequentialElementStride(layout_).getFixedValue());
    if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(index)) {
      offset += number->getValue().sextOrTrunc(64).getSExtValue() * size;
      continue;
    }
    const Slot by = sign_extended(single(*index), bits_of(layout_, index->getType()));
    const Slot next = new_slot();
    if (size > std::numeric_limits<std::int32_t>::max()) {
      const Slot scaled = new_slot();
      emit(Opcode::mul, scaled, by, constant(static_cast<std::uint64_t>(size)));
      emit(Opcode::add, next, at, scaled);
    } else {
      emit(Opcode::mul_add, next, at, by, 0, size);
    }
    at = next;
  }
  if (offset != 0) {
    const Slot next = new_slot();
    if (offset >= std::numeric_limits<std::int32_t>::min() &&
        offset <= std::numeric_limits<std::int32_t>::max())
      emit(Opcode::add_i, next, at, 0, 0, offset);
    else
      emit(Opcode::add, next, at, constant(static_cast<std::uint64_t>(offset)));
    at = next;
  }
  values_[&instruction] = {at};
}

// Whether the compiler has announced this access; then it is an instrumented one.
bool FunctionDecoder::takes_pending(const llvm::Value& pointer, std::uint64_t size) {
  const bool is_this = pending_pointer_ == &pointer && pending_size_ == size;
  pending_pointer_ = nullptr;
  return is_this;
}

void FunctionDecoder::check_aligned(const Address& address, std::uint64_t bytes) {
  if (bytes == 1) return;
  const Slot slot = materialized(address);
  emit(Opcode::check_aligned, 0, slot, 0, static_cast<Slot>(bytes));
}

void FunctionDecoder::decode_load(const llvm::LoadInst& instruction) {
  llvm::Type* type = instruction.getType();
  const llvm::Value& pointer = *instruction.getPointerOperand();
  const bool shared = takes_pending(pointer, layout_.getTypeStoreSize(type).getFixedValue());
  // What instrumentation leaves of an atomic load that it has replaced.
  if (instruction.isAtomic() && instruction.use_empty()) return;
  const Address address = address_of(pointer);
  if (instruction.isAtomic()) check_aligned(address, layout_.getTypeStoreSize(type).getFixedValue());
  if (const std::uint32_t bits = packed_bits(layout_, type); bits != 0) {
    if (shared) emit(Opcode::access, 0, materialized(address), 0, 0, (bits + 7) / 8);
    return load_packed(*type, bits, address, result_of(instruction));
  }
  const std::vector<Leaf> leaves = leaves_of(layout_, type);
  const Slots& d = result_of(instruction);
  if (shared && (leaves.size() != 1 || leaves[0].slots != 1)) {
    emit(Opcode::access, 0, materialized(address), 0, 0,
         static_cast<std::int64_t>(layout_.getTypeStoreSize(type).getFixedValue()));
  }
  std::size_t slot = 0;
  for (const Leaf& leaf : leaves) {
    load_leaf(leaf, address, d[slot], shared && leaves.size() == 1 && leaf.slots == 1);
    slot += leaf.slots;
  }
}

// A vector whose elements are no whole bytes is one integer in memory, the first element lowest.
void FunctionDecoder::load_packed(llvm::Type& type, std::uint32_t bits, const Address& address,
                                  const Slots& d) {
  const Slot whole = new_slot();
  load_bytes((bits + 7) / 8, address, whole, false);
  const auto each = static_cast<std::uint32_t>(bits / d.size());
  for (std::size_t i = 0; i < d.size(); ++i) {
    emit(Opcode::lshr_i, d[i], whole, 0, 0, static_cast<std::int64_t>(i * each));
    cut(d[i], d[i], bits_of(layout_, type.getScalarType()));
  }
}

void FunctionDecoder::store_packed(std::uint32_t bits, const Address& address, const Slots& from) {
  const Slot whole = new_slot();
  const Slot part = new_slot();
  emit(Opcode::move, whole, from[0]);
  for (std::size_t i = 1; i < from.size(); ++i) {
    emit(Opcode::shl_i, part, from[i], 0, 0, static_cast<std::int64_t>(i * (bits / from.size())));
    emit(Opcode::bit_or, whole, whole, part);
  }
  store_bytes((bits + 7) / 8, address, whole, false);
}

void FunctionDecoder::load_leaf(const Leaf& leaf, Address address, Slot d, bool shared) {
  if (leaf.bits == 0) refuse("a value without bits in memory");
  address.offset += static_cast<std::int64_t>(leaf.offset);
  if (leaf.slots == 2) {
    load_bytes(8, address, d, shared);
    address.offset += 8;
    load_bytes((leaf.bits + 7) / 8 - 8, address, static_cast<Slot>(d + 1), shared);
    return;
  }
  const std::uint32_t bytes = (leaf.bits + 7) / 8;
  load_bytes(bytes, address, d, shared);
  // Other bits of its bytes are zeros if a program has written them.
  if (leaf.bits % 8 != 0) cut(d, d, leaf.bits);
}

void FunctionDecoder::store_leaf(const Leaf& leaf, Address address, Slot from, bool shared) {
  address.offset += static_cast<std::int64_t>(leaf.offset);
  if (leaf.slots == 2) {
    store_bytes(8, address, from, shared);
    address.offset += 8;
    store_bytes((leaf.bits + 7) / 8 - 8, address, static_cast<Slot>(from + 1), shared);
    return;
  }
  store_bytes((leaf.bits + 7) / 8, address, from, shared);
}

void FunctionDecoder::load_bytes(std::uint32_t bytes, Address address, Slot d, bool shared) {
  if (std::has_single_bit(bytes)) {
    if (bytes < 8 && module_.is_for_states())
      emit(Opcode::read_part, 0, address.base, address.index, address.is_indexed ? address.scale : 0,
           address.offset);
    const Access access = load_of(bytes);
    const Opcode opcode = address.is_indexed ? access.indexed() : access.plain;
    emit(shared ? Access::shared(opcode) : opcode, d, address.base, address.index, address.scale,
         address.offset);
    return;
  }
  // In pieces, the largest first.
  const std::uint32_t first = std::bit_floor(bytes);
  load_bytes(first, address, d, shared);
  const Slot rest = new_slot();
  address.offset += first;
  load_bytes(bytes - first, address, rest, shared);
  emit(Opcode::shl_i, rest, rest, 0, 0, first * 8);
  emit(Opcode::bit_or, d, d, rest);
}

void FunctionDecoder::store_bytes(std::uint32_t bytes, Address address, Slot from, bool shared) {
  if (std::has_single_bit(bytes)) {
    const Access access = store_of(bytes);
    if (address.is_indexed) {
      const Opcode opcode = access.indexed();
      emit(shared ? Access::shared(opcode) : opcode, from, address.base, address.index, address.scale,
           address.offset);
    } else {
      emit(shared ? Access::shared(access.plain) : access.plain, 0, address.base, from, 0, address.offset);
    }
    return;
  }
  const std::uint32_t first = std::bit_floor(bytes);
  store_bytes(first, address, from, shared);
  const Slot rest = new_slot();
  emit(Opcode::lshr_i, rest, from, 0, 0, first * 8);
  address.offset += first;
  store_bytes(bytes - first, address, rest, shared);
}

void FunctionDecoder::decode_store(const llvm::StoreInst& instruction) {
  const llvm::Value& stored = *instruction.getValueOperand();
  const std::uint64_t size = layout_.getTypeStoreSize(stored.getType()).getFixedValue();
  const bool shared = takes_pending(*instruction.getPointerOperand(), size);
  const Address address = address_of(*instruction.getPointerOperand());
  if (instruction.isAtomic()) check_aligned(address, size);
  const Slots from = value(stored);
  if (const std::uint32_t bits = packed_bits(layout_, stored.getType()); bits != 0) {
    if (shared) emit(Opcode::access, 0, materialized(address), 0, 1, (bits + 7) / 8);
    return store_packed(bits, address, from);
  }
  const std::vector<Leaf> leaves = leaves_of(layout_, stored.getType());
  if (shared && (leaves.size() != 1 || leaves[0].slots != 1))
    emit(Opcode::access, 0, materialized(address), 0, 1, static_cast<std::int64_t>(size));
  std::size_t slot = 0;
  for (const Leaf& leaf : leaves) {
    store_leaf(leaf, address, from[slot], shared && leaves.size() == 1 && leaf.slots == 1);
    slot += leaf.slots;
  }
}

void FunctionDecoder::decode_allocation(const llvm::AllocaInst& instruction) {
  const auto size =
      static_cast<std::int64_t>(layout_.getTypeAllocSize(instruction.getAllocatedType()).getFixedValue());
  const auto alignment = static_cast<Slot>(std::max(4U, llvm::Log2(instruction.getAlign())));
  const Slot d = result_of(instruction)[0];
  name_local(instruction, d, static_cast<std::uint64_t>(size));
  const auto* count = llvm::dyn_cast<llvm::ConstantInt>(instruction.getArraySize());
  if (count != nullptr) {
    constexpr std::uint64_t kCountMax = std::uint64_t{1} << 31;  // so many do not fit
    emit(Opcode::allocate, d, 0, 0, alignment,
         size == 0 ? 0 : size * static_cast<std::int64_t>(count->getLimitedValue(kCountMax)));
  } else {
    emit(Opcode::allocate_array, d, single(*instruction.getArraySize()), 0, alignment, size);
  }
}

void FunctionDecoder::name_local(const llvm::AllocaInst& instruction, Slot address, std::uint64_t size) {
  const auto add = [&](const llvm::DILocalVariable& variable) {
    const llvm::DISubprogram* const of = variable.getScope()->getSubprogram();
    const llvm::StringRef linkage = of->getLinkageName();
    result_.locals.push_back(
        {address, size, (linkage.empty() ? of->getName() : linkage).str(), variable.getName().str()});
  };
  auto* const place = const_cast<llvm::AllocaInst*>(&instruction);
  for (const llvm::DbgDeclareInst* declared : llvm::findDbgDeclares(place)) add(*declared->getVariable());
  for (const llvm::DbgVariableRecord* declared : llvm::findDVRDeclares(place)) add(*declared->getVariable());
  for (const llvm::DbgVariableRecord* assigned : llvm::at::getDVRAssignmentMarkers(place)) {
    if (!assigned->getExpression()->isFragment()) add(*assigned->getVariable());
  }
}

// Atomic instructions of code that is not instrumented.
void FunctionDecoder::decode_update(const llvm::AtomicRMWInst& instruction) {
  const std::uint64_t size = layout_.getTypeStoreSize(instruction.getType()).getFixedValue();
  Update update = Update::exchange;
  switch (instruction.getOperation()) {
    case llvm::AtomicRMWInst::Xchg: break;
    case llvm::AtomicRMWInst::Add: update = Update::add; break;
    case llvm::AtomicRMWInst::Sub: update = Update::subtract; break;
    case llvm::AtomicRMWInst::And: update = Update::bit_and; break;
    case llvm::AtomicRMWInst::Or: update = Update::bit_or; break;
    case llvm::AtomicRMWInst::Xor: update = Update::bit_xor; break;
    case llvm::AtomicRMWInst::Nand: update = Update::bit_nand; break;
    default: refuse(instruction);
  }
  const Address address = address_of(*instruction.getPointerOperand());
  check_aligned(address, size);
  if (size == 16)
    return decode_wide_update(update, address, result_of(instruction)[0],
                              single(*instruction.getValOperand()));
  if (size > 8) refuse(instruction);
  emit(Opcode::quiet_update, result_of(instruction)[0], materialized(address),
       single(*instruction.getValOperand()), static_cast<Slot>(size), static_cast<std::int64_t>(update));
}

void FunctionDecoder::load_wide(Address address, Slot d) {
  load_bytes(8, address, d, false);
  address.offset += 8;
  load_bytes(8, address, static_cast<Slot>(d + 1), false);
}

void FunctionDecoder::store_wide(Address address, Slot from) {
  store_bytes(8, address, from, false);
  address.offset += 8;
  store_bytes(8, address, static_cast<Slot>(from + 1), false);
}

// Of 128 bits. No other thread runs in between.
void FunctionDecoder::decode_wide_update(Update update, const Address& address, Slot d, Slot by) {
  const Slot next = new_slots(2)[0];
  load_wide(address, d);
  switch (update) {
    case Update::exchange: return store_wide(address, by);
    case Update::add: compute(Computation::add128, next, d, by); break;
    case Update::subtract: compute(Computation::sub128, next, d, by); break;
    case Update::bit_or: compute(Computation::or128, next, d, by); break;
    case Update::bit_xor: compute(Computation::xor128, next, d, by); break;
    case Update::bit_and:
    case Update::bit_nand: compute(Computation::and128, next, d, by); break;
  }
  if (update == Update::bit_nand) {
    const std::uint64_t ones = ~std::uint64_t{0};
    compute(Computation::xor128, next, next, side_by_side({constant(ones), constant(ones)})[0]);
  }
  store_wide(address, next);
}

void FunctionDecoder::decode_exchange(const llvm::AtomicCmpXchgInst& instruction) {
  const std::uint64_t size =
      layout_.getTypeStoreSize(instruction.getCompareOperand()->getType()).getFixedValue();
  const Address address = address_of(*instruction.getPointerOperand());
  check_aligned(address, size);
  const Slots d = result_of(instruction);
  if (size == 16) {
    const Slot desired = single(*instruction.getNewValOperand());
    const Slot next = new_slots(2)[0];
    load_wide(address, d[0]);
    compute(Computation::eq128, d[2], d[0], single(*instruction.getCompareOperand()));
    emit(Opcode::select, next, d[2], desired, d[0]);
    emit(Opcode::select, static_cast<Slot>(next + 1), d[2], static_cast<Slot>(desired + 1),
         static_cast<Slot>(d[0] + 1));
    return store_wide(address, next);
  }
  if (size > 8) refuse(instruction);
  emit(Opcode::quiet_exchange, d[0], materialized(address), single(*instruction.getCompareOperand()),
       static_cast<Slot>(size), single(*instruction.getNewValOperand()));
}

}  // namespace thrum::bitcode
