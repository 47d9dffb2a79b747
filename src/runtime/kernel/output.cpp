// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/kernel/output.hpp"

#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>
#include <algorithm>
#include <cstdint>
#include <ostream>
#include <streambuf>

#include "runtime/base/world.hpp"
#include "runtime/memory/heap.hpp"
#include "support/raw_syscall.hpp"

namespace thrum {

constinit Forever<Output> the_output;

namespace {

// Buffers are read in place, not flushed: the failed thread may be in the middle of printing, and another
// thread may hold the stream's lock.
template <typename Take>
void take_unflushed(Take take) {
  constexpr std::ptrdiff_t kMost = 1 << 20;  // more cannot be a buffer
  auto take_range = [&](const char* begin, const char* end) {
    if (begin && begin < end && end - begin <= kMost) take(begin, static_cast<std::size_t>(end - begin));
  };
  if (stdout) take_range(stdout->_IO_write_base, stdout->_IO_write_ptr);
  struct Peek : std::streambuf {
    using std::streambuf::pbase;
    using std::streambuf::pptr;
  };
  void* stream = dlsym(RTLD_DEFAULT, "_ZSt4cout");
  if (!stream || *static_cast<void**>(stream) == nullptr) return;  // not constructed: <iostream> is not used
  auto* buffer = static_cast<Peek*>(static_cast<std::ostream*>(stream)->rdbuf());
  if (buffer) take_range(buffer->pbase(), buffer->pptr());
}

}  // namespace

void Output::prepare() {
  constexpr int kLineBuffered = 0x200;  // glibc's _IO_LINE_BUF
  if (!stdout || stdout->_IO_buf_base || stdout->_flags & 2 /* _IO_UNBUFFERED */) return;
  bool line_buffered = (stdout->_flags & kLineBuffered) != 0 || isatty(STDOUT_FILENO) != 0;
  // Not on the page where main's blocks begin, which nearly every execution writes.
  ProgramHeap::Region region = the_heap.use_region(ProgramHeap::kPoolRegion);
  setvbuf(stdout, nullptr, _IOFBF, 0);
  the_heap.use_region(region);
  if (line_buffered) stdout->_flags |= kLineBuffered;
}

void Output::begin(bool keep) {
  keep_ = keep;
  if (head_.empty()) return;
  head_.clear();
  tail_.clear();
  dropped_ = false;
}

void Output::add(const char* bytes, std::size_t size) {
  if (!keep_) return;
  std::size_t first = std::min(size, kKept - head_.size());
  head_.append(bytes, first);
  tail_.append(bytes + first, size - first);
  if (tail_.size() <= 2 * kKept) return;
  tail_.erase(0, tail_.size() - kKept);
  dropped_ = true;
}

std::string Output::take() {
  take_unflushed([&](const char* bytes, std::size_t size) { add(bytes, size); });
  if (tail_.size() > kKept) {
    tail_.erase(0, tail_.size() - kKept);
    dropped_ = true;
  }
  return head_ + (dropped_ ? "\n[something is left out here]\n" : "") + tail_;
}

void Output::show_unflushed() {
  take_unflushed([](const char* bytes, std::size_t size) {
    raw_syscall(SYS_write, STDOUT_FILENO, reinterpret_cast<long>(bytes), static_cast<long>(size));
  });
}

}  // namespace thrum
