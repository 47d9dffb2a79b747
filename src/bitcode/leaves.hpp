// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How values of a type stand in slots: a struct, an array or a vector as one scalar after the other.
#pragma once

#include <cstdint>
#include <vector>

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Type.h>

namespace thrum::bitcode {

struct Leaf {
  llvm::Type* type = nullptr;
  std::uint64_t offset = 0;  // in memory, bytes from the begin of the whole
  std::uint32_t bits = 0;
  std::uint32_t slots = 1;  // 2: more than 64 bits
};

// The number of bits of a scalar. Throws vm::Refused for a type that the machine does not have.
std::uint32_t bits_of(const llvm::DataLayout& layout, llvm::Type* type);

// Whether a value of the type is one after the other of its elements.
bool is_composed(const llvm::Type* type);
std::uint32_t element_count(const llvm::Type* type);
llvm::Type* element_type(const llvm::Type* type, std::uint32_t index);

// The scalars of a type in order. Throws vm::Refused as above.
std::vector<Leaf> leaves_of(const llvm::DataLayout& layout, llvm::Type* type);
// The bits in memory of a vector whose elements are no whole bytes; 0: the type is something else. Refuses
// those of more than 64 bits, and those within a value of another type.
std::uint32_t packed_bits(const llvm::DataLayout& layout, llvm::Type* type);
std::uint32_t slots_of(const llvm::DataLayout& layout, llvm::Type* type);

// The type as LLVM writes it.
std::string text_of(const llvm::Type* type);

}  // namespace thrum::bitcode
