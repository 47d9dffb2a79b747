// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One function of a module as instructions of the machine.
//
// A value is a list of slots, one for each of its scalars (leaves.hpp). Casts that change no bit, and what
// only takes structs and vectors apart and puts them together, cost no instruction: their values share slots.
// An address that is only loaded from and stored to becomes part of these instructions, and a comparison part
// of its branch. Phis become moves on the edges to their block. A call by which the compiler instruments an
// access, __tsan_read4 and so on, makes the access behind it an instrumented one.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "bitcode/endless_loops.hpp"
#include "bitcode/leaves.hpp"
#include "vm/code.hpp"
#include "vm/computations.hpp"

namespace thrum::bitcode {

class ModuleDecoder;

class FunctionDecoder {
 public:
  FunctionDecoder(ModuleDecoder& module, const llvm::Function& source, vm::Function& result);

  // Throws vm::Refused for what the machine does not run.
  void decode();

 private:
  using Slot = vm::Slot;
  using Opcode = vm::Opcode;
  using Slots = std::vector<Slot>;

  // base + index * scale + offset. index_is_used: else base + offset.
  struct Address {
    Slot base = 0;
    Slot index = 0;
    std::uint16_t scale = 0;
    std::int64_t offset = 0;
    bool is_indexed = false;
  };
  // Where control goes: a block, by what happens on the way there.
  struct Edge {
    const llvm::BasicBlock* from = nullptr;
    const llvm::BasicBlock* to = nullptr;
  };
  struct Jump {  // the immediate of an instruction that is to become an edge's begin
    std::size_t instruction;
    Edge edge;
  };
  struct SwitchEdge {
    std::size_t table;
    std::vector<std::pair<std::uint64_t, Edge>> cases;
    Edge otherwise;
  };
  struct PadEdge {
    std::size_t pad;
    Edge edge;
  };

  // Frame and blocks (function_decoder.cpp).
  void decode_once();
  void decode_block(const llvm::BasicBlock& block, const llvm::BasicBlock* next);
  void visit(const llvm::Instruction& instruction, const llvm::BasicBlock* next);
  Slot new_slot();
  Slots new_slots(std::uint32_t count);
  Slot constant(std::uint64_t value);
  Slot new_constant(std::uint64_t value);
  Slots slots_of_constant(const llvm::Constant& constant);
  const llvm::GlobalVariable* thread_local_base(const llvm::Value& of, llvm::APInt& offset) const;
  const Slots& value(const llvm::Value& of);
  Slot single(const llvm::Value& of);
  // The slots into which an instruction's result goes.
  Slots& result_of(const llvm::Instruction& instruction);
  std::size_t emit(Opcode opcode, Slot d, Slot a = 0, Slot b = 0, Slot c = 0, std::int64_t immediate = 0);
  void compute(vm::Computation computation, Slot d, Slot a, Slot b = 0, Slot c = 0);
  void decode_branch(const llvm::BranchInst& branch, const llvm::BasicBlock* next);
  void decode_condition(const llvm::BranchInst& branch);
  void decode_switch(const llvm::SwitchInst& branch, const llvm::BasicBlock* next);
  void decode_wide_switch(const llvm::SwitchInst& branch, const llvm::BasicBlock* next);
  void decode_return(const llvm::ReturnInst& instruction);
  void go_to(Edge edge, const llvm::BasicBlock* next);
  bool has_code(Edge edge) const;
  bool completes_round(Edge edge) const;
  void emit_edge(Edge edge);
  void emit_moves(Edge edge);
  std::uint32_t begin_of(Edge edge);
  void finish_edges();
  [[noreturn]] void refuse(const std::string& what) const;
  [[noreturn]] void refuse(const llvm::Instruction& instruction) const;

  // Addresses that become numbers (decode_escapes.cpp).
  void note_escapes(const llvm::Instruction& instruction);
  void note_escapes_of_binary(const llvm::BinaryOperator& binary);
  void note_escapes_of_cast(const llvm::CastInst& cast);
  void note_escape(const llvm::Value& of);

  // Integers and floating point (decode_arithmetic.cpp). Of vectors, element by element.
  void decode_binary(const llvm::BinaryOperator& instruction);
  void integer_operation(unsigned opcode, std::uint32_t bits, Slot d, Slot a, Slot b,
                         const llvm::Value* immediate_of);
  void wide_operation(unsigned opcode, std::uint32_t bits, Slot d, Slot a, Slot b);
  Slot wide_sign_extended(Slot from, std::uint32_t bits);
  void cut_wide(Slot d, std::uint32_t bits);
  Slots side_by_side(const Slots& slots);
  void float_operation(unsigned opcode, const llvm::Type* type, Slot d, Slot a, Slot b);
  void decode_comparison(const llvm::CmpInst& instruction);
  void compare_integers(llvm::CmpInst::Predicate predicate, std::uint32_t bits, Slot d, Slot a, Slot b,
                        const llvm::Value* immediate_of);
  void compare_wide(llvm::CmpInst::Predicate predicate, std::uint32_t bits, Slot d, Slot a, Slot b);
  void compare_floats(llvm::CmpInst::Predicate predicate, const llvm::Type* type, Slot d, Slot a, Slot b);
  void decode_cast(const llvm::CastInst& instruction);
  void cast_scalar(unsigned opcode, llvm::Type* from, llvm::Type* to, const Slots& in, Slots& out);
  void cast_float(unsigned opcode, llvm::Type* from, llvm::Type* to, const Slots& in, Slots& out);
  void cast_bits(const llvm::CastInst& instruction);
  void decode_select(const llvm::SelectInst& instruction);
  void decode_negation(const llvm::UnaryOperator& instruction);
  Slot sign_extended(Slot from, std::uint32_t bits);
  void cut(Slot d, Slot from, std::uint32_t bits);
  static std::optional<std::int64_t> immediate(const llvm::Value* value, bool is_cut);
  static bool fuses(const llvm::CmpInst& comparison);

  // Parts of structs and vectors (decode_aggregates.cpp).
  void decode_aggregate(const llvm::Instruction& instruction);
  Slots part_of(const llvm::Type* whole, llvm::ArrayRef<unsigned> indices, const Slots& slots,
                std::size_t& begin);
  void decode_element(const llvm::ExtractElementInst& instruction);
  void decode_insertion(const llvm::InsertElementInst& instruction);
  void decode_shuffle(const llvm::ShuffleVectorInst& instruction);

  // Memory (decode_memory.cpp).
  Address address_of(const llvm::Value& pointer);
  Slot address_slot(const llvm::Value& pointer);
  Slot materialized(const Address& address);
  void decode_address(const llvm::GetElementPtrInst& instruction);
  bool is_folded(const llvm::Value& pointer) const;
  void decode_load(const llvm::LoadInst& instruction);
  void decode_store(const llvm::StoreInst& instruction);
  void load_leaf(const Leaf& leaf, Address address, Slot d, bool shared);
  void store_leaf(const Leaf& leaf, Address address, Slot from, bool shared);
  void load_bytes(std::uint32_t bytes, Address address, Slot d, bool shared);
  void store_bytes(std::uint32_t bytes, Address address, Slot from, bool shared);
  void load_packed(llvm::Type& type, std::uint32_t bits, const Address& address, const Slots& d);
  void store_packed(std::uint32_t bits, const Address& address, const Slots& from);
  void load_wide(Address address, Slot d);
  void store_wide(Address address, Slot from);
  void decode_wide_update(Update update, const Address& address, Slot d, Slot by);
  void check_aligned(const Address& address, std::uint64_t bytes);
  void decode_allocation(const llvm::AllocaInst& instruction);
  void name_local(const llvm::AllocaInst& instruction, Slot address, std::uint64_t size);
  void decode_update(const llvm::AtomicRMWInst& instruction);
  void decode_exchange(const llvm::AtomicCmpXchgInst& instruction);
  bool takes_pending(const llvm::Value& pointer, std::uint64_t size);

  // Calls (decode_calls.cpp).
  void decode_call(const llvm::CallBase& call, const llvm::BasicBlock* next);
  void decode_landing_pad(const llvm::LandingPadInst& pad);
  std::uint32_t add_pad(const llvm::InvokeInst& invoke);
  void copy_by_value_arguments();
  void decode_assembly(const llvm::CallBase& call);
  vm::CallSite::Variable variable_argument(const llvm::CallBase& call, unsigned number);
  bool decode_instrumentation(const llvm::CallBase& call, llvm::StringRef name);
  bool decode_instrumented_access(const llvm::CallBase& call, llvm::StringRef rest);
  void decode_atomic(const llvm::CallBase& call, llvm::StringRef rest);
  void share(const llvm::Instruction& instruction, const llvm::Value& of);

  // Intrinsics (decode_intrinsics.cpp).
  void decode_intrinsic(const llvm::IntrinsicInst& call);
  bool decode_integer_intrinsic(const llvm::IntrinsicInst& call);
  bool integer_intrinsic(unsigned id, std::uint32_t bits, Slot d, Slot a, Slot b, Slot c);
  bool decode_float_intrinsic(const llvm::IntrinsicInst& call);
  bool decode_memory_intrinsic(const llvm::IntrinsicInst& call);
  void decode_overflow(const llvm::IntrinsicInst& call, vm::Computation computation, bool is_signed);
  bool wide_intrinsic(unsigned id, std::uint32_t bits, Slot d, Slot a, Slot b, Slot c);
  void funnel_shift(bool left, std::uint32_t bits, Slot d, Slot a, Slot b, Slot c);
  void decode_three_way(const llvm::IntrinsicInst& call, bool is_signed);
  void decode_object_size(const llvm::IntrinsicInst& call);
  void decode_reduction(const llvm::IntrinsicInst& call, unsigned opcode);
  bool decode_extreme(const llvm::IntrinsicInst& call, unsigned of_two);

  ModuleDecoder& module_;
  const llvm::Function& source_;
  EndlessLoops endless_loops_;
  const llvm::DataLayout& layout_;
  vm::Function& result_;
  std::unordered_map<const llvm::Value*, Slots> values_;
  std::unordered_map<std::uint64_t, Slot> constant_slots_;
  std::uint32_t constants_reserved_ = 0;
  std::uint32_t next_slot_ = 0;
  std::uint32_t location_ = 0;
  Slots thread_local_;
  Slot scrap_ = 0;  // for results that nobody reads
  std::unordered_map<const llvm::BasicBlock*, std::uint32_t> block_begins_;
  std::vector<Jump> jumps_;
  std::vector<SwitchEdge> switch_edges_;
  std::vector<PadEdge> pad_edges_;
  // The compiler has announced an access to so many bytes there, which comes next.
  const llvm::Value* pending_pointer_ = nullptr;
  std::uint64_t pending_size_ = 0;
};

}  // namespace thrum::bitcode
