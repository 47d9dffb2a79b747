// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's intrinsic functions.
#include <llvm/Analysis/MemoryBuiltins.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "bitcode/function_decoder.hpp"
#include "bitcode/module_decoder.hpp"
#include "vm/externals.hpp"

namespace thrum::bitcode {

using llvm::Intrinsic::ID;
using vm::Computation;
using vm::Opcode;
namespace Intrinsic = llvm::Intrinsic;

namespace {

// Whether nothing but the calls that announce functions takes it.
bool is_for_instrumentation(const llvm::Instruction& value) {
  return llvm::all_of(value.users(), [](const llvm::User* user) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
    return call != nullptr && call->getCalledFunction() != nullptr &&
           call->getCalledFunction()->getName() == "__tsan_func_entry";
  });
}

// Of functions on floats; those for double and long double stand behind.
struct FloatRow {
  ID intrinsic;
  Computation computation;
  bool has_long_double = true;
};
constexpr FloatRow kFloats[] = {
    {Intrinsic::sqrt, Computation::sqrt32},         {Intrinsic::floor, Computation::floor32},
    {Intrinsic::ceil, Computation::ceil32},         {Intrinsic::trunc, Computation::trunc32},
    {Intrinsic::rint, Computation::rint32},         {Intrinsic::nearbyint, Computation::nearbyint32},
    {Intrinsic::round, Computation::round32},       {Intrinsic::fabs, Computation::fabs32},
    {Intrinsic::exp, Computation::exp32},           {Intrinsic::exp2, Computation::exp232},
    {Intrinsic::exp10, Computation::exp1032},       {Intrinsic::log, Computation::log32},
    {Intrinsic::log2, Computation::log232},         {Intrinsic::log10, Computation::log1032},
    {Intrinsic::sin, Computation::sin32},           {Intrinsic::cos, Computation::cos32},
    {Intrinsic::tan, Computation::tan32},           {Intrinsic::acos, Computation::acos32},
    {Intrinsic::asin, Computation::asin32},         {Intrinsic::atan, Computation::atan32},
    {Intrinsic::sinh, Computation::sinh32},         {Intrinsic::cosh, Computation::cosh32},
    {Intrinsic::tanh, Computation::tanh32},         {Intrinsic::pow, Computation::pow32},
    {Intrinsic::copysign, Computation::copysign32}, {Intrinsic::minnum, Computation::fmin32},
    {Intrinsic::maxnum, Computation::fmax32},       {Intrinsic::fma, Computation::fma32},
    {Intrinsic::fmuladd, Computation::muladd32},    {Intrinsic::roundeven, Computation::round_even32, false},
    {Intrinsic::powi, Computation::powi32},         {Intrinsic::ldexp, Computation::ldexp32},
};

bool is_rounding(ID id) {
  return id == Intrinsic::lrint || id == Intrinsic::llrint || id == Intrinsic::lround ||
         id == Intrinsic::llround;
}

// The function of two integers by which a vector's elements are combined.
ID combined_by(ID id) {
  switch (id) {
    case Intrinsic::vector_reduce_smax: return Intrinsic::smax;
    case Intrinsic::vector_reduce_smin: return Intrinsic::smin;
    case Intrinsic::vector_reduce_umax: return Intrinsic::umax;
    case Intrinsic::vector_reduce_umin: return Intrinsic::umin;
    default: return Intrinsic::not_intrinsic;
  }
}

}  // namespace

void FunctionDecoder::decode_intrinsic(const llvm::IntrinsicInst& call) {
  switch (call.getIntrinsicID()) {
    case Intrinsic::assume:
    case Intrinsic::donothing:
    case Intrinsic::sideeffect:
    case Intrinsic::experimental_noalias_scope_decl:
    case Intrinsic::invariant_end:
    case Intrinsic::prefetch:
    case Intrinsic::clear_cache:
    case Intrinsic::dbg_declare:
    case Intrinsic::dbg_label:
    case Intrinsic::dbg_value:
    case Intrinsic::dbg_assign:
    case Intrinsic::pseudoprobe:
    case Intrinsic::x86_sse2_pause:
    case Intrinsic::x86_sse2_mfence:
    case Intrinsic::x86_sse2_lfence:
    case Intrinsic::x86_sse_sfence:
    case Intrinsic::var_annotation: return;
    case Intrinsic::invariant_start: values_[&call] = {constant(0)}; return;
    case Intrinsic::returnaddress:
      if (!is_for_instrumentation(call)) refuse(call);
      values_[&call] = {constant(0)};
      return;
    case Intrinsic::frameaddress:
      if (!llvm::cast<llvm::Constant>(call.getArgOperand(0))->isNullValue()) refuse(call);
      emit(Opcode::stack_save, result_of(call)[0]);
      return;
    case Intrinsic::is_constant: values_[&call] = {constant(0)}; return;
    case Intrinsic::expect:
    case Intrinsic::expect_with_probability:
    case Intrinsic::launder_invariant_group:
    case Intrinsic::strip_invariant_group:
    case Intrinsic::ptr_annotation:
    case Intrinsic::annotation:
    case Intrinsic::arithmetic_fence:
    case Intrinsic::ssa_copy: return share(call, *call.getArgOperand(0));
    case Intrinsic::trap:
    case Intrinsic::ubsantrap: emit(Opcode::trap, 0); return;
    case Intrinsic::debugtrap: emit(Opcode::breakpoint, 0); return;
    case Intrinsic::eh_typeid_for: {
      const auto* type = llvm::dyn_cast<llvm::Constant>(call.getArgOperand(0));
      if (type == nullptr) refuse(call);
      values_[&call] = Slots{constant(vm::selector_of(module_.words_of(*type)[0]))};
      return;
    }
    case Intrinsic::get_rounding: compute(Computation::rounding, result_of(call)[0], 0); return;
    case Intrinsic::objectsize: return decode_object_size(call);
    default: break;
  }
  if (decode_memory_intrinsic(call) || decode_integer_intrinsic(call) || decode_float_intrinsic(call)) return;
  refuse("the intrinsic function " + call.getCalledFunction()->getName().str());
}

// As the compiler makes it where no optimization has done so: what the function itself shows of the object.
void FunctionDecoder::decode_object_size(const llvm::IntrinsicInst& call) {
  const bool least = llvm::cast<llvm::ConstantInt>(call.getArgOperand(1))->isOne();
  const std::uint32_t bits = bits_of(layout_, call.getType());
  const std::uint64_t unknown = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  llvm::ObjectSizeOpts options;
  options.EvalMode = least ? llvm::ObjectSizeOpts::Mode::Min : llvm::ObjectSizeOpts::Mode::Max;
  options.NullIsUnknownSize = llvm::cast<llvm::ConstantInt>(call.getArgOperand(2))->isOne();
  std::uint64_t size = 0;
  const bool is_known = llvm::getObjectSize(call.getArgOperand(0), size, layout_, nullptr, options);
  values_[&call] = {constant(is_known && size <= unknown ? size : least ? 0 : unknown)};
}

bool FunctionDecoder::decode_memory_intrinsic(const llvm::IntrinsicInst& call) {
  const auto argument = [&call, this](unsigned i) { return single(*call.getArgOperand(i)); };
  switch (call.getIntrinsicID()) {
    case Intrinsic::memcpy:
    case Intrinsic::memcpy_inline:
    case Intrinsic::memmove: emit(Opcode::copy_memory, 0, argument(0), argument(1), argument(2)); return true;
    case Intrinsic::memset:
    case Intrinsic::memset_inline:
      emit(Opcode::set_memory, 0, argument(0), argument(1), argument(2));
      return true;
    case Intrinsic::lifetime_start:
    case Intrinsic::lifetime_end: {
      const auto* place = llvm::dyn_cast<llvm::AllocaInst>(call.getArgOperand(1)->stripPointerCasts());
      if (place == nullptr) return true;
      const auto* count = llvm::dyn_cast<llvm::ConstantInt>(place->getArraySize());
      if (count == nullptr || !count->isOne()) return true;
      const std::int64_t size = llvm::cast<llvm::ConstantInt>(call.getArgOperand(0))->getSExtValue();
      const bool begins = call.getIntrinsicID() == Intrinsic::lifetime_start;
      const auto whole =
          static_cast<std::int64_t>(layout_.getTypeAllocSize(place->getAllocatedType()).getFixedValue());
      emit(begins ? Opcode::scope_begin : Opcode::scope_end, 0, argument(1), 0, 0,
           size < 0 ? whole : std::min(size, whole));
      return true;
    }
    case Intrinsic::threadlocal_address: {
      const auto* variable =
          llvm::dyn_cast<llvm::GlobalVariable>(call.getArgOperand(0)->stripPointerCastsAndAliases());
      if (variable == nullptr) refuse(call);
      emit(Opcode::thread_local_address, result_of(call)[0], 0, 0, 0,
           static_cast<std::int64_t>(module_.address_of(*variable)));
      return true;
    }
    case Intrinsic::stacksave: emit(Opcode::stack_save, result_of(call)[0]); return true;
    case Intrinsic::stackrestore: emit(Opcode::stack_restore, 0, argument(0)); return true;
    case Intrinsic::vastart: emit(Opcode::va_start, 0, argument(0), result_.variable_arguments); return true;
    case Intrinsic::vacopy: emit(Opcode::va_copy, 0, argument(0), argument(1)); return true;
    case Intrinsic::vaend: return true;
    case Intrinsic::load_relative: {
      // The address in argument 0 plus the 32-bit number that stands at it plus argument 1.
      const Slot at = new_slot();
      emit(Opcode::add, at, argument(0), argument(1));
      const Slot offset = new_slot();
      emit(Opcode::load32, offset, at);
      emit(Opcode::sign32, offset, offset);
      emit(Opcode::add, result_of(call)[0], argument(0), offset);
      return true;
    }
    case Intrinsic::ptrmask: emit(Opcode::bit_and, result_of(call)[0], argument(0), argument(1)); return true;
    default: return false;
  }
}

void FunctionDecoder::decode_overflow(const llvm::IntrinsicInst& call, Computation computation,
                                      bool is_signed) {
  llvm::Type* type = call.getArgOperand(0)->getType();
  const std::uint32_t bits = bits_of(layout_, type->getScalarType());
  if (type->isVectorTy()) refuse("the intrinsic function " + call.getCalledFunction()->getName().str());
  Slot a = single(*call.getArgOperand(0));
  Slot b = single(*call.getArgOperand(1));
  if (bits > 64) {
    if (is_signed) {
      a = wide_sign_extended(a, bits);
      b = wide_sign_extended(b, bits);
    }
    // The computations for more than 64 bits stand in the same order.
    const int behind = static_cast<int>(computation) - static_cast<int>(Computation::uadd_overflow);
    const Computation wide =
        static_cast<Computation>(static_cast<int>(Computation::uadd_overflow128) + behind);
    return compute(wide, result_of(call)[0], a, b, constant(bits));
  }
  if (is_signed) {
    a = sign_extended(a, bits);
    b = sign_extended(b, bits);
  }
  compute(computation, result_of(call)[0], a, b, constant(bits));
}

// The elements of a vector, combined from the first to the last.
void FunctionDecoder::decode_reduction(const llvm::IntrinsicInst& call, unsigned opcode) {
  const Slots in = value(*call.getArgOperand(0));
  const std::uint32_t bits = bits_of(layout_, call.getType());
  Slot so_far = in[0];
  for (std::size_t i = 1; i < in.size(); ++i) {
    const Slot next = new_slot();
    integer_operation(opcode, bits, next, so_far, in[i], nullptr);
    so_far = next;
  }
  values_[&call] = {so_far};
}

bool FunctionDecoder::decode_extreme(const llvm::IntrinsicInst& call, unsigned of_two) {
  const std::uint32_t bits = bits_of(layout_, call.getType());
  if (bits > 64) return false;
  const Slots in = value(*call.getArgOperand(0));
  Slot so_far = in[0];
  for (std::size_t i = 1; i < in.size(); ++i) {
    const Slot next = new_slot();
    integer_intrinsic(of_two, bits, next, so_far, in[i], in[i]);
    so_far = next;
  }
  values_[&call] = {so_far};
  return true;
}

bool FunctionDecoder::decode_integer_intrinsic(const llvm::IntrinsicInst& call) {
  const ID id = call.getIntrinsicID();
  switch (id) {
    case Intrinsic::uadd_with_overflow: decode_overflow(call, Computation::uadd_overflow, false); return true;
    case Intrinsic::usub_with_overflow: decode_overflow(call, Computation::usub_overflow, false); return true;
    case Intrinsic::umul_with_overflow: decode_overflow(call, Computation::umul_overflow, false); return true;
    case Intrinsic::sadd_with_overflow: decode_overflow(call, Computation::sadd_overflow, true); return true;
    case Intrinsic::ssub_with_overflow: decode_overflow(call, Computation::ssub_overflow, true); return true;
    case Intrinsic::smul_with_overflow: decode_overflow(call, Computation::smul_overflow, true); return true;
    case Intrinsic::ucmp:
    case Intrinsic::scmp: decode_three_way(call, id == Intrinsic::scmp); return true;
    case Intrinsic::vector_reduce_add: decode_reduction(call, llvm::Instruction::Add); return true;
    case Intrinsic::vector_reduce_mul: decode_reduction(call, llvm::Instruction::Mul); return true;
    case Intrinsic::vector_reduce_and: decode_reduction(call, llvm::Instruction::And); return true;
    case Intrinsic::vector_reduce_or: decode_reduction(call, llvm::Instruction::Or); return true;
    case Intrinsic::vector_reduce_xor: decode_reduction(call, llvm::Instruction::Xor); return true;
    case Intrinsic::vector_reduce_smax:
    case Intrinsic::vector_reduce_smin:
    case Intrinsic::vector_reduce_umax:
    case Intrinsic::vector_reduce_umin: return decode_extreme(call, combined_by(id));
    default: break;
  }
  llvm::Type* type = call.getType()->getScalarType();
  if (!type->isIntegerTy() || call.arg_empty()) return false;
  const std::uint32_t bits = type->getIntegerBitWidth();
  const std::size_t each = bits > 64 ? 2 : 1;
  if (!call.getArgOperand(0)->getType()->getScalarType()->isIntegerTy()) return false;
  const Slots a = value(*call.getArgOperand(0));
  const bool has_two = call.arg_size() > 1 && call.getArgOperand(1)->getType() == call.getType();
  const Slots b = has_two ? value(*call.getArgOperand(1)) : a;
  const bool has_three = call.arg_size() > 2 && call.getArgOperand(2)->getType() == call.getType();
  const Slots c = has_three ? value(*call.getArgOperand(2)) : a;
  const Slots d = result_of(call);
  for (std::size_t i = 0; i < d.size(); i += each) {
    const bool is_known = each == 2 ? wide_intrinsic(id, bits, d[i], a[i], b[i], c[i])
                                    : integer_intrinsic(id, bits, d[i], a[i], b[i], c[i]);
    if (!is_known) return false;
  }
  return true;
}

// -1, 0 or 1.
void FunctionDecoder::decode_three_way(const llvm::IntrinsicInst& call, bool is_signed) {
  llvm::Type* type = call.getArgOperand(0)->getType()->getScalarType();
  const std::uint32_t bits = bits_of(layout_, type);
  const std::uint32_t result_bits = bits_of(layout_, call.getType()->getScalarType());
  if (!type->isIntegerTy() || result_bits > 64)
    refuse("the intrinsic function " + call.getCalledFunction()->getName().str());
  const Slots a = value(*call.getArgOperand(0));
  const Slots b = value(*call.getArgOperand(1));
  const Slots d = result_of(call);
  const std::size_t each = bits > 64 ? 2 : 1;
  const auto less_of = [&](Slot to, Slot x, Slot y) {
    const auto less = is_signed ? llvm::CmpInst::ICMP_SLT : llvm::CmpInst::ICMP_ULT;
    if (each == 2)
      compare_wide(less, bits, to, x, y);
    else
      compare_integers(less, bits, to, x, y, nullptr);
  };
  for (std::size_t i = 0; i < d.size(); ++i) {
    const Slot less = new_slot();
    const Slot greater = new_slot();
    less_of(less, a[i * each], b[i * each]);
    less_of(greater, b[i * each], a[i * each]);
    emit(Opcode::sub, d[i], greater, less);
    cut(d[i], d[i], result_bits);
  }
}

// Of any number of bits: the count is reduced modulo it, and stands before it.
void FunctionDecoder::funnel_shift(bool left, std::uint32_t bits, Slot d, Slot a, Slot b, Slot c) {
  const Slots count = new_slots(2);
  if (bits > 64)
    compute(Computation::urem128, count[0], c, side_by_side({constant(bits), constant(0)})[0]);
  else
    emit(Opcode::urem, count[0], c, constant(bits));
  emit(Opcode::constant, count[1], 0, 0, 0, bits);
  if (bits > 64)
    compute(left ? Computation::fshl_wide : Computation::fshr_wide, d, a, b, count[0]);
  else
    compute(left ? Computation::fshl_any : Computation::fshr_any, d, a, b, count[0]);
}

// Of one scalar of more than 64 bits. False: there is no such one.
bool FunctionDecoder::wide_intrinsic(unsigned id, std::uint32_t bits, Slot d, Slot a, Slot b, Slot c) {
  const auto extend = [&] {
    a = wide_sign_extended(a, bits);
    b = wide_sign_extended(b, bits);
  };
  switch (id) {
    case Intrinsic::umin: compute(Computation::umin128, d, a, b); break;
    case Intrinsic::umax: compute(Computation::umax128, d, a, b); break;
    case Intrinsic::smin:
    case Intrinsic::smax:
      extend();
      compute(id == Intrinsic::smin ? Computation::smin128 : Computation::smax128, d, a, b);
      cut_wide(d, bits);
      break;
    case Intrinsic::abs:
      compute(Computation::abs128, d, wide_sign_extended(a, bits));
      cut_wide(d, bits);
      break;
    case Intrinsic::ctpop: compute(Computation::ctpop128, d, a); break;
    case Intrinsic::ctlz: compute(Computation::ctlz128, d, a, 0, constant(bits)); break;
    case Intrinsic::cttz: compute(Computation::cttz128, d, a, 0, constant(bits)); break;
    case Intrinsic::bitreverse: compute(Computation::bit_reverse128, d, a, 0, constant(bits)); break;
    case Intrinsic::bswap: compute(Computation::bswap128, d, a, 0, constant(bits)); break;
    case Intrinsic::fshl:
    case Intrinsic::fshr: funnel_shift(id == Intrinsic::fshl, bits, d, a, b, c); break;
    case Intrinsic::uadd_sat: compute(Computation::uadd_saturated128, d, a, b, constant(bits)); break;
    case Intrinsic::usub_sat: compute(Computation::usub_saturated128, d, a, b, constant(bits)); break;
    case Intrinsic::sadd_sat:
    case Intrinsic::ssub_sat:
      extend();
      compute(id == Intrinsic::sadd_sat ? Computation::sadd_saturated128 : Computation::ssub_saturated128, d,
              a, b, constant(bits));
      break;
    default: return false;
  }
  return true;
}

// Of one scalar. False: there is no such one.
bool FunctionDecoder::integer_intrinsic(unsigned id, std::uint32_t bits, Slot d, Slot a, Slot b, Slot c) {
  const auto by_size = [bits](Computation of64, Computation of32, Computation of16, Computation of8) {
    return bits == 64 ? of64 : bits == 32 ? of32 : bits == 16 ? of16 : of8;
  };
  const bool has_size = bits == 64 || bits == 32 || bits == 16 || bits == 8;
  switch (id) {
    case Intrinsic::umin: compute(Computation::umin, d, a, b); break;
    case Intrinsic::umax: compute(Computation::umax, d, a, b); break;
    case Intrinsic::smin:
    case Intrinsic::smax:
      compute(id == Intrinsic::smin ? Computation::smin : Computation::smax, d, sign_extended(a, bits),
              sign_extended(b, bits));
      cut(d, d, bits);
      break;
    case Intrinsic::abs:
      compute(Computation::abs, d, sign_extended(a, bits));
      cut(d, d, bits);
      break;
    case Intrinsic::ctpop: compute(Computation::ctpop, d, a); break;
    case Intrinsic::ctlz:
      compute(Computation::ctlz, d, a);
      if (bits < 64) emit(Opcode::sub_i, d, d, 0, 0, 64 - bits);
      break;
    case Intrinsic::cttz: {
      // Of 0: the number of bits.
      Slot from = a;
      if (bits < 64) emit(Opcode::bit_or, from = new_slot(), a, constant(std::uint64_t{1} << bits));
      compute(Computation::cttz, d, from);
      break;
    }
    case Intrinsic::bswap: compute(Computation::bswap_any, d, a, 0, constant(bits)); break;
    case Intrinsic::bitreverse:
      compute(Computation::bit_reverse, d, a);
      if (bits < 64) emit(Opcode::lshr_i, d, d, 0, 0, 64 - bits);
      break;
    case Intrinsic::fshl:
      if (!has_size) {
        funnel_shift(true, bits, d, a, b, c);
        break;
      }
      compute(by_size(Computation::fshl64, Computation::fshl32, Computation::fshl16, Computation::fshl8), d,
              a, b, c);
      break;
    case Intrinsic::fshr:
      if (!has_size) {
        funnel_shift(false, bits, d, a, b, c);
        break;
      }
      compute(by_size(Computation::fshr64, Computation::fshr32, Computation::fshr16, Computation::fshr8), d,
              a, b, c);
      break;
    case Intrinsic::uadd_sat: compute(Computation::uadd_saturated, d, a, b, constant(bits)); break;
    case Intrinsic::usub_sat: compute(Computation::usub_saturated, d, a, b); break;
    case Intrinsic::sadd_sat:
    case Intrinsic::ssub_sat:
      compute(id == Intrinsic::sadd_sat ? Computation::sadd_saturated : Computation::ssub_saturated, d,
              sign_extended(a, bits), sign_extended(b, bits), constant(bits));
      break;
    default: return false;
  }
  return true;
}

bool FunctionDecoder::decode_float_intrinsic(const llvm::IntrinsicInst& call) {
  const ID id = call.getIntrinsicID();
  if (call.arg_empty()) return false;
  llvm::Type* type = call.getArgOperand(0)->getType()->getScalarType();
  if (!type->isFloatTy() && !type->isDoubleTy() && !type->isX86_FP80Ty()) return false;
  const int by_type = type->isFloatTy() ? 0 : type->isDoubleTy() ? 1 : 2;
  const auto of_type = [by_type](Computation of_float) {
    return static_cast<Computation>(static_cast<int>(of_float) + by_type);
  };
  const std::size_t each = by_type == 2 ? 2 : 1;
  const Slots a = value(*call.getArgOperand(0));
  if (id == Intrinsic::is_fpclass) {
    const Slots& d = result_of(call);
    for (std::size_t i = 0; i < d.size(); ++i)
      compute(of_type(Computation::class32), d[i], a[i * each], single(*call.getArgOperand(1)));
    return true;
  }
  if (id == Intrinsic::fptosi_sat || id == Intrinsic::fptoui_sat) {
    const std::uint32_t bits = bits_of(layout_, call.getType()->getScalarType());
    if (by_type == 2 || bits > 64) return false;
    const Slots& d = result_of(call);
    for (std::size_t i = 0; i < d.size(); ++i) {
      compute(of_type(id == Intrinsic::fptosi_sat ? Computation::f32_to_signed_saturated
                                                  : Computation::f32_to_unsigned_saturated),
              d[i], a[i], a[i], constant(bits));
    }
    return true;
  }
  if (id == Intrinsic::frexp) {
    if (call.getArgOperand(0)->getType()->isVectorTy()) return false;
    compute(of_type(Computation::frexp32), result_of(call)[0], a[0]);
    return true;
  }
  if (is_rounding(id)) {
    const std::uint32_t bits = bits_of(layout_, call.getType()->getScalarType());
    const bool as_chosen = id == Intrinsic::lrint || id == Intrinsic::llrint;
    if (bits > 64) return false;
    const Slots& d = result_of(call);
    for (std::size_t i = 0; i < d.size(); ++i) {
      compute(of_type(as_chosen ? Computation::llrint32 : Computation::llround32), d[i], a[i * each]);
      cut(d[i], d[i], bits);
    }
    return true;
  }
  if (id == Intrinsic::vector_reduce_fmax || id == Intrinsic::vector_reduce_fmin) {
    // The elements of a vector, combined from the first to the last.
    const Slots d = result_of(call);
    for (std::size_t i = 0; i < each; ++i)
      emit(Opcode::move, static_cast<Slot>(d[0] + i), static_cast<Slot>(a[0] + i));
    for (std::size_t i = each; i < a.size(); i += each)
      compute(of_type(id == Intrinsic::vector_reduce_fmax ? Computation::fmax32 : Computation::fmin32), d[0],
              d[0], a[i]);
    return true;
  }
  const auto* row = std::find_if(std::begin(kFloats), std::end(kFloats),
                                 [id](const FloatRow& one) { return one.intrinsic == id; });
  if (row == std::end(kFloats) || (by_type == 2 && !row->has_long_double)) return false;
  const Slots b = call.arg_size() > 1 ? value(*call.getArgOperand(1)) : a;
  const Slots c = call.arg_size() > 2 ? value(*call.getArgOperand(2)) : a;
  const Slots& d = result_of(call);
  for (std::size_t i = 0; i < d.size(); i += each)
    compute(of_type(row->computation), d[i], a[i], b[std::min(i, b.size() - 1)], c[i]);
  return true;
}

}  // namespace thrum::bitcode
