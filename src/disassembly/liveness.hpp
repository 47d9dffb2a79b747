// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which preserved registers, and which words of the caller's stack frame, are live at a call: their values
// may still be used behind it.
//
// The idea. All code that may run behind the call is followed: jumps, code behind calls, and the handlers of
// exceptions that come out of calls. A register is live where some path uses it before it overwrites it. This
// is the usual analysis of liveness, on machine code; what cannot be followed counts as using all registers:
// a return, a jump whose target is computed, code that cannot be decoded, too much code. An exception that
// leaves the function uses the registers that still have its caller's values.
//
// A word of the frame is dead where every path overwrites it before anything could read it: an instruction
// that reads it, that reads memory by a pointer, or that calls a function, but for those by which
// instrumented code reports its plain accesses. Example: `do { t = top.load(); ... } while
// (!top.compare_exchange(t, ...))` overwrites t behind the load. Behind a return the frame is gone.
//
// It assumes the calling convention: a called function does not use what its caller has in these registers,
// except to give it back. (Clang's preserve_none and __regcall pass arguments in them.) And a call at the
// very end of a function does not return.
//
// Tested by liveness_test.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "disassembly/live_state.hpp"

namespace thrum {

class CodeFile;

class Liveness {
 public:
  Liveness();
  ~Liveness();
  Liveness(const Liveness&) = delete;
  Liveness& operator=(const Liveness&) = delete;

  // At the return address of a call in that executable or shared library, as its file counts addresses.
  // Everything where the file cannot be read. Each file is read once.
  LiveState at(const std::string& path, std::uint64_t return_address);

 private:
  std::map<std::string, std::unique_ptr<CodeFile>> files_;  // by path
};

}  // namespace thrum
