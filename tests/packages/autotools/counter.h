/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifdef __cplusplus
extern "C" {
#endif
/* Adds one to a counter, in two steps, and returns what it has become. */
int increment(void);
/* The same twice. */
int increment_twice(void);
#ifdef __cplusplus
}
#endif
