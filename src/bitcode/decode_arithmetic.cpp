// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers stand in slots extended by zeros. Where an operation needs the sign, its operands are extended by
// it first; where its result may be wider than its type, it is cut.
#include <limits>

#include <llvm/IR/Constants.h>
#include <llvm/IR/Operator.h>

#include "bitcode/function_decoder.hpp"
#include "bitcode/module_decoder.hpp"

namespace thrum::bitcode {

using llvm::CmpInst;
using llvm::Instruction;
using vm::Computation;
using vm::Opcode;

namespace {

// The row behind it in operations.def: the same with an immediate.
Opcode with_immediate(Opcode opcode) { return static_cast<Opcode>(static_cast<unsigned>(opcode) + 1); }
// Behind these: the branches.
Opcode as_branch(Opcode opcode) { return static_cast<Opcode>(static_cast<unsigned>(opcode) + 2); }

struct IntegerOperation {
  Opcode wide;
  Opcode narrow;      // of 32 bits
  bool is_signed;     // needs its operands' signs
  bool may_overflow;  // its result may be wider than its operands
};

IntegerOperation integer_operation_of(unsigned opcode) {
  switch (opcode) {
    case Instruction::Add: return {Opcode::add, Opcode::add32, false, true};
    case Instruction::Sub: return {Opcode::sub, Opcode::sub32, false, true};
    case Instruction::Mul: return {Opcode::mul, Opcode::mul32, false, true};
    case Instruction::Shl: return {Opcode::shl, Opcode::shl32, false, true};
    case Instruction::And: return {Opcode::bit_and, Opcode::bit_and, false, false};
    case Instruction::Or: return {Opcode::bit_or, Opcode::bit_or, false, false};
    case Instruction::Xor: return {Opcode::bit_xor, Opcode::bit_xor, false, false};
    case Instruction::LShr: return {Opcode::lshr, Opcode::lshr, false, false};
    case Instruction::UDiv: return {Opcode::udiv, Opcode::udiv, false, false};
    case Instruction::URem: return {Opcode::urem, Opcode::urem, false, false};
    case Instruction::AShr: return {Opcode::ashr, Opcode::ashr32, true, true};
    case Instruction::SDiv: return {Opcode::sdiv, Opcode::sdiv32, true, true};
    case Instruction::SRem: return {Opcode::srem, Opcode::srem32, true, true};
    default: throw vm::Refused{"an operation on integers that is not known"};
  }
}

Computation wide_computation(unsigned opcode) {
  switch (opcode) {
    case Instruction::Add: return Computation::add128;
    case Instruction::Sub: return Computation::sub128;
    case Instruction::Mul: return Computation::mul128;
    case Instruction::Shl: return Computation::shl128;
    case Instruction::LShr: return Computation::lshr128;
    case Instruction::AShr: return Computation::ashr128;
    case Instruction::UDiv: return Computation::udiv128;
    case Instruction::SDiv: return Computation::sdiv128;
    case Instruction::URem: return Computation::urem128;
    case Instruction::And: return Computation::and128;
    case Instruction::Or: return Computation::or128;
    case Instruction::Xor: return Computation::xor128;
    default: return Computation::srem128;
  }
}

Opcode comparison_of(CmpInst::Predicate predicate, bool narrow) {
  switch (predicate) {
    case CmpInst::ICMP_EQ: return Opcode::eq;
    case CmpInst::ICMP_NE: return Opcode::ne;
    case CmpInst::ICMP_ULT: return Opcode::ult;
    case CmpInst::ICMP_ULE: return Opcode::ule;
    case CmpInst::ICMP_UGT: return Opcode::ugt;
    case CmpInst::ICMP_UGE: return Opcode::uge;
    case CmpInst::ICMP_SLT: return narrow ? Opcode::slt32 : Opcode::slt;
    case CmpInst::ICMP_SLE: return narrow ? Opcode::sle32 : Opcode::sle;
    case CmpInst::ICMP_SGT: return narrow ? Opcode::sgt32 : Opcode::sgt;
    default: return narrow ? Opcode::sge32 : Opcode::sge;
  }
}

// The computations for float, double and long double stand one behind the other.
Computation by_type(Computation of_float, const llvm::Type* type) {
  const int by = type->isFloatTy() ? 0 : type->isDoubleTy() ? 1 : 2;
  return static_cast<Computation>(static_cast<int>(of_float) + by);
}

bool is_two_slots(std::uint32_t bits) { return bits > 64; }

}  // namespace

vm::Slot FunctionDecoder::sign_extended(Slot from, std::uint32_t bits) {
  if (bits >= 64) return from;
  const Slot to = new_slot();
  switch (bits) {
    case 8: emit(Opcode::sign8, to, from); break;
    case 16: emit(Opcode::sign16, to, from); break;
    case 32: emit(Opcode::sign32, to, from); break;
    default: emit(Opcode::sign, to, from, 0, 0, bits);
  }
  return to;
}

void FunctionDecoder::cut(Slot d, Slot from, std::uint32_t bits) {
  constexpr std::uint32_t kImmediateBits = 31;
  if (bits == 32) {
    emit(Opcode::truncate32, d, from);
  } else if (bits < kImmediateBits) {
    emit(Opcode::bit_and_i, d, from, 0, 0, (std::int64_t{1} << bits) - 1);
  } else if (bits < 64) {
    emit(Opcode::bit_and, d, from, constant((std::uint64_t{1} << bits) - 1));
  } else if (d != from) {
    emit(Opcode::move, d, from);
  }
}

// A constant operand as an immediate. is_cut: only the low bits of the result count, so that its sign may be
// extended.
std::optional<std::int64_t> FunctionDecoder::immediate(const llvm::Value* value, bool is_cut) {
  const auto* number = value ? llvm::dyn_cast<llvm::ConstantInt>(value) : nullptr;
  if (number == nullptr || number->getBitWidth() > 64) return std::nullopt;
  const std::int64_t as_is = is_cut || number->getBitWidth() == 64
                                 ? number->getSExtValue()
                                 : static_cast<std::int64_t>(number->getZExtValue());
  if (as_is < std::numeric_limits<std::int32_t>::min() || as_is > std::numeric_limits<std::int32_t>::max())
    return std::nullopt;
  return as_is;
}

void FunctionDecoder::decode_binary(const llvm::BinaryOperator& instruction) {
  llvm::Type* type = instruction.getType()->getScalarType();
  const Slots a = value(*instruction.getOperand(0));
  const unsigned opcode = instruction.getOpcode();
  const bool is_vector = instruction.getType()->isVectorTy();
  const std::uint32_t bits = bits_of(layout_, type);
  const llvm::Value* right = is_vector || is_two_slots(bits) ? nullptr : instruction.getOperand(1);
  const Slots& d = result_of(instruction);
  const bool has_immediate = type->isIntegerTy() && immediate(right, false).has_value();
  const Slots b = has_immediate ? Slots{0} : value(*instruction.getOperand(1));
  const std::size_t each = is_two_slots(bits) ? 2 : 1;
  for (std::size_t i = 0; i < d.size(); i += each) {
    if (!type->isIntegerTy())
      float_operation(opcode, type, d[i], a[i], b[i]);
    else if (each == 2)
      wide_operation(opcode, bits, d[i], a[i], b[i]);
    else
      integer_operation(opcode, bits, d[i], a[i], b[i], has_immediate ? right : nullptr);
  }
}

void FunctionDecoder::integer_operation(unsigned opcode, std::uint32_t bits, Slot d, Slot a, Slot b,
                                        const llvm::Value* immediate_of) {
  const IntegerOperation operation = integer_operation_of(opcode);
  const bool is_native = bits == 64 || bits == 32;
  if (bits == 32 && operation.narrow != operation.wide) {
    if (immediate_of)
      emit(with_immediate(operation.narrow), d, a, 0, 0, *immediate(immediate_of, true));
    else
      emit(operation.narrow, d, a, b);
    return;
  }
  if (operation.is_signed && !is_native) {
    a = sign_extended(a, bits);
    // The count of a shift has no sign.
    const bool is_shift = opcode == Instruction::AShr;
    if (immediate_of && !is_shift) {
      const auto* number = llvm::cast<llvm::ConstantInt>(immediate_of);
      b = constant(static_cast<std::uint64_t>(number->getSExtValue()));
      immediate_of = nullptr;
    } else if (!immediate_of && !is_shift) {
      b = sign_extended(b, bits);
    }
  }
  if (immediate_of)
    emit(with_immediate(operation.wide), d, a, 0, 0, *immediate(immediate_of, false));
  else
    emit(operation.wide, d, a, b);
  if (operation.may_overflow && !is_native) cut(d, d, bits);
}

void FunctionDecoder::wide_operation(unsigned opcode, std::uint32_t bits, Slot d, Slot a, Slot b) {
  const IntegerOperation operation = integer_operation_of(opcode);
  if (operation.is_signed) {
    a = wide_sign_extended(a, bits);
    if (opcode != Instruction::AShr) b = wide_sign_extended(b, bits);
  }
  compute(wide_computation(opcode), d, a, b);
  if (operation.may_overflow) cut_wide(d, bits);
}

// Two slots of which the upper one has bits - 64 bits: extended by their sign to 128 bits.
vm::Slot FunctionDecoder::wide_sign_extended(Slot from, std::uint32_t bits) {
  if (bits == 128) return from;
  const Slots to = new_slots(2);
  emit(Opcode::move, to[0], from);
  emit(Opcode::sign, to[1], static_cast<Slot>(from + 1), 0, 0, bits - 64);
  return to[0];
}

void FunctionDecoder::cut_wide(Slot d, std::uint32_t bits) {
  if (bits != 128) cut(static_cast<Slot>(d + 1), static_cast<Slot>(d + 1), bits - 64);
}

void FunctionDecoder::float_operation(unsigned opcode, const llvm::Type* type, Slot d, Slot a, Slot b) {
  if (opcode == Instruction::FRem) {
    compute(type->isFloatTy()    ? Computation::rem32
            : type->isDoubleTy() ? Computation::rem64
                                 : Computation::rem80,
            d, a, b);
    return;
  }
  const bool narrow = type->isFloatTy();
  if (type->isX86_FP80Ty()) {
    compute(opcode == Instruction::FAdd   ? Computation::add80
            : opcode == Instruction::FSub ? Computation::sub80
            : opcode == Instruction::FMul ? Computation::mul80
                                          : Computation::div80,
            d, a, b);
    return;
  }
  switch (opcode) {
    case Instruction::FAdd: emit(narrow ? Opcode::fadd32 : Opcode::fadd, d, a, b); return;
    case Instruction::FSub: emit(narrow ? Opcode::fsub32 : Opcode::fsub, d, a, b); return;
    case Instruction::FMul: emit(narrow ? Opcode::fmul32 : Opcode::fmul, d, a, b); return;
    default: emit(narrow ? Opcode::fdiv32 : Opcode::fdiv, d, a, b);
  }
}

void FunctionDecoder::decode_negation(const llvm::UnaryOperator& instruction) {
  llvm::Type* type = instruction.getType()->getScalarType();
  const Slots a = value(*instruction.getOperand(0));
  const Slots& d = result_of(instruction);
  if (type->isX86_FP80Ty()) {
    for (std::size_t i = 0; i < d.size(); i += 2) compute(Computation::neg80, d[i], a[i]);
    return;
  }
  const Slot sign = constant(std::uint64_t{1} << (type->isFloatTy() ? 31 : 63));
  for (std::size_t i = 0; i < d.size(); ++i) emit(Opcode::bit_xor, d[i], a[i], sign);
}

// A comparison that only its block's branch asks for is part of it.
bool FunctionDecoder::fuses(const llvm::CmpInst& comparison) {
  if (!comparison.hasOneUse() || !llvm::isa<llvm::ICmpInst>(comparison)) return false;
  llvm::Type* type = comparison.getOperand(0)->getType();
  if (type->isVectorTy() || (type->isIntegerTy() && type->getIntegerBitWidth() > 64)) return false;
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(comparison.user_back());
  return branch != nullptr && branch->getParent() == comparison.getParent() &&
         branch->getSuccessor(0) != branch->getSuccessor(1);
}

void FunctionDecoder::decode_condition(const llvm::BranchInst& branch) {
  const Edge edge{branch.getParent(), branch.getSuccessor(0)};
  const auto* comparison = llvm::dyn_cast<llvm::CmpInst>(branch.getCondition());
  if (comparison == nullptr || !fuses(*comparison)) {
    jumps_.push_back({emit(Opcode::br, 0, single(*branch.getCondition())), edge});
    return;
  }
  const std::uint32_t bits = bits_of(layout_, comparison->getOperand(0)->getType());
  const bool is_signed = comparison->isSigned();
  const bool is_native = bits == 64 || bits == 32;
  const Opcode opcode = comparison_of(comparison->getPredicate(), bits == 32);
  Slot a = single(*comparison->getOperand(0));
  if (is_signed && !is_native) a = sign_extended(a, bits);
  const llvm::Value* right = comparison->getOperand(1);
  std::optional<std::int64_t> number = immediate(right, is_signed);
  if (right->getType()->isPointerTy() && llvm::isa<llvm::ConstantPointerNull>(right)) number = 0;
  const bool fits = number && *number >= std::numeric_limits<std::int16_t>::min() &&
                    *number <= std::numeric_limits<std::int16_t>::max();
  std::size_t at = 0;
  if (fits) {
    at = emit(with_immediate(as_branch(opcode)), 0, a, static_cast<Slot>(*number));
  } else {
    Slot b = single(*right);
    if (is_signed && !is_native) b = sign_extended(b, bits);
    at = emit(as_branch(opcode), 0, a, b);
  }
  jumps_.push_back({at, edge});
}

void FunctionDecoder::decode_comparison(const llvm::CmpInst& instruction) {
  if (fuses(instruction)) return;
  llvm::Type* type = instruction.getOperand(0)->getType()->getScalarType();
  const bool is_vector = instruction.getType()->isVectorTy();
  const Slots a = value(*instruction.getOperand(0));
  const Slots& d = result_of(instruction);
  const std::uint32_t bits = bits_of(layout_, type);
  const std::size_t each = is_two_slots(bits) ? 2 : 1;
  const bool is_integer = llvm::isa<llvm::ICmpInst>(instruction);
  const llvm::Value* right = is_vector || each == 2 || !is_integer ? nullptr : instruction.getOperand(1);
  if (!immediate(right, instruction.isSigned())) right = nullptr;
  const Slots b = right ? Slots{0} : value(*instruction.getOperand(1));
  for (std::size_t i = 0; i < d.size(); ++i) {
    const std::size_t at = i * each;
    if (!is_integer)
      compare_floats(instruction.getPredicate(), type, d[i], a[at], b[at]);
    else if (each == 2)
      compare_wide(instruction.getPredicate(), bits, d[i], a[at], b[at]);
    else
      compare_integers(instruction.getPredicate(), bits, d[i], a[i], b[i], right);
  }
}

void FunctionDecoder::compare_integers(CmpInst::Predicate predicate, std::uint32_t bits, Slot d, Slot a,
                                       Slot b, const llvm::Value* immediate_of) {
  const bool is_signed = CmpInst::isSigned(predicate);
  const bool extends = is_signed && bits != 64 && bits != 32;
  if (extends) a = sign_extended(a, bits);
  const Opcode opcode = comparison_of(predicate, bits == 32);
  if (immediate_of) {
    emit(with_immediate(opcode), d, a, 0, 0, *immediate(immediate_of, is_signed));
  } else {
    emit(opcode, d, a, extends ? sign_extended(b, bits) : b);
  }
}

void FunctionDecoder::compare_wide(CmpInst::Predicate predicate, std::uint32_t bits, Slot d, Slot a, Slot b) {
  const bool is_signed = CmpInst::isSigned(predicate);
  if (is_signed) {
    a = wide_sign_extended(a, bits);
    b = wide_sign_extended(b, bits);
  }
  const Computation less = is_signed ? Computation::slt128 : Computation::ult128;
  bool is_negated = false;
  switch (predicate) {
    case CmpInst::ICMP_EQ:
    case CmpInst::ICMP_NE:
      compute(Computation::eq128, d, a, b);
      is_negated = predicate == CmpInst::ICMP_NE;
      break;
    case CmpInst::ICMP_ULT:
    case CmpInst::ICMP_SLT:
    case CmpInst::ICMP_UGE:
    case CmpInst::ICMP_SGE:
      compute(less, d, a, b);
      is_negated = predicate == CmpInst::ICMP_UGE || predicate == CmpInst::ICMP_SGE;
      break;
    default:
      compute(less, d, b, a);
      is_negated = predicate == CmpInst::ICMP_ULE || predicate == CmpInst::ICMP_SLE;
  }
  if (is_negated) emit(Opcode::bit_xor_i, d, d, 0, 0, 1);
}

void FunctionDecoder::compare_floats(CmpInst::Predicate predicate, const llvm::Type* type, Slot d, Slot a,
                                     Slot b) {
  const auto outcomes = static_cast<Slot>(predicate);
  static_assert(CmpInst::FCMP_OEQ == vm::kEqual && CmpInst::FCMP_OGT == vm::kGreater &&
                CmpInst::FCMP_OLT == vm::kLess && CmpInst::FCMP_UNO == vm::kUnordered);
  if (type->isX86_FP80Ty()) return compute(Computation::compare80, d, a, b, constant(outcomes));
  emit(type->isFloatTy() ? Opcode::fcmp32 : Opcode::fcmp, d, a, b, outcomes);
}

void FunctionDecoder::decode_select(const llvm::SelectInst& instruction) {
  const Slots condition = value(*instruction.getCondition());
  const Slots yes = value(*instruction.getTrueValue());
  const Slots no = value(*instruction.getFalseValue());
  const Slots& d = result_of(instruction);
  const std::size_t each = condition.size() == 1 ? d.size() : d.size() / condition.size();
  // In a loop the result may be an operand's slot by a phi; each slot is read before it is written.
  for (std::size_t i = 0; i < d.size(); ++i)
    emit(Opcode::select, d[i], condition[condition.size() == 1 ? 0 : i / each], yes[i], no[i]);
}

void FunctionDecoder::decode_cast(const llvm::CastInst& instruction) {
  if (instruction.getOpcode() == Instruction::BitCast ||
      instruction.getOpcode() == Instruction::AddrSpaceCast)
    return cast_bits(instruction);
  llvm::Type* from = instruction.getSrcTy()->getScalarType();
  llvm::Type* to = instruction.getDestTy()->getScalarType();
  const Slots in = value(*instruction.getOperand(0));
  const std::size_t each = is_two_slots(bits_of(layout_, from)) ? 2 : 1;
  Slots out;
  for (std::size_t i = 0; i < in.size(); i += each) {
    const auto at = in.begin() + static_cast<std::ptrdiff_t>(i);
    cast_scalar(instruction.getOpcode(), from, to, Slots(at, at + static_cast<std::ptrdiff_t>(each)), out);
  }
  values_[&instruction] = std::move(out);
}

void FunctionDecoder::cast_scalar(unsigned opcode, llvm::Type* from, llvm::Type* to, const Slots& in,
                                  Slots& out) {
  const std::uint32_t from_bits = bits_of(layout_, from);
  const std::uint32_t to_bits = bits_of(layout_, to);
  switch (opcode) {
    case Instruction::IntToPtr:
    case Instruction::PtrToInt:
    case Instruction::ZExt:
    case Instruction::Trunc: {
      const std::uint32_t bits = std::min(from_bits, to_bits);
      if (is_two_slots(to_bits)) {
        const Slots d = new_slots(2);
        emit(Opcode::move, d[0], in[0]);
        if (bits <= 64)
          emit(Opcode::constant, d[1]);
        else if (bits == from_bits)
          emit(Opcode::move, d[1], in[1]);
        else
          cut(d[1], in[1], bits - 64);
        out.insert(out.end(), d.begin(), d.end());
        return;
      }
      Slot low = in[0];
      if (bits < 64 && bits < from_bits) cut(low = new_slot(), in[0], bits);
      out.push_back(low);
      return;
    }
    case Instruction::SExt: {
      if (is_two_slots(from_bits)) {
        const Slots d = new_slots(2);
        emit(Opcode::move, d[0], in[0]);
        emit(Opcode::sign, d[1], in[1], 0, 0, from_bits - 64);
        cut_wide(d[0], to_bits);
        out.insert(out.end(), d.begin(), d.end());
        return;
      }
      const Slot wide = sign_extended(in[0], from_bits);
      if (is_two_slots(to_bits)) {
        const Slots d = new_slots(2);
        emit(Opcode::move, d[0], wide);
        emit(Opcode::ashr_i, d[1], wide, 0, 0, 63);
        if (to_bits < 128) cut(d[1], d[1], to_bits - 64);
        out.insert(out.end(), d.begin(), d.end());
      } else if (to_bits == 64) {
        out.push_back(wide);
      } else {
        const Slot narrow = new_slot();
        cut(narrow, wide, to_bits);
        out.push_back(narrow);
      }
      return;
    }
    default: cast_float(opcode, from, to, in, out);
  }
}

void FunctionDecoder::cast_float(unsigned opcode, llvm::Type* from, llvm::Type* to, const Slots& in,
                                 Slots& out) {
  const std::uint32_t from_bits = bits_of(layout_, from);
  const std::uint32_t to_bits = bits_of(layout_, to);
  const Slots d = new_slots(is_two_slots(to_bits) ? 2 : 1);
  out.insert(out.end(), d.begin(), d.end());
  switch (opcode) {
    case Instruction::FPExt:
      return compute(to->isDoubleTy()    ? Computation::f32_to_f64
                     : from->isFloatTy() ? Computation::f32_to_f80
                                         : Computation::f64_to_f80,
                     d[0], in[0]);
    case Instruction::FPTrunc:
      return compute(from->isDoubleTy() ? Computation::f64_to_f32
                     : to->isFloatTy()  ? Computation::f80_to_f32
                                        : Computation::f80_to_f64,
                     d[0], in[0]);
    case Instruction::SIToFP:
      if (is_two_slots(from_bits)) {
        return compute(by_type(Computation::signed128_to_f32, to), d[0],
                       wide_sign_extended(in[0], from_bits));
      }
      return compute(by_type(Computation::signed_to_f32, to), d[0], sign_extended(in[0], from_bits));
    case Instruction::UIToFP:
      return compute(
          by_type(is_two_slots(from_bits) ? Computation::unsigned128_to_f32 : Computation::unsigned_to_f32,
                  to),
          d[0], in[0]);
    case Instruction::FPToSI:
    case Instruction::FPToUI: {
      const bool is_signed = opcode == Instruction::FPToSI;
      if (is_two_slots(to_bits)) {
        compute(by_type(is_signed ? Computation::f32_to_signed128 : Computation::f32_to_unsigned128, from),
                d[0], in[0]);
        return cut_wide(d[0], to_bits);
      }
      compute(by_type(is_signed ? Computation::f32_to_signed : Computation::f32_to_unsigned, from), d[0],
              in[0]);
      if (to_bits < 64) cut(d[0], d[0], to_bits);
      return;
    }
    default: refuse("a conversion that is not known");
  }
}

// The same bits as another type. Where the sizes of elements differ, they are put together or taken apart,
// the lowest first.
void FunctionDecoder::cast_bits(const llvm::CastInst& instruction) {
  const std::vector<Leaf> from = leaves_of(layout_, instruction.getSrcTy());
  const std::vector<Leaf> to = leaves_of(layout_, instruction.getDestTy());
  const Slots in = value(*instruction.getOperand(0));
  if (from.empty() || to.empty()) refuse(instruction);
  if (from.size() == to.size()) {
    values_[&instruction] = in;
    return;
  }
  // In pieces of the smaller one's size, each within one slot.
  const std::uint32_t piece = std::min(from[0].bits, to[0].bits);
  if (piece > 64 || from[0].bits % piece != 0 || to[0].bits % piece != 0) refuse(instruction);
  const auto per_slot = [piece](const Leaf& leaf) { return std::min(leaf.bits, 64U) / piece; };
  Slots pieces;
  for (Slot slot : in) {
    for (std::uint32_t i = 0; i < per_slot(from[0]); ++i) {
      Slot own = slot;
      if (i != 0) emit(Opcode::lshr_i, own = new_slot(), slot, 0, 0, i * piece);
      if (per_slot(from[0]) > 1 && piece < 64) {
        const Slot alone = new_slot();
        cut(alone, own, piece);
        own = alone;
      }
      pieces.push_back(own);
    }
  }
  Slots out;
  const std::uint32_t each = per_slot(to[0]);
  for (std::size_t i = 0; i < pieces.size(); i += each) {
    Slot whole = pieces[i];
    for (std::uint32_t k = 1; k < each; ++k) {
      const Slot moved = new_slot();
      emit(Opcode::shl_i, moved, pieces[i + k], 0, 0, k * piece);
      const Slot both = new_slot();
      emit(Opcode::bit_or, both, whole, moved);
      whole = both;
    }
    out.push_back(whole);
  }
  if (to[0].slots == 2) out = side_by_side(out);
  values_[&instruction] = std::move(out);
}

// The slots' values in slots one after the other, as the two of a scalar have to stand.
FunctionDecoder::Slots FunctionDecoder::side_by_side(const Slots& slots) {
  Slots row = new_slots(static_cast<std::uint32_t>(slots.size()));
  for (std::size_t i = 0; i < slots.size(); ++i) emit(Opcode::move, row[i], slots[i]);
  return row;
}

}  // namespace thrum::bitcode
