// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// The driver of bluetooth.cpp, where a request counts itself before it looks whether the driver
// stops.
#define COUNT_FIRST 1
#include "bluetooth.cpp"
