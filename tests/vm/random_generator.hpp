// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What makes a module of random functions: types, values, statements (random_statements.cpp) and functions
// (random_function.cpp).
//
// A function is a row of statements, each of which takes values that are there, makes one more, and mixes it
// into the digest. Statements that hold others (branches, loops, switches) drop the values that were made in
// them, and take one out by a phi. What could be undefined is guarded: counts of shifts are reduced, divisors
// made odd, indices reduced, floating-point values that are not finite replaced, conversions clamped.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

namespace random_function {

using llvm::Instruction;
using llvm::Type;
using llvm::Value;

inline constexpr unsigned kWidths[] = {1, 8, 13, 16, 24, 32, 33, 64, 65, 128};
inline constexpr unsigned kBytes = 64;  // of each piece of memory that is written byte by byte

class Generator {
 public:
  Generator(llvm::LLVMContext& context, llvm::Module& module, std::uint64_t seed)
      : context_(context), module_(module), b_(context), random_(seed) {}

  void make(int functions);

 private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <typename T, std::size_t kCount>
  const T& one_of(const T (&of)[kCount]) {
    return of[below(kCount)];
  }

  // Types.
  Type* integer(unsigned bits) { return llvm::IntegerType::get(context_, bits); }
  Type* i64() { return b_.getInt64Ty(); }
  Type* random_integer() { return integer(one_of(kWidths)); }
  Type* random_real();
  Type* random_vector();
  Type* random_struct();
  Type* random_type();

  // Values.
  llvm::ConstantInt* number(Type* type, std::uint64_t value) {
    return llvm::cast<llvm::ConstantInt>(llvm::ConstantInt::get(type, value));
  }
  llvm::Constant* random_constant(Type* type);
  Value* value(Type* type);
  Value* converted(Type* type);
  Value* condition() { return value(integer(1)); }
  Value* proper(Value* real);
  Value* masked(Value* count);
  Value* index(unsigned count) { return b_.CreateURem(value(i64()), number(i64(), count)); }
  Value* keep(Value* made);
  void digest(Value* made);
  void mix(Value* word);

  // Functions.
  void start(llvm::Function* function);
  void make_helper();
  void make_variable();
  void make_by_value();
  void make_function(int number);
  void make_main(int functions);
  Value* next_variable(Value* list, bool is_real);

  // Statements.
  void statements(unsigned count);
  void statement();
  void binary();
  void cast();
  void compare_and_select();
  void bits_intrinsic();
  void overflow();
  void real_arithmetic();
  void real_intrinsic();
  void conversion();
  void vector();
  void vector_arithmetic(Value* a, Value* b);
  void aggregate();
  void bytes();
  void whole_in_memory();
  void record();
  void move_bytes();
  void small_things();
  void call_helper();
  void call_indirectly();
  void call_variable();
  void call_by_value();
  void branch();
  void loop();
  void switch_over();

  llvm::LLVMContext& context_;
  llvm::Module& module_;
  llvm::IRBuilder<> b_;
  std::mt19937_64 random_;
  std::vector<Value*> pool_;
  Value* digest_ = nullptr;  // a variable
  Value* local_ = nullptr;   // kBytes of the function
  llvm::GlobalVariable* global_ = nullptr;
  llvm::GlobalVariable* constants_ = nullptr;
  llvm::GlobalVariable* table_ = nullptr;  // of functions
  llvm::Function* variable_ = nullptr;
  llvm::Function* by_value_ = nullptr;
  llvm::StructType* by_value_type_ = nullptr;
  llvm::Function* current_ = nullptr;
  std::vector<llvm::Function*> helpers_;
  std::vector<llvm::Function*> made_;
  std::vector<llvm::Function*> table_content_;
  unsigned depth_ = 0;
};

}  // namespace random_function
