// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tested by tests/endtoend/best_first_test.cpp.
#include "worker/temporary_file.hpp"

#include <fcntl.h>
#include <linux/falloc.h>
#include <cerrno>
#include <cstring>
#include <utility>

#include "support/raw_syscall.hpp"

namespace thrum {

namespace {

// Used if files without a name are not supported: a file whose name is removed at once.
long open_and_unlink(const std::string& folder) {
  std::string path = folder + "/thrum-search-" + std::to_string(raw_syscall(SYS_getpid));
  long file = raw_syscall(SYS_openat, AT_FDCWD, word(path), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file >= 0) raw_syscall(SYS_unlinkat, AT_FDCWD, word(path), 0);
  return file;
}

}  // namespace

TemporaryFile::TemporaryFile(std::string folder, long first_descriptor, const std::uint32_t& copies)
    : folder_(std::move(folder)), copies_(copies) {
  long file = raw_syscall(SYS_openat, AT_FDCWD, word(folder_), O_RDWR | O_TMPFILE | O_EXCL | O_CLOEXEC, 0600);
  if (file == -EOPNOTSUPP || file == -EISDIR || file == -EINVAL) file = open_and_unlink(folder_);
  if (failed("made", file)) return;
  descriptor_ = raw_syscall(SYS_fcntl, file, F_DUPFD_CLOEXEC, first_descriptor);
  raw_syscall(SYS_close, file);
  failed("made", descriptor_);
}

TemporaryFile::~TemporaryFile() {
  if (descriptor_ >= 0) raw_syscall(SYS_close, descriptor_);
}

std::optional<std::uint64_t> TemporaryFile::append(std::string_view bytes) {
  if (descriptor_ < 0) return std::nullopt;
  for (std::uint64_t done = 0; done < bytes.size();) {
    long result = raw_syscall(SYS_pwrite64, descriptor_, reinterpret_cast<long>(bytes.data() + done),
                              static_cast<long>(bytes.size() - done), static_cast<long>(end_ + done));
    if (result == -EINTR) continue;
    if (failed("written", result == 0 ? -EIO : result)) return std::nullopt;
    done += static_cast<std::uint64_t>(result);
  }
  std::uint64_t offset = end_;
  end_ += bytes.size();
  return offset;
}

bool TemporaryFile::read(std::uint64_t offset, std::string& bytes) {
  for (std::uint64_t done = 0; done < bytes.size();) {
    long result = raw_syscall(SYS_pread64, descriptor_, reinterpret_cast<long>(bytes.data() + done),
                              static_cast<long>(bytes.size() - done), static_cast<long>(offset + done));
    if (result == -EINTR) continue;
    if (failed("read", result == 0 ? -EIO : result)) return false;
    done += static_cast<std::uint64_t>(result);
  }
  return true;
}

// Data that a copy of this process may still read is kept until two newer copies exist: the supervisor may
// not know the last one yet.
void TemporaryFile::discard(std::uint64_t offset, std::uint64_t size) {
  kept_.push_back({offset, size, copies_ == 0 ? 0 : copies_ + 2});
  for (; !kept_.empty() && kept_.front().until_copy <= copies_; kept_.pop_front()) {
    const Kept& range = kept_.front();
    if (copies_ == 0 && range.offset + range.size == end_) end_ = range.offset;
    raw_syscall(SYS_fallocate, descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                static_cast<long>(range.offset), static_cast<long>(range.size));
  }
}

bool TemporaryFile::failed(const char* what, long result) {
  if (result >= 0) return false;
  what_ = what;
  error_ = -result;
  return true;
}

std::string TemporaryFile::problem() const {
  const char* why = strerrordesc_np(static_cast<int>(error_));
  return std::string("the file for what --search-memory has no room for cannot be ") + what_ + " in " +
         folder_ + ": " + (why != nullptr ? why : "unknown error") +
         "; set TMPDIR to a folder with room, or give more memory";
}

}  // namespace thrum
