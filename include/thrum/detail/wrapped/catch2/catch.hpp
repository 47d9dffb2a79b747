// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program's own catch2/catch.hpp (Catch2, version 2), and a listener that tells `thrum check` of its tests: see
// catch_listener.hpp.
//
// The real header is included each time: this one may stand on the path twice, and then finds itself first.
#pragma GCC system_header
#if !__has_include_next(<catch2/catch.hpp>) && __has_include(<catch2/catch_all.hpp>)
// Some programs ask for this header first to tell the versions of Catch2 apart.
#include <catch2/catch_all.hpp>
#else
#include "../../catch_signals_off.h"
#include_next <catch2/catch.hpp>
#include "../../catch_signals_on.h"
#include "../../catch_listener.hpp"
#endif
