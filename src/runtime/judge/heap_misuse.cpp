// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/judge/heap_misuse.hpp"

namespace thrum {

namespace {

std::string bytes_text(std::uint64_t size) { return std::to_string(size) + (size == 1 ? " byte" : " bytes"); }

}  // namespace

std::string access_text(AccessKind kind, std::uint64_t size) {
  std::string name(access_kind_name(kind));
  return (name.starts_with('a') ? "an " : "a ") + name + " of " + bytes_text(size);
}

Failure misuse_of(const ProgramHeap::Use& use, AccessKind kind, std::uint64_t size, ThreadId thread,
                  std::uint64_t code) {
  Failure failure{BugKind::buffer_overflow, access_text(kind, size), thread, code, {}};
  if (use.state == ProgramHeap::State::freed) {
    failure.kind = BugKind::use_after_free;
    failure.message += " in a block of " + bytes_text(use.size) + " that has been freed";
  } else if (use.state == ProgramHeap::State::outside) {
    failure.message += " that does not lie inside a block of the heap";
  } else {
    failure.message += " that does not lie inside its block of " + bytes_text(use.size);
  }
  return failure;
}

}  // namespace thrum
