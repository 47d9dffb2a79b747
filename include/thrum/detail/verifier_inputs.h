/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Inputs and assumptions of verifiers; thrum/verifier.h includes it. */
#ifndef THRUM_VERIFIER_INPUTS_H
#define THRUM_VERIFIER_INPUTS_H

/* Analysers take it that functions of the system change no variable of the program. */
#ifdef __GNUC__
#pragma GCC system_header
#endif

extern void exit(int);
extern void abort(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern char __VERIFIER_nondet_char(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern short __VERIFIER_nondet_short(void);
extern unsigned short __VERIFIER_nondet_ushort(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern long __VERIFIER_nondet_long(void);
extern unsigned long __VERIFIER_nondet_ulong(void);

static void __VERIFIER_assume(int condition) {
  if (!condition) exit(0);
}

#endif /* THRUM_VERIFIER_INPUTS_H */
