// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As catch2/catch.hpp, for programs that have the header under its own name alone.
#pragma GCC system_header
#include_next <catch.hpp>
#include "../catch_listener.hpp"
#include "../catch_signals_off.h"
#include "../catch_signals_on.h"
