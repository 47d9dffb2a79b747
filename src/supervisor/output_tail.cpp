// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "supervisor/output_tail.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace thrum {

OutputTail::OutputTail(bool with_pipe) {
  if (!with_pipe) return;
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    problem_ = std::string("pipe: ") + std::strerror(errno);
    return;
  }
  reading_ = ends[0];
  writing_ = ends[1];
  fcntl(reading_, F_SETFL, O_NONBLOCK);
}

OutputTail::~OutputTail() {
  close_writing_end();
  if (reading_ >= 0) close(reading_);
}

void OutputTail::close_writing_end() {
  if (writing_ >= 0) close(std::exchange(writing_, -1));
}

void OutputTail::drain() {
  if (reading_ < 0) return;
  std::array<char, 1 << 14> buffer{};
  // A writer may be faster than we are for ever, and so it is left after a while.
  for (int round = 0; round < 64; ++round) {
    ssize_t size = read(reading_, buffer.data(), buffer.size());
    if (size == 0) {
      close(std::exchange(reading_, -1));
      return;
    }
    if (size < 0) return;
    kept_.append(buffer.data(), static_cast<std::size_t>(size));
    if (kept_.size() > 2 * kKeptBytes) {
      kept_.erase(0, kept_.size() - kKeptBytes);
      dropped_ = true;
    }
  }
}

std::string OutputTail::take() {
  if (kept_.size() > kKeptBytes) {
    kept_.erase(0, kept_.size() - kKeptBytes);
    dropped_ = true;
  }
  if (dropped_) kept_.insert(0, "[only the last 64 KB]\n");
  return std::move(kept_);
}

}  // namespace thrum
