/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Clang's atomic maximum and minimum, as loops of compare-and-swap.
 *
 * Clang's ThreadSanitizer has no callback for them and leaves them out: they would be no scheduling points, and races
 * with them would be missed. Processors have no such instructions either, so such a loop is what Clang makes of them.
 * The drivers include this file with -imacros, also before assembler: it consists of macros only.
 *
 * Each operand is evaluated once. */
#pragma once
#pragma clang system_header

#define THRUM_ATOMIC_UPDATE(operation, pointer, operand, order, load, exchange, result) \
  __extension__({                                                                       \
    __auto_type thrum_pointer = (pointer);                                              \
    __auto_type thrum_before = load;                                                    \
    const __typeof__(thrum_before) thrum_operand = (operand);                           \
    const int thrum_order = (order);                                                    \
    __typeof__(thrum_before) thrum_after;                                               \
    do                                                                                  \
      thrum_after = thrum_operand operation thrum_before ? thrum_operand : thrum_before; \
    while (!exchange);                                                                  \
    result;                                                                             \
  })

#define THRUM_ATOMIC_GNU(operation, pointer, operand, order, result)                                              \
  THRUM_ATOMIC_UPDATE(operation, pointer, operand, order, __atomic_load_n(thrum_pointer, __ATOMIC_RELAXED),       \
                      __atomic_compare_exchange_n(thrum_pointer, &thrum_before, thrum_after, 0, thrum_order,      \
                                                  __ATOMIC_RELAXED),                                              \
                      result)
#define THRUM_ATOMIC_C11(operation, pointer, operand, order)                                                      \
  THRUM_ATOMIC_UPDATE(operation, pointer, operand, order, __c11_atomic_load(thrum_pointer, __ATOMIC_RELAXED),     \
                      __c11_atomic_compare_exchange_strong(thrum_pointer, &thrum_before, thrum_after, thrum_order, \
                                                           __ATOMIC_RELAXED),                                     \
                      thrum_before)

#define __atomic_fetch_max(pointer, operand, order) THRUM_ATOMIC_GNU(>, pointer, operand, order, thrum_before)
#define __atomic_fetch_min(pointer, operand, order) THRUM_ATOMIC_GNU(<, pointer, operand, order, thrum_before)
#define __atomic_max_fetch(pointer, operand, order) THRUM_ATOMIC_GNU(>, pointer, operand, order, thrum_after)
#define __atomic_min_fetch(pointer, operand, order) THRUM_ATOMIC_GNU(<, pointer, operand, order, thrum_after)
#define __scoped_atomic_fetch_max(pointer, operand, order, scope) __atomic_fetch_max(pointer, operand, order)
#define __scoped_atomic_fetch_min(pointer, operand, order, scope) __atomic_fetch_min(pointer, operand, order)
#define __scoped_atomic_max_fetch(pointer, operand, order, scope) __atomic_max_fetch(pointer, operand, order)
#define __scoped_atomic_min_fetch(pointer, operand, order, scope) __atomic_min_fetch(pointer, operand, order)
#define __c11_atomic_fetch_max(pointer, operand, order) THRUM_ATOMIC_C11(>, pointer, operand, order)
#define __c11_atomic_fetch_min(pointer, operand, order) THRUM_ATOMIC_C11(<, pointer, operand, order)
#define __sync_fetch_and_max(pointer, operand) __atomic_fetch_max(pointer, operand, __ATOMIC_SEQ_CST)
#define __sync_fetch_and_min(pointer, operand) __atomic_fetch_min(pointer, operand, __ATOMIC_SEQ_CST)
#define __sync_fetch_and_umax(pointer, operand) __atomic_fetch_max(pointer, operand, __ATOMIC_SEQ_CST)
#define __sync_fetch_and_umin(pointer, operand) __atomic_fetch_min(pointer, operand, __ATOMIC_SEQ_CST)
