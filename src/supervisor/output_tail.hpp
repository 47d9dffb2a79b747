// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A pipe that takes all output of the worker and keeps the last part.
#pragma once

#include <cstddef>
#include <string>

namespace thrum {

class OutputTail {
 public:
  static constexpr std::size_t kKeptBytes = 64 << 10;

  // Without a pipe nothing is taken, and both descriptors are -1.
  explicit OutputTail(bool with_pipe);
  ~OutputTail();
  OutputTail(const OutputTail&) = delete;
  OutputTail& operator=(const OutputTail&) = delete;

  const std::string& problem() const { return problem_; }
  int descriptor() const { return reading_; }
  int writing_end() const { return writing_; }
  void close_writing_end();

  // Reads what was written until now, without waiting.
  void drain();

  // The last part. If earlier bytes were dropped, its first line says so.
  std::string take();

 private:
  int reading_ = -1;
  int writing_ = -1;
  std::string kept_;
  bool dropped_ = false;
  std::string problem_;
};

}  // namespace thrum
