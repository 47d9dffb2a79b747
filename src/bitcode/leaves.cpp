// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bitcode/leaves.hpp"

#include <string>

#include <llvm/IR/DerivedTypes.h>
#include <llvm/Support/raw_ostream.h>

#include "vm/code.hpp"

namespace thrum::bitcode {

namespace {

void add_leaves(const llvm::DataLayout& layout, llvm::Type* type, std::uint64_t offset,
                std::vector<Leaf>& leaves) {
  if (!is_composed(type)) {
    const std::uint32_t bits = bits_of(layout, type);
    leaves.push_back({type, offset, bits, bits > 64 ? 2U : 1U});
    return;
  }
  const std::uint32_t count = element_count(type);
  auto* record = llvm::dyn_cast<llvm::StructType>(type);
  const llvm::StructLayout* places = record ? layout.getStructLayout(record) : nullptr;
  for (std::uint32_t i = 0; i < count; ++i) {
    llvm::Type* element = element_type(type, i);
    const std::uint64_t size = type->isVectorTy() ? layout.getTypeSizeInBits(element).getFixedValue() / 8
                                                  : layout.getTypeAllocSize(element).getFixedValue();
    const std::uint64_t at = places ? places->getElementOffset(i).getFixedValue() : i * size;
    add_leaves(layout, element, offset + at, leaves);
  }
}

}  // namespace

std::string text_of(const llvm::Type* type) {
  std::string text;
  llvm::raw_string_ostream out(text);
  type->print(out);
  return text;
}

std::uint32_t bits_of(const llvm::DataLayout& layout, llvm::Type* type) {
  if (type->isPointerTy() || type->isFloatTy() || type->isDoubleTy() || type->isX86_FP80Ty())
    return static_cast<std::uint32_t>(layout.getTypeSizeInBits(type).getFixedValue());
  constexpr unsigned kWidest = 128;
  if (type->isIntegerTy() && type->getIntegerBitWidth() <= kWidest) return type->getIntegerBitWidth();
  throw vm::Refused{"values of type " + text_of(type)};
}

bool is_composed(const llvm::Type* type) { return type->isAggregateType() || type->isVectorTy(); }

std::uint32_t element_count(const llvm::Type* type) {
  if (const auto* record = llvm::dyn_cast<llvm::StructType>(type)) return record->getNumElements();
  std::uint64_t count = 0;
  if (const auto* array = llvm::dyn_cast<llvm::ArrayType>(type))
    count = array->getNumElements();
  else if (const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type))
    count = vector->getNumElements();
  else
    throw vm::Refused{"values of type " + text_of(type)};
  constexpr std::uint64_t kMost = 1 << 14;
  if (count > kMost) throw vm::Refused{"values of type " + text_of(type)};
  return static_cast<std::uint32_t>(count);
}

llvm::Type* element_type(const llvm::Type* type, std::uint32_t index) {
  if (const auto* record = llvm::dyn_cast<llvm::StructType>(type)) return record->getElementType(index);
  return type->getContainedType(0);
}

std::vector<Leaf> leaves_of(const llvm::DataLayout& layout, llvm::Type* type) {
  std::vector<Leaf> leaves;
  if (!type->isVoidTy()) add_leaves(layout, type, 0, leaves);
  return leaves;
}

std::uint32_t packed_bits(const llvm::DataLayout& layout, llvm::Type* type) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  if (vector == nullptr) {
    if (!type->isAggregateType() || element_count(type) == 0) return 0;
    const std::uint32_t kinds = type->isStructTy() ? element_count(type) : 1;
    for (std::uint32_t i = 0; i < kinds; ++i) {
      if (packed_bits(layout, element_type(type, i)) != 0)
        throw vm::Refused{"values of type " + text_of(type) + " in memory"};
    }
    return 0;
  }
  const std::uint32_t bits = bits_of(layout, vector->getElementType());
  if (bits % 8 == 0) return 0;
  if (bits * vector->getNumElements() > 64)
    throw vm::Refused{"values of type " + text_of(type) + " in memory"};
  return bits * vector->getNumElements();
}

std::uint32_t slots_of(const llvm::DataLayout& layout, llvm::Type* type) {
  std::uint32_t slots = 0;
  for (const Leaf& leaf : leaves_of(layout, type)) slots += leaf.slots;
  return slots;
}

}  // namespace thrum::bitcode
