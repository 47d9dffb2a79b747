// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomic operations: callbacks of -fsanitize=thread. Each is a visible operation. Under a search all are
// sequentially consistent, whatever order they ask for; an operation that asks for less is noted. Each has a
// loop_entry in switch.S.

#include <cstdint>

#include "runtime/base/notes.hpp"
#include "runtime/base/world.hpp"
#include "runtime/judge/early_memory.hpp"
#include "runtime/judge/race_judge.hpp"
#include "runtime/judge/recorded_values.hpp"
#include "runtime/threads/record.hpp"
#include "runtime/threads/scheduler.hpp"

namespace {

using namespace thrum;

using Int128 = unsigned __int128;

inline void note_order(int order, std::uint64_t code) {
  if (order != __ATOMIC_SEQ_CST) notes().weaker_atomic(code);
}

template <typename T>
inline std::uint64_t bits(T value) {
  return static_cast<std::uint64_t>(value);
}

template <typename T>
inline void arrive(Operation operation, const volatile T* address, int order, std::uint64_t code) {
  note_order(order, code);
  scheduler().arrive_in_loop(operation, reinterpret_cast<std::uint64_t>(address), sizeof(T), code);
}

// The operation is done with that effect; the event says which order it asked for.
template <typename... Done>
inline void done(int order, Scheduler::Effect effect, Done... values) {
  scheduler().done(effect, values...);
  if (__builtin_expect(world.recording && order != __ATOMIC_SEQ_CST, 0)) record_order(order);
}

// Also atomic on the machine, for processes that are not under a search: each is a real instruction,
// cmpxchg16b for 16 bytes.
template <typename T>
inline bool compare_and_swap(volatile T* address, T& expected, T desired) {
  T seen = __sync_val_compare_and_swap(address, expected, desired);
  bool swapped = seen == expected;
  expected = seen;
  return swapped;
}

template <typename T>
inline T machine_load(const volatile T* address) {
  if constexpr (sizeof(T) < 16) return __atomic_load_n(address, __ATOMIC_SEQ_CST);
  T value{};
  compare_and_swap(const_cast<volatile T*>(address), value, value);
  return value;
}

template <typename T, typename Change>
inline T machine_update(volatile T* address, Change change) {
  T old = machine_load(address);
  while (!compare_and_swap(address, old, change(old))) {
  }
  return old;
}

template <typename T>
inline T load(const volatile T* address, int order, std::uint64_t code) {
  if (!world.running) {
    check_early(AccessKind::atomic_read, address, sizeof(T), code);
    return machine_load(address);
  }
  arrive(Operation::load, address, order, code);
  if (world.judges_races) race_judge().load(address, sizeof(T), order, code);
  T value = *address;
  done(order, Scheduler::Effect::read, bits(value));
  return value;
}

template <typename T>
inline void store(volatile T* address, T value, int order, std::uint64_t code) {
  if (!world.running) {
    check_early(AccessKind::atomic_write, address, sizeof(T), code);
    machine_update(address, [value](T) { return value; });
    return;
  }
  note_order(order, code);
  scheduler().note_argument(bits(value), Update::exchange);
  scheduler().arrive_to_store(reinterpret_cast<std::uint64_t>(address), sizeof(T), code);
  if (world.judges_races) race_judge().store(address, sizeof(T), order, code);
  T old = *address;
  *address = value;
  done(order, Scheduler::Effect::change, bits(old), bits(value));
}

template <typename T>
inline void judge_change(volatile T* address, bool leaves_value, int order, std::uint64_t code) {
  if (!world.judges_races) return;
  if (leaves_value) return race_judge().change_nothing(address, sizeof(T), order, code);
  race_judge().change(address, sizeof(T), order, code);
}

template <typename T, typename Change>
inline T update(volatile T* address, T value, Update kind, int order, std::uint64_t code, Change change) {
  if (!world.running) {
    check_early(AccessKind::atomic_write, address, sizeof(T), code);
    return machine_update(address, change);
  }
  scheduler().note_argument(bits(value), kind);
  arrive(Operation::read_modify_write, address, order, code);
  T old = *address;
  T next = change(old);
  judge_change(address, next == old, order, code);
  if (next == old) {
    done(order, Scheduler::Effect::read, bits(old), bits(old), Outcome::unchanged);
  } else {
    *address = next;
    done(order, Scheduler::Effect::change, bits(old), bits(next));
  }
  return old;
}

template <typename T>
inline bool compare_exchange(volatile T* address, T* expected, T desired, int order, int order_if_failed,
                             std::uint64_t code) {
  if (!world.running) {
    check_early(AccessKind::atomic_write, address, sizeof(T), code);
    return compare_and_swap(address, *expected, desired);
  }
  note_value_read(expected, sizeof *expected);
  scheduler().note_argument(bits(*expected), Update::exchange, bits(desired));
  arrive(Operation::compare_exchange, address, order, code);
  T old = *address;
  if (old != *expected) {
    if (world.judges_races) race_judge().load(address, sizeof(T), order_if_failed, code);
    *expected = old;
    if (!scheduler().current().has_on_stack(expected)) world.wrote = true;
    done(order_if_failed, Scheduler::Effect::read, bits(old), bits(desired), Outcome::failed);
    scheduler().note_expected(expected, sizeof *expected);
    note_value_written(expected, sizeof *expected);
    return false;
  }
  judge_change(address, old == desired, order, code);
  *address = desired;
  if (old == desired) {
    done(order, Scheduler::Effect::read, bits(old), bits(desired), Outcome::unchanged);
  } else {
    done(order, Scheduler::Effect::change, bits(old), bits(desired));
  }
  return true;
}

}  // namespace

// Arithmetic wraps around, as for atomics, even for types that are promoted to int.
#define UPDATE(bits_, T, name, kind, expression)                                                    \
  THRUM_LOOP_IMPL T __tsan_atomic##bits_##_##name##_impl(volatile T* address, T value, int order) { \
    return update(address, value, Update::kind, order, THRUM_CALLER,                                \
                  [value](T old) -> T { return static_cast<T>(expression); });                      \
  }

#define ATOMIC(bits_, T)                                                                                    \
  THRUM_LOOP_IMPL T __tsan_atomic##bits_##_load_impl(const volatile T* address, int order) {                \
    return load(address, order, THRUM_CALLER);                                                              \
  }                                                                                                         \
  THRUM_LOOP_IMPL void __tsan_atomic##bits_##_store_impl(volatile T* address, T value, int order) {         \
    store(address, value, order, THRUM_CALLER);                                                             \
  }                                                                                                         \
  UPDATE(bits_, T, exchange, exchange, (static_cast<void>(old), value))                                     \
  UPDATE(bits_, T, fetch_add, add, old + value)                                                             \
  UPDATE(bits_, T, fetch_sub, subtract, old - value)                                                        \
  UPDATE(bits_, T, fetch_and, bit_and, old& value)                                                          \
  UPDATE(bits_, T, fetch_or, bit_or, old | value)                                                           \
  UPDATE(bits_, T, fetch_xor, bit_xor, old ^ value)                                                         \
  UPDATE(bits_, T, fetch_nand, bit_nand, ~(old & value))                                                    \
  THRUM_LOOP_IMPL int __tsan_atomic##bits_##_compare_exchange_strong_impl(                                  \
      volatile T* address, T* expected, T desired, int order, int otherwise) {                              \
    return compare_exchange(address, expected, desired, order, otherwise, THRUM_CALLER);                    \
  }                                                                                                         \
  THRUM_LOOP_IMPL int __tsan_atomic##bits_##_compare_exchange_weak_impl(                                    \
      volatile T* address, T* expected, T desired, int order, int otherwise) {                              \
    return compare_exchange(address, expected, desired, order, otherwise, THRUM_CALLER);                    \
  }                                                                                                         \
  THRUM_LOOP_IMPL T __tsan_atomic##bits_##_compare_exchange_val_impl(volatile T* address, T expected,       \
                                                                     T desired, int order, int otherwise) { \
    compare_exchange(address, &expected, desired, order, otherwise, THRUM_CALLER);                          \
    return expected;                                                                                        \
  }

ATOMIC(8, std::uint8_t)
ATOMIC(16, std::uint16_t)
ATOMIC(32, std::uint32_t)
ATOMIC(64, std::uint64_t)
ATOMIC(128, Int128)

THRUM_EXPORT void __tsan_atomic_thread_fence(int order) {
  if (!world.running) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return;
  }
  note_order(order, THRUM_CALLER);
  scheduler().arrive(Operation::fence, 0, 0, THRUM_CALLER);
  if (world.judges_races) race_judge().fence(order);
  done(order, Scheduler::Effect::none);
}

THRUM_EXPORT void __tsan_atomic_signal_fence(int) {}
