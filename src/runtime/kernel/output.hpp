// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program's output. Under a search it is dropped. It is kept only if the execution is recorded in full,
// for the bug with which it ends. Under replay it is shown at once.
#pragma once

#include <cstddef>
#include <string>

#include "runtime/base/forever.hpp"

namespace thrum {

class Output {
 public:
  constexpr Output() = default;

  // Before the snapshot: allocates the buffer of stdout. Else libc would do so in each execution, with a
  // system call, in the memory of the first thread that prints.
  static void prepare();

  // An execution begins; keep: its output is kept.
  void begin(bool keep);

  void add(const char* bytes, std::size_t size);

  // The output of a failed execution, including the buffers of stdout and std::cout. If it is long: its
  // beginning and its end.
  std::string take();

  // Under replay: shows the content of those buffers.
  static void show_unflushed();

 private:
  static constexpr std::size_t kKept = 32 << 10;  // bytes of the beginning, and of the end
  bool keep_ = false;
  std::string head_;
  std::string tail_;
  bool dropped_ = false;  // something between the two was dropped
};

extern constinit Forever<Output> the_output;
inline Output& output() { return the_output.value; }

}  // namespace thrum
