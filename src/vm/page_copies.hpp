// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the pages of the program's memory held before they were written, whoever wrote them and how: the pages
// are protected, and the first write to each of them faults. The undo log has no part in this, so it can be
// held against it (undo_check.hpp).
//
// Thread safety: none; one at a time in a process, since it handles a signal.
// Tested by undo_check_test.cpp.
#pragma once

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <span>

namespace thrum::vm {

inline constexpr std::size_t kPageSize = 4096;

struct PageCopy {
  std::uint64_t address = 0;
  std::byte bytes[kPageSize] = {};  // before its first write
};

class PageCopies {
 public:
  PageCopies();
  ~PageCopies();
  PageCopies(const PageCopies&) = delete;
  PageCopies& operator=(const PageCopies&) = delete;

  // From here on, until end(), the pages of the arena and of its shadow are copied before they are written.
  void begin();
  void end();
  // Those that were written since begin().
  std::span<const PageCopy> copies() const { return {pages_, count_}; }

 private:
  static void handle(int signal, siginfo_t* info, void* context);
  bool copy(std::uint64_t address);

  PageCopy* pages_ = nullptr;
  std::size_t count_ = 0;
  struct sigaction before_ {};  // what handles other faults
};

}  // namespace thrum::vm
