// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the program prints. While a search is on nobody sees it: it is dropped, and kept only where the
// execution is recorded in full, for the bug that it ends in. Under replay it is shown as it comes.
#pragma once

#include <cstddef>
#include <string>

#include "runtime/base/forever.hpp"

namespace thrum {

class Output {
 public:
  constexpr Output() = default;

  // Before the snapshot: gives stdout its buffer now, which libc would else do in each execution, with a
  // system call, in the memory of whichever thread prints first.
  static void prepare();

  // An execution begins; keep: what it prints is to be kept.
  void begin(bool keep);

  void add(const char* bytes, std::size_t size);

  // The execution has failed: what it has printed, what lies in the buffers of stdout and std::cout included.
  // Where much was printed, its beginning and its end.
  std::string take();

  // Under replay: shows what lies in those buffers.
  static void show_unflushed();

 private:
  static constexpr std::size_t kKept = 32 << 10;  // of the beginning, and of the end
  bool keep_ = false;
  std::string head_;
  std::string tail_;
  bool dropped_ = false;  // something between the two
};

extern constinit Forever<Output> the_output;
inline Output& output() { return the_output.value; }

}  // namespace thrum
