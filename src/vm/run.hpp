// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loop that interprets instructions. It is a template, so that one source makes the loop for concrete
// values, in which nothing is tested for expressions, and the one for values that have expressions.
//
// Each operation ends in a jump to the next one's code, which the instruction names (threaded dispatch).
#pragma once

#include <algorithm>
#include <bit>
#include <iterator>
#include <limits>

#include "vm/computations.hpp"
#include "vm/externals.hpp"
#include "vm/heap_symmetry.hpp"
#include "vm/machine.hpp"
#include "vm/unwind.hpp"

namespace thrum::vm {

namespace loop {

inline std::uint64_t counted = 0;  // instructions, by a loop that counts them

// Whether a division has a result.
template <typename Signed>
inline bool divides(Signed a, Signed b) {
  return b != 0 && !(b == -1 && a == std::numeric_limits<Signed>::min());
}

inline std::uint64_t low(std::uint64_t value, unsigned bytes) {
  return bytes == 8 ? value : value & ((std::uint64_t{1} << bytes * 8) - 1);
}

inline std::uint64_t updated(Update update, std::uint64_t old, std::uint64_t by) {
  switch (update) {
    case Update::exchange: return by;
    case Update::add: return old + by;
    case Update::subtract: return old - by;
    case Update::bit_and: return old & by;
    case Update::bit_or: return old | by;
    case Update::bit_xor: return old ^ by;
    case Update::bit_nand: return ~(old & by);
  }
  return by;
}

}  // namespace loop

// The whole function is one dispatch table: it is long because there are many operations. It is compiled
// once: the addresses of its labels, which instructions hold, are those of one copy.
template <bool kTagged, bool kCounts>
[[gnu::noinline, gnu::noclone]] Stop run_loop(Machine* const machine, Thread* const thread,
                                              std::uint32_t* const handlers) {
  static_assert(!kTagged, "values with expressions come with symbolic execution");
  using std::uint64_t, std::int64_t, std::uint32_t, std::int32_t;
  using std::uint8_t, std::uint16_t;
  static const void* const kLabels[] = {
#define THRUM_VM_OPERATION(name, text) &&op_##name,
#include "vm/operations.def"
#undef THRUM_VM_OPERATION
  };
  if (handlers != nullptr) {
    for (std::size_t i = 0; i < std::size(kLabels); ++i)
      handlers[i] =
          static_cast<uint32_t>(static_cast<const char*>(kLabels[i]) - static_cast<const char*>(&&op_move));
    return Stop::over;
  }
  Machine& m = *machine;
  Memory& memory = m.memory;
  Frame* frame = thread->top;
  uint64_t* R = frame->registers;
  const Instruction* I = frame->next;
  uint64_t stack = frame->stack_pointer;
  uint64_t address = 0;  // of an access that is wrong
  uint64_t size = 0;
  bool writes = false;
  // Jumps back and calls left until the thread hangs.
  uint64_t patience = m.patience(true);

  // A label may lie before the first one.
#define THRUM_VM_GO                                  \
  if constexpr (kCounts) ++thrum::vm::loop::counted; \
  goto*(static_cast<const char*>(&&op_move) + static_cast<int32_t>(I->handler))
#define THRUM_VM_NEXT \
  do {                \
    ++I;              \
    THRUM_VM_GO;      \
  } while (false)
#define THRUM_VM_JUMP(number)                                                  \
  do {                                                                         \
    const Instruction* const target = frame->function->code.data() + (number); \
    if (target <= I && __builtin_expect(--patience == 0, 0)) {                 \
      patience = m.patience(false);                                            \
      if (patience == Machine::kEndOfPatience) goto hangs;                     \
    }                                                                          \
    I = target;                                                                \
    THRUM_VM_GO;                                                               \
  } while (false)
#define THRUM_VM_SAVE(where)      \
  do {                            \
    frame->next = (where);        \
    frame->stack_pointer = stack; \
  } while (false)
#define THRUM_VM_LOAD_FRAME       \
  do {                            \
    frame = thread->top;          \
    R = frame->registers;         \
    I = frame->next;              \
    stack = frame->stack_pointer; \
  } while (false)

  THRUM_VM_GO;

op_move:
  R[I->d] = R[I->a];
  THRUM_VM_NEXT;
op_constant:
  R[I->d] = static_cast<uint64_t>(int64_t{I->immediate});
  THRUM_VM_NEXT;
op_select:
  R[I->d] = R[I->a] != 0 ? R[I->b] : R[I->c];
  THRUM_VM_NEXT;

  // One operation with a slot and with an immediate.
#define THRUM_VM_BOTH(name, result)                              \
  op_##name : {                                                  \
    const uint64_t a = R[I->a], b = R[I->b];                     \
    R[I->d] = (result);                                          \
    THRUM_VM_NEXT;                                               \
  }                                                              \
  op_##name##_i : {                                              \
    const uint64_t a = R[I->a];                                  \
    const auto b = static_cast<uint64_t>(int64_t{I->immediate}); \
    R[I->d] = (result);                                          \
    THRUM_VM_NEXT;                                               \
  }
#define S64(x) static_cast<int64_t>(x)
#define S32(x) static_cast<int32_t>(static_cast<uint32_t>(x))
#define U64(x) static_cast<uint64_t>(x)
#define U32(x) static_cast<uint32_t>(x)
  THRUM_VM_BOTH(add, a + b)
  THRUM_VM_BOTH(add32, U32(a + b))
  THRUM_VM_BOTH(sub, a - b)
  THRUM_VM_BOTH(sub32, U32(a - b))
  THRUM_VM_BOTH(mul, a * b)
  THRUM_VM_BOTH(mul32, U32(U32(a) * U64(U32(b))))
  THRUM_VM_BOTH(bit_and, a & b)
  THRUM_VM_BOTH(bit_or, a | b)
  THRUM_VM_BOTH(bit_xor, a ^ b)
  THRUM_VM_BOTH(shl, a << (b & 63))
  THRUM_VM_BOTH(shl32, U32(a) << (b & 31))
  THRUM_VM_BOTH(lshr, a >> (b & 63))
  THRUM_VM_BOTH(ashr, U64(S64(a) >> (b & 63)))
  THRUM_VM_BOTH(ashr32, U32(S32(a) >> (b & 31)))
#define THRUM_VM_DIVISION(name, test, result)                    \
  op_##name : {                                                  \
    const uint64_t a = R[I->a], b = R[I->b];                     \
    if (__builtin_expect(!(test), 0)) goto bad_division;         \
    R[I->d] = (result);                                          \
    THRUM_VM_NEXT;                                               \
  }                                                              \
  op_##name##_i : {                                              \
    const uint64_t a = R[I->a];                                  \
    const auto b = static_cast<uint64_t>(int64_t{I->immediate}); \
    if (__builtin_expect(!(test), 0)) goto bad_division;         \
    R[I->d] = (result);                                          \
    THRUM_VM_NEXT;                                               \
  }
  THRUM_VM_DIVISION(udiv, b != 0, a / b)
  THRUM_VM_DIVISION(urem, b != 0, a % b)
  THRUM_VM_DIVISION(sdiv, loop::divides(S64(a), S64(b)), U64(S64(a) / S64(b)))
  THRUM_VM_DIVISION(srem, loop::divides(S64(a), S64(b)), U64(S64(a) % S64(b)))
  THRUM_VM_DIVISION(sdiv32, loop::divides(S32(a), S32(b)), U32(S32(a) / S32(b)))
  THRUM_VM_DIVISION(srem32, loop::divides(S32(a), S32(b)), U32(S32(a) % S32(b)))
#undef THRUM_VM_DIVISION
op_mul_add:
  R[I->d] = R[I->a] + R[I->b] * U64(int64_t{I->immediate});
  THRUM_VM_NEXT;
op_truncate32:
  R[I->d] = U32(R[I->a]);
  THRUM_VM_NEXT;
op_sign8:
  R[I->d] = U64(int64_t{static_cast<std::int8_t>(R[I->a])});
  THRUM_VM_NEXT;
op_sign16:
  R[I->d] = U64(int64_t{static_cast<std::int16_t>(R[I->a])});
  THRUM_VM_NEXT;
op_sign32:
  R[I->d] = U64(int64_t{S32(R[I->a])});
  THRUM_VM_NEXT;
op_sign:
  R[I->d] = U64(S64(R[I->a] << (64 - I->immediate)) >> (64 - I->immediate));
  THRUM_VM_NEXT;

#define THRUM_VM_COMPARISON(name, test)                                             \
  THRUM_VM_BOTH(name, U64(test))                                                    \
  op_br_##name : {                                                                  \
    const uint64_t a = R[I->a], b = R[I->b];                                        \
    if (test) THRUM_VM_JUMP(I->immediate);                                          \
    THRUM_VM_NEXT;                                                                  \
  }                                                                                 \
  op_br_##name##_i : {                                                              \
    const uint64_t a = R[I->a];                                                     \
    const auto b = static_cast<uint64_t>(int64_t{static_cast<std::int16_t>(I->b)}); \
    if (test) THRUM_VM_JUMP(I->immediate);                                          \
    THRUM_VM_NEXT;                                                                  \
  }
  THRUM_VM_COMPARISON(eq, a == b)
  THRUM_VM_COMPARISON(ne, a != b)
  THRUM_VM_COMPARISON(ult, a < b)
  THRUM_VM_COMPARISON(ule, a <= b)
  THRUM_VM_COMPARISON(ugt, a > b)
  THRUM_VM_COMPARISON(uge, a >= b)
  THRUM_VM_COMPARISON(slt, S64(a) < S64(b))
  THRUM_VM_COMPARISON(sle, S64(a) <= S64(b))
  THRUM_VM_COMPARISON(sgt, S64(a) > S64(b))
  THRUM_VM_COMPARISON(sge, S64(a) >= S64(b))
  THRUM_VM_COMPARISON(slt32, S32(a) < S32(b))
  THRUM_VM_COMPARISON(sle32, S32(a) <= S32(b))
  THRUM_VM_COMPARISON(sgt32, S32(a) > S32(b))
  THRUM_VM_COMPARISON(sge32, S32(a) >= S32(b))
#undef THRUM_VM_COMPARISON
#undef THRUM_VM_BOTH

op_br:
  if (R[I->a] != 0) THRUM_VM_JUMP(I->immediate);
  THRUM_VM_NEXT;
op_jump:
  THRUM_VM_JUMP(I->immediate);
op_switch_to : {
  const SwitchTable& table = frame->function->switches[U32(I->immediate)];
  const uint64_t value = R[I->a];
  uint32_t to = table.otherwise;
  if (!table.dense.empty()) {
    if (value - table.first < table.dense.size()) to = table.dense[value - table.first];
  } else {
    const auto found = std::lower_bound(table.sparse.begin(), table.sparse.end(), value,
                                        [](const auto& row, uint64_t number) { return row.first < number; });
    if (found != table.sparse.end() && found->first == value) to = found->second;
  }
  THRUM_VM_JUMP(to);
}

// Memory. Each access is checked by its shadow before it is done.
#define THRUM_VM_ADDRESS R[I->a] + U64(int64_t{I->immediate})
#define THRUM_VM_ADDRESS_X R[I->a] + R[I->b] * I->c + U64(int64_t{I->immediate})
#define THRUM_VM_WRONG(where, Type) \
  {                                 \
    address = p;                    \
    size = sizeof(Type);            \
    goto where;                     \
  }
#define THRUM_VM_CHECK_READ(Type)                                                                            \
  if (__builtin_expect(!in_arena(p), 0) ||                                                                   \
      __builtin_expect(                                                                                      \
          (shadow_at<Type>(p) & repeated<Type>(kAddressable | kTagged)) != repeated<Type>(kAddressable), 0)) \
  THRUM_VM_WRONG(bad_read, Type)
#define THRUM_VM_CHECK_WRITE(Type)                                                           \
  if (__builtin_expect(!in_arena(p), 0)) THRUM_VM_WRONG(bad_write, Type)                     \
  if (const Type shadow = shadow_at<Type>(p);                                                \
      __builtin_expect(shadow != repeated<Type>(kAddressable | kDefined), 0)) {              \
    if ((shadow & repeated<Type>(kAddressable | kReadOnly)) != repeated<Type>(kAddressable)) \
      THRUM_VM_WRONG(bad_write, Type)                                                        \
    memory.note(p + kShadowDistance);                                                        \
    if ((p & 7) + sizeof(Type) > 8) memory.note(p + kShadowDistance + sizeof(Type) - 1);     \
    shadow_at<Type>(p) = repeated<Type>(kAddressable | kDefined);                            \
  }
#define THRUM_VM_PUT(Type, value)                                    \
  memory.note(p);                                                    \
  if ((p & 7) + sizeof(Type) > 8) memory.note(p + sizeof(Type) - 1); \
  at<Type>(p) = static_cast<Type>(value)
// An instrumented access.
#define THRUM_VM_SHARE(kind, Type)                                            \
  if (__builtin_expect(!m.access(AccessKind::kind, p, sizeof(Type), I), 0)) { \
    THRUM_VM_SAVE(I);                                                         \
    return m.stopped();                                                       \
  }
#define THRUM_VM_ONE(name, Type, place, check, share, effect) \
  op_##name : {                                               \
    const uint64_t p = place;                                 \
    check(Type) share effect;                                 \
    THRUM_VM_NEXT;                                            \
  }
// The access as it is, and as an instrumented one.
#define THRUM_VM_TWO(name, Type, place, check, kind, effect) \
  THRUM_VM_ONE(name, Type, place, check, , effect)           \
  THRUM_VM_ONE(name##_shared, Type, place, check, THRUM_VM_SHARE(kind, Type), effect)
#define THRUM_VM_LOAD(name, Type, place) \
  THRUM_VM_TWO(name, Type, place, THRUM_VM_CHECK_READ, plain_read, R[I->d] = at<Type>(p))
#define THRUM_VM_STORE(name, Type, place, from) \
  THRUM_VM_TWO(name, Type, place, THRUM_VM_CHECK_WRITE, plain_write, THRUM_VM_PUT(Type, R[I->from]))
#define THRUM_VM_ACCESS(bits, Type)                       \
  THRUM_VM_LOAD(load##bits, Type, THRUM_VM_ADDRESS)       \
  THRUM_VM_LOAD(load##bits##_x, Type, THRUM_VM_ADDRESS_X) \
  THRUM_VM_STORE(store##bits, Type, THRUM_VM_ADDRESS, b)  \
  THRUM_VM_STORE(store##bits##_x, Type, THRUM_VM_ADDRESS_X, d)
  THRUM_VM_ACCESS(8, uint8_t)
  THRUM_VM_ACCESS(16, uint16_t)
  THRUM_VM_ACCESS(32, uint32_t)
  THRUM_VM_ACCESS(64, uint64_t)
#undef THRUM_VM_ACCESS
#undef THRUM_VM_STORE
#undef THRUM_VM_LOAD
#undef THRUM_VM_TWO
#undef THRUM_VM_ONE
#undef THRUM_VM_CHECK_WRITE
#undef THRUM_VM_CHECK_READ
#undef THRUM_VM_WRONG

op_access : {
  const uint64_t p = R[I->a];
  size = U32(I->immediate);
  const bool is_write = I->c != 0;
  THRUM_VM_SAVE(I);
  address = p;
  if (is_write && !Machine::can_write(p, size)) goto bad_write;
  if (!is_write && !Machine::can_read(p, size)) goto bad_read;
  if (!m.access(is_write ? AccessKind::plain_write : AccessKind::plain_read, p, size, I)) return m.stopped();
  THRUM_VM_NEXT;
}
op_vptr_update : {
  const uint64_t p = R[I->a];
  THRUM_VM_SAVE(I);
  if (!Machine::can_write(p, 8)) {
    address = p;
    size = 8;
    goto bad_write;
  }
  const bool same = at<uint64_t>(p) == R[I->b];
  if (!m.access(same ? AccessKind::plain_read : AccessKind::plain_write, p, 8, I)) return m.stopped();
  THRUM_VM_NEXT;
}
op_allocate : {
  size = U32(I->immediate);
  goto allocates;
}
op_allocate_array : {
  size = R[I->a] * U32(I->immediate);
  goto allocates;
}
allocates : {
  // A gap of 16 bytes above it catches accesses behind its end.
  const uint64_t room = (size + 15) / 16 * 16 + 16;
  if (__builtin_expect(size >= thread->stack_size || stack - room < thread->room_begin() + 64, 0)) {
    THRUM_VM_SAVE(I);
    return m.fail(BugKind::stack_overflow, "the stack is full");
  }
  stack = (stack - room) & ~((uint64_t{1} << I->c) - 1);
  memory.begin_use(stack, size);
  R[I->d] = stack;
  THRUM_VM_NEXT;
}
op_scope_begin:
  memory.begin_use(R[I->a], U32(I->immediate));
  THRUM_VM_NEXT;
op_scope_end:
  memory.set_shadow(R[I->a], U32(I->immediate), kDead);
  THRUM_VM_NEXT;
op_stack_save:
  R[I->d] = stack;
  THRUM_VM_NEXT;
op_stack_restore:
  if (__builtin_expect(R[I->a] < stack || R[I->a] > frame->stack_begin, 0)) {
    THRUM_VM_SAVE(I);
    return m.fail(BugKind::undefined_behaviour, "the stack is restored to a place that was not saved");
  }
  if (R[I->a] > stack) memory.set_shadow(stack, R[I->a] - stack, 0);
  stack = R[I->a];
  THRUM_VM_NEXT;
op_copy_memory : {
  const uint64_t to = R[I->a], from = R[I->b];
  size = R[I->c];
  if (size != 0) {
    THRUM_VM_SAVE(I);
    if (!Machine::can_read(from, size)) {
      address = from;
      goto bad_read;
    }
    if (!Machine::can_write(to, size)) {
      address = to;
      goto bad_write;
    }
    if (I->immediate != 0 && (!m.access(AccessKind::plain_read, from, size, I, 1) ||
                              !m.access(AccessKind::plain_write, to, size, I, 2)))
      return m.stopped();
    memory.copy(to, &at<char>(from), size);
    memory.copy(to + kShadowDistance, &at<char>(from + kShadowDistance), size);
    // The copy of constant memory may be written.
    if ((shadow_at<uint8_t>(from) & kReadOnly) != 0) memory.set_shadow(to, size, kAddressable | kDefined);
  }
  THRUM_VM_NEXT;
}
op_set_memory : {
  const uint64_t to = R[I->a];
  size = R[I->c];
  if (size != 0) {
    THRUM_VM_SAVE(I);
    if (!Machine::can_write(to, size)) {
      address = to;
      goto bad_write;
    }
    if (I->immediate != 0 && !m.access(AccessKind::plain_write, to, size, I, 1)) return m.stopped();
    memory.fill(to, static_cast<int>(R[I->b] & 0xff), size);
    memory.set_shadow(to, size, kAddressable | kDefined);
  }
  THRUM_VM_NEXT;
}
op_thread_local_address:
  R[I->d] = thread->local_storage() + U32(I->immediate);
  THRUM_VM_NEXT;
op_va_start : {
  // As the ABI has it, with all arguments in memory.
  const uint64_t list = R[I->a];
  struct {
    uint32_t general, floating;
    uint64_t overflow, saved;
  } const content{48, 176, R[I->b], 0};
  THRUM_VM_SAVE(I);
  if (!m.may_write(list, sizeof content)) return Stop::over;
  m.write(list, &content, sizeof content);
  THRUM_VM_NEXT;
}
op_va_copy : {
  constexpr uint64_t kList = 24;
  THRUM_VM_SAVE(I);
  if (!m.may_read(R[I->b], kList) || !m.may_write(R[I->a], kList)) return Stop::over;
  m.write(R[I->a], &at<char>(R[I->b]), kList);
  THRUM_VM_NEXT;
}
op_check_aligned:
  if (__builtin_expect((R[I->a] + U64(int64_t{I->immediate})) % I->c != 0, 0)) {
    THRUM_VM_SAVE(I);
    return m.fail(BugKind::undefined_behaviour,
                  "an atomic access at an address that is not a multiple of its size");
  }
  THRUM_VM_NEXT;
op_quiet_update : {
  const uint64_t p = R[I->a];
  THRUM_VM_SAVE(I);
  if (!Machine::can_write(p, I->c)) {
    address = p;
    size = I->c;
    goto bad_write;
  }
  uint64_t old = 0;
  std::memcpy(&old, &at<char>(p), I->c);
  const uint64_t value = loop::updated(static_cast<Update>(I->immediate), old, R[I->b]);
  m.write(p, &value, I->c);
  if (m.judges) m.note_quiet_update(*thread, p, value, static_cast<uint8_t>(I->c));
  R[I->d] = old;
  THRUM_VM_NEXT;
}
op_quiet_exchange : {
  const uint64_t p = R[I->a];
  THRUM_VM_SAVE(I);
  if (!Machine::can_write(p, I->c)) {
    address = p;
    size = I->c;
    goto bad_write;
  }
  uint64_t old = 0;
  std::memcpy(&old, &at<char>(p), I->c);
  const bool is_same = old == loop::low(R[I->b], I->c);
  if (is_same) m.write(p, &R[I->immediate], I->c);
  if (is_same && m.judges) m.note_quiet_update(*thread, p, R[I->immediate], static_cast<uint8_t>(I->c));
  R[I->d] = old;
  R[I->d + 1] = is_same;
  THRUM_VM_NEXT;
}

op_atomic : {
  const AtomicSite& site = frame->function->atomics[U32(I->immediate)];
  if (thread->phase == 0) {
    THRUM_VM_SAVE(I);
    patience = m.patience_behind_call(patience);
    if (m.in_execution) {
      if (frame->function->is_quiet) goto performs;
      m.arrive_at_atomic(*thread, site, R);
      thread->phase = 1;
      if (m.over) return Stop::over;
      if (thread->atomic_depth == 0) return Stop::arrived;
    }
  }
performs:
  thread->phase = 0;
  if (!m.perform_atomic(*thread, site, R)) return m.stopped();
  THRUM_VM_NEXT;
}
op_fence:
  if (m.in_execution && !frame->function->is_quiet) {
    THRUM_VM_SAVE(I);
    if (thread->phase == 0) {
      thread->phase = 1;
      if (m.arrive(Operation::fence, 0, 0)) return Stop::arrived;
      if (m.over) return Stop::over;
    }
    thread->phase = 0;
    if (m.judges) m.races.fence(thread->number, memory_order(I->immediate));
    m.done(false);
  }
  THRUM_VM_NEXT;

#define THRUM_VM_FLOAT(name, operator)                                                                       \
  op_##name                                                                                                  \
      : R[I->d] =                                                                                            \
            std::bit_cast<uint64_t>(std::bit_cast<double>(R[I->a]) operator std::bit_cast<double>(R[I->b])); \
  THRUM_VM_NEXT;                                                                                             \
  op_##name##32 : R[I->d] = std::bit_cast<uint32_t>(                                                         \
                      std::bit_cast<float>(U32(R[I->a])) operator std::bit_cast<float>(U32(R[I->b])));       \
  THRUM_VM_NEXT;
  THRUM_VM_FLOAT(fadd, +)
  THRUM_VM_FLOAT(fsub, -)
  THRUM_VM_FLOAT(fmul, *)
  THRUM_VM_FLOAT(fdiv, /)
#undef THRUM_VM_FLOAT
op_fcmp:
  R[I->d] = compares(std::bit_cast<double>(R[I->a]), std::bit_cast<double>(R[I->b]), I->c);
  THRUM_VM_NEXT;
op_fcmp32:
  R[I->d] = compares(std::bit_cast<float>(U32(R[I->a])), std::bit_cast<float>(U32(R[I->b])), I->c);
  THRUM_VM_NEXT;
op_compute:
  if (__builtin_expect(!kComputations[I->immediate](R + I->d, R + I->a, R + I->b, R + I->c), 0))
    goto bad_division;
  THRUM_VM_NEXT;
op_element:
  R[I->d] = R[I->a + std::min<uint64_t>(R[I->b], U32(I->immediate - 1))];
  THRUM_VM_NEXT;
op_set_element:
  R[I->d + std::min<uint64_t>(R[I->b], U32(I->immediate - 1))] = R[I->a];
  THRUM_VM_NEXT;

op_call_indirect : {
  Function* const callee = m.function_at_address(R[I->a]);
  if (callee == nullptr) {
    THRUM_VM_SAVE(I);
    return m.fail(BugKind::crash,
                  R[I->a] < 4096 ? "segmentation fault (null pointer)" : "segmentation fault");
  }
  const CallSite& site = frame->function->calls[U32(I->immediate)];
  THRUM_VM_SAVE(I + 1);
  if (!callee->is_defined) goto calls_external;
  if (__builtin_expect(!callee->is_decoded, 0)) m.decode(*callee);
  m.enter(*thread, *callee, site, R, stack);
  goto entered;
}
op_call : {
  const CallSite& site = frame->function->calls[U32(I->immediate)];
  THRUM_VM_SAVE(I + 1);
  if (__builtin_expect(!site.callee->is_decoded, 0)) m.decode(*site.callee);
  m.enter(*thread, *site.callee, site, R, stack);
}
entered:
  if (__builtin_expect(--patience == 0, 0)) {
    patience = m.patience(false);
    if (patience == Machine::kEndOfPatience) return m.end_of_patience();
  }
  if (__builtin_expect(m.over, 0)) return Stop::over;
  THRUM_VM_LOAD_FRAME;
  THRUM_VM_GO;
op_call_external:
  THRUM_VM_SAVE(I + 1);
calls_external:
  switch (m.call_external(*thread)) {
    case Next::done:
    case Next::again:
    case Next::entered:
    case Next::unwound: break;
    case Next::arrived: return Stop::arrived;
    case Next::started: return Stop::started;
    case Next::ended: return Stop::ended;
    case Next::begins: return Stop::begins;
    case Next::over: return Stop::over;
  }
  patience = m.patience_behind_call(patience);
  if (__builtin_expect(thread->top < thread->bottom, 0)) goto ends;
  THRUM_VM_LOAD_FRAME;
  if (__builtin_expect(thread->in_call, 0)) goto calls_external;
  THRUM_VM_GO;

// The frame is left; behind this, its caller's goes on. value: what a call of the machine gets.
#define THRUM_VM_LEAVE(value)                                                               \
  if (frame->stack_begin != stack) memory.set_shadow(stack, frame->stack_begin - stack, 0); \
  const Then then = frame->then;                                                            \
  [[maybe_unused]] const CallSite* const site = frame->site;                                \
  thread->top = --frame;                                                                    \
  if (__builtin_expect(frame < thread->unsaved, 0)) m.save_frame(*thread, *frame);          \
  if (__builtin_expect(then != Then::go_on, 0)) {                                           \
    thread->result = (value);                                                               \
    m.leave_called(*thread, frame[1]);                                                      \
    if (then == Then::thread) goto ends;                                                    \
    goto continues;                                                                         \
  }                                                                                         \
  R = frame->registers
#define THRUM_VM_GO_ON          \
  I = frame->next;              \
  stack = frame->stack_pointer; \
  THRUM_VM_GO
op_ret : {
  THRUM_VM_LEAVE(0);
  THRUM_VM_GO_ON;
}
op_ret1 : {
  const uint64_t value = R[I->a];
  THRUM_VM_LEAVE(value);
  R[site->result] = value;
  THRUM_VM_GO_ON;
}
op_ret_list : {
  const std::vector<Slot>& list = frame->function->lists[U32(I->immediate)];
  const uint64_t* const from = R;
  THRUM_VM_LEAVE(from[list[0]]);
  for (std::size_t i = 0; i < list.size() && i < site->results; ++i) R[site->result + i] = from[list[i]];
  THRUM_VM_GO_ON;
}
#undef THRUM_VM_GO_ON
#undef THRUM_VM_LEAVE
ends:
  if (const std::optional<Stop> stop = m.end_thread()) return *stop;
  THRUM_VM_LOAD_FRAME;
  THRUM_VM_GO;
continues:
  if (__builtin_expect(frame[1].then != Then::call, 0)) {
    if (const std::optional<Stop> stop = m.go_on_behind(*thread, frame[1])) return *stop;
    if (__builtin_expect(thread->top < thread->bottom, 0)) goto ends;
  }
  THRUM_VM_LOAD_FRAME;
  if (__builtin_expect(thread->in_call, 1)) goto calls_external;
  THRUM_VM_GO;

op_resume:
  THRUM_VM_SAVE(I);
  if (!resume_unwinding(m, *thread, R[I->a])) return Stop::over;
  if (__builtin_expect(thread->top < thread->bottom, 0)) goto ends;
  THRUM_VM_LOAD_FRAME;
  if (__builtin_expect(thread->in_call, 0)) goto calls_external;
  THRUM_VM_GO;
op_round:
  m.cycle_traits.comes_further = true;
  THRUM_VM_NEXT;
op_escape:
  if (m.symmetry != nullptr) m.symmetry->note_number(R[I->a]);
  THRUM_VM_NEXT;
op_stay_in_block:
  if (m.symmetry != nullptr) m.symmetry->note_computed(R[I->a], R[I->b]);
  THRUM_VM_NEXT;
op_compare_blocks:
  if (m.symmetry != nullptr) m.symmetry->note_compared(R[I->a], R[I->b]);
  THRUM_VM_NEXT;
op_difference:
  if (m.symmetry != nullptr) m.symmetry->note_difference(R[I->a], R[I->b], R[I->c]);
  THRUM_VM_NEXT;
op_read_part:
  if (m.symmetry != nullptr)
    m.symmetry->note_part(R[I->a] + R[I->b] * I->c + static_cast<uint64_t>(int64_t{I->immediate}));
  THRUM_VM_NEXT;
op_unreachable:
  THRUM_VM_SAVE(I);
  return m.fail(BugKind::undefined_behaviour, "code is reached that the compiler took for unreachable");
op_trap:
  THRUM_VM_SAVE(I);
  return m.fault(SIGILL, 0, "illegal instruction");
op_breakpoint:
  THRUM_VM_SAVE(I + 1);
  return m.fault(SIGTRAP, 0, "trap");

bad_read:
  THRUM_VM_SAVE(I);
  return m.fault_access(address, size, false);
bad_write:
  THRUM_VM_SAVE(I);
  return m.fault_access(address, size, true);
bad_division:
  THRUM_VM_SAVE(I);
  return m.fault(SIGFPE, 0, "arithmetic exception");
hangs:
  THRUM_VM_SAVE(I);
  return m.end_of_patience();
  static_cast<void>(writes);
}

}  // namespace thrum::vm
