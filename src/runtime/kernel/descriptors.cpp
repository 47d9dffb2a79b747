// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The state of descriptors; descriptor_calls.cpp answers the calls.
#include "runtime/kernel/descriptors.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <cstdlib>

#include "runtime/base/engine.hpp"
#include "runtime/base/notes.hpp"
#include "runtime/kernel/files.hpp"
#include "support/raw_syscall.hpp"

namespace thrum {

constinit Forever<Descriptors> the_descriptors;

namespace {

bool get_status(long descriptor, struct stat& status) {
  return raw_syscall(SYS_fstat, descriptor, reinterpret_cast<long>(&status)) == 0;
}

// Calls visit(number) for each descriptor that is open.
template <typename Visit>
void for_each_open(Visit visit) {
  long folder = raw_syscall(SYS_openat, AT_FDCWD, reinterpret_cast<long>("/proc/self/fd"),
                            O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  alignas(dirent64) char buffer[4096];
  long size;
  while ((size = raw_syscall(SYS_getdents64, folder, reinterpret_cast<long>(buffer), sizeof buffer)) > 0) {
    for (long at = 0; at < size;) {
      const auto* entry = reinterpret_cast<const dirent64*>(buffer + at);
      at += entry->d_reclen;
      long number = std::strtol(entry->d_name, nullptr, 10);
      if (entry->d_name[0] != '.' && number != folder) visit(number);
    }
  }
  raw_syscall(SYS_close, folder);
}

}  // namespace

void Descriptors::initialize() {
  for (int i = 0; i < 2; ++i) {
    struct stat status {};
    if (get_status(STDOUT_FILENO + i, status)) output_[i] = {status.st_dev, status.st_ino};
  }
}

Descriptors::Kind Descriptors::classify(long descriptor) const {
  constexpr unsigned kMemoryDevices = 1;
  struct stat status {};
  if (!get_status(descriptor, status)) return Kind::closed;
  if (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) {
    bool output = false;
    for (const Identity& one : output_)
      output = output || (one.device == status.st_dev && one.inode == status.st_ino);
    return output && descriptor != STDIN_FILENO ? Kind::output : Kind::file;
  }
  if (S_ISCHR(status.st_mode) && major(status.st_rdev) == kMemoryDevices) {
    unsigned device = minor(status.st_rdev);
    if (device == 8 || device == 9) return Kind::random;
    if (device == 3 || device == 5 || device == 7) return Kind::zero;
  }
  if (descriptor == STDIN_FILENO) return Kind::input;
  for (const Identity& one : output_) {
    if (one.device == status.st_dev && one.inode == status.st_ino) return Kind::output;
  }
  return S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode) ? Kind::device : Kind::channel;
}

void Descriptors::save() {
  kept_.clear();
  long own = first_own_descriptor();
  for_each_open([&](long number) {
    if (number >= own) return;
    auto index = static_cast<std::size_t>(number);
    if (kept_.size() <= index) kept_.resize(index + 1);
    Kept& kept = kept_[index];
    kept.open = {classify(number), false, false, number, number};
    if (kept.open.kind == Kind::file) {
      kept.offset = raw_syscall(SYS_lseek, number, 0, SEEK_CUR);
      struct stat status {};
      get_status(number, status);
      kept.size = status.st_size;
    }
    kept.status_flags = raw_syscall(SYS_fcntl, number, F_GETFL);
    kept.descriptor_flags = raw_syscall(SYS_fcntl, number, F_GETFD);
  });
  now_.clear();
  for (const Kept& kept : kept_) now_.push_back(kept.open);
  users_.assign(kept_.size(), {});
  changed_ = false;
}

void Descriptors::restore() {
  if (!changed_) return;
  changed_ = false;
  for (std::size_t i = 0; i < now_.size(); ++i) {
    bool known = i < kept_.size() && kept_[i].backup >= 0;
    if (now_[i].here && now_[i].kind != Kind::closed && !known) raw_syscall(SYS_close, static_cast<long>(i));
  }
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    Kept& kept = kept_[i];
    auto number = static_cast<long>(i);
    if (kept.backup >= 0) {
      raw_syscall(SYS_dup3, kept.backup, number, kept.descriptor_flags == FD_CLOEXEC ? O_CLOEXEC : 0);
      raw_syscall(SYS_close, kept.backup);
      kept.backup = -1;
    }
    if (kept.enlarged) raw_syscall(SYS_ftruncate, number, kept.size);
    if (kept.touched) raw_syscall(SYS_lseek, number, kept.offset, SEEK_SET);
    if (kept.flags_changed) {
      raw_syscall(SYS_fcntl, number, F_SETFL, kept.status_flags);
      raw_syscall(SYS_fcntl, number, F_SETFD, kept.descriptor_flags);
    }
    kept.touched = kept.enlarged = kept.flags_changed = false;
  }
  now_.clear();
  for (const Kept& kept : kept_) now_.push_back(kept.open);
  users_.assign(kept_.size(), {});
}

bool Descriptors::reopen_files(bool only_try) const {
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    const Kept& kept = kept_[i];
    if (kept.open.kind != Kind::file) continue;
    const auto number = static_cast<long>(i);
    const std::string link = "/proc/self/fd/" + std::to_string(i);
    const long file = raw_syscall(SYS_openat, AT_FDCWD, reinterpret_cast<long>(link.c_str()),
                                  (kept.status_flags & ~(O_CREAT | O_EXCL | O_TRUNC)) | O_CLOEXEC);
    if (file < 0) return false;
    if (!only_try) {
      raw_syscall(SYS_dup3, file, number, kept.descriptor_flags == FD_CLOEXEC ? O_CLOEXEC : 0);
      if (kept.offset > 0) raw_syscall(SYS_lseek, number, kept.offset, SEEK_SET);
    }
    raw_syscall(SYS_close, file);
  }
  return true;
}

Descriptors::Open Descriptors::look(long descriptor) const {
  if (descriptor < 0 || static_cast<std::size_t>(descriptor) >= now_.size()) return {};
  return now_[static_cast<std::size_t>(descriptor)];
}

void Descriptors::opened(long descriptor, Kind kind, long identity) {
  changed_ = true;
  auto index = static_cast<std::size_t>(descriptor);
  if (now_.size() <= index) now_.resize(index + 1);
  if (identity < 0) {
    identity = static_cast<long>(users_.size());
    users_.emplace_back();
  }
  now_[index] = {kind, true, false, -1, identity};
}

// The number is about to be closed, or used for another file.
void Descriptors::keep_backup(long descriptor) {
  changed_ = true;
  auto index = static_cast<std::size_t>(descriptor);
  if (index >= kept_.size() || now_[index].here || now_[index].kind == Kind::closed) return;
  Kept& kept = kept_[index];
  kept.backup = raw_syscall(SYS_fcntl, descriptor, F_DUPFD_CLOEXEC, first_own_descriptor());
  if (kept.backup < 0) lose_control_by_call("close, with too many descriptors open");
}

void Descriptors::touch(const Open& open) {
  if (open.kind != Kind::file) return;
  changed_ = true;
  if (open.origin >= 0) kept_[static_cast<std::size_t>(open.origin)].touched = true;
}

// Bytes that one thread writes and another reads would need scheduling like memory.
void Descriptors::note_user(const Open& open, bool reads) {
  bool file = open.kind == Kind::file;
  if (!open.here && !file)
    notes().uncontrolled_call("read or write of a pipe, socket or device from before the execution");
  if (open.identity < 0) return;
  changed_ = true;
  Users& users = users_[static_cast<std::size_t>(open.identity)];
  ThreadId me = running_thread().id;
  if (users.first == kNoThread) users.first = me;
  users.several = users.several || users.first != me;
  users.read = users.read || reads;
  if (!users.several || (file && !users.read)) return;
  notes().uncontrolled(
      "uncontrolled-call",
      "threads exchange data through a file, pipe or socket, in an order that is not under control");
}

}  // namespace thrum
