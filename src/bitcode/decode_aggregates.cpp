// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structs and vectors are taken apart and put together without instructions: slots are shared.
#include <llvm/IR/Constants.h>

#include "bitcode/function_decoder.hpp"
#include "bitcode/module_decoder.hpp"

namespace thrum::bitcode {

// The slots of the part that the indices name; begin: where they stand among those of the whole.
FunctionDecoder::Slots FunctionDecoder::part_of(const llvm::Type* whole, llvm::ArrayRef<unsigned> indices,
                                                const Slots& slots, std::size_t& begin) {
  begin = 0;
  const llvm::Type* type = whole;
  for (unsigned index : indices) {
    for (std::uint32_t i = 0; i < index; ++i) begin += slots_of(layout_, element_type(type, i));
    type = element_type(type, index);
  }
  const std::size_t count = slots_of(layout_, const_cast<llvm::Type*>(type));
  const auto from = slots.begin() + static_cast<std::ptrdiff_t>(begin);
  return {from, from + static_cast<std::ptrdiff_t>(count)};
}

void FunctionDecoder::decode_aggregate(const llvm::Instruction& instruction) {
  std::size_t begin = 0;
  if (const auto* taken = llvm::dyn_cast<llvm::ExtractValueInst>(&instruction)) {
    const llvm::Value& whole = *taken->getAggregateOperand();
    values_[&instruction] = part_of(whole.getType(), taken->getIndices(), value(whole), begin);
    return;
  }
  const auto& put = llvm::cast<llvm::InsertValueInst>(instruction);
  Slots slots = value(*put.getAggregateOperand());
  part_of(put.getType(), put.getIndices(), slots, begin);
  const Slots& part = value(*put.getInsertedValueOperand());
  std::copy(part.begin(), part.end(), slots.begin() + static_cast<std::ptrdiff_t>(begin));
  values_[&instruction] = std::move(slots);
}

void FunctionDecoder::decode_element(const llvm::ExtractElementInst& instruction) {
  const llvm::Value& vector = *instruction.getVectorOperand();
  const std::uint32_t each = slots_of(layout_, instruction.getType());
  const std::uint32_t count = element_count(vector.getType());
  const Slots slots = value(vector);
  if (const auto* index = llvm::dyn_cast<llvm::ConstantInt>(instruction.getIndexOperand())) {
    const auto at = static_cast<std::ptrdiff_t>(index->getLimitedValue(count - 1) * each);
    values_[&instruction] = Slots(slots.begin() + at, slots.begin() + at + each);
    return;
  }
  if (each != 1) refuse(instruction);
  const Slots row = new_slots(count);
  for (std::uint32_t i = 0; i < count; ++i) emit(Opcode::move, row[i], slots[i]);
  emit(Opcode::element, result_of(instruction)[0], row[0], single(*instruction.getIndexOperand()), 0, count);
}

void FunctionDecoder::decode_insertion(const llvm::InsertElementInst& instruction) {
  const std::uint32_t count = element_count(instruction.getType());
  Slots slots = value(*instruction.getOperand(0));
  const Slots& element = value(*instruction.getOperand(1));
  if (const auto* index = llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(2))) {
    const std::uint64_t at = index->getLimitedValue(count - 1) * element.size();
    std::copy(element.begin(), element.end(), slots.begin() + static_cast<std::ptrdiff_t>(at));
    values_[&instruction] = std::move(slots);
    return;
  }
  if (element.size() != 1) refuse(instruction);
  const Slots row = new_slots(count);
  for (std::uint32_t i = 0; i < count; ++i) emit(Opcode::move, row[i], slots[i]);
  emit(Opcode::set_element, row[0], element[0], single(*instruction.getOperand(2)), 0, count);
  values_[&instruction] = row;
}

void FunctionDecoder::decode_shuffle(const llvm::ShuffleVectorInst& instruction) {
  const std::uint32_t each = slots_of(layout_, element_type(instruction.getType(), 0));
  Slots both = value(*instruction.getOperand(0));
  const Slots& second = value(*instruction.getOperand(1));
  both.insert(both.end(), second.begin(), second.end());
  Slots slots;
  for (int from : instruction.getShuffleMask()) {
    const std::size_t at = static_cast<std::size_t>(std::max(from, 0)) * each;
    for (std::uint32_t i = 0; i < each; ++i) slots.push_back(both[at + i]);
  }
  values_[&instruction] = std::move(slots);
}

}  // namespace thrum::bitcode
