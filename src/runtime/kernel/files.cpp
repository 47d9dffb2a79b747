// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/kernel/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <algorithm>
#include <cerrno>

#include "runtime/base/engine.hpp"
#include "runtime/base/notes.hpp"
#include "runtime/kernel/system_call_table.hpp"
#include "support/raw_syscall.hpp"

namespace thrum {

constinit Forever<Files> the_files;

long first_own_descriptor() {
  constexpr rlim_t kWanted = 4000;  // above the numbers that programs use; the limit may be lower
  constexpr rlim_t kOurs = 100;
  static long first = 0;  // computed once, since the limit may change
  if (first != 0) return first;
  rlimit limit{};
  raw_syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, reinterpret_cast<long>(&limit));
  first = static_cast<long>(std::min(kWanted, limit.rlim_cur > 2 * kOurs ? limit.rlim_cur - kOurs : kOurs));
  return first;
}

long move_to_own_descriptors(long inherited) {
  const long own = raw_syscall(SYS_fcntl, inherited, F_DUPFD_CLOEXEC, first_own_descriptor());
  if (own < 0) return inherited;
  raw_syscall(SYS_close, inherited);
  return own;
}

std::string Files::path_of(long descriptor) {
  std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  char path[4096];
  long length = raw_syscall(SYS_readlink, word(link), reinterpret_cast<long>(path), sizeof path);
  return length > 0 && path[0] == '/' ? std::string(path, static_cast<std::size_t>(length)) : std::string();
}

std::string Files::resolve(long folder, const char* path) {
  long file = raw_syscall(SYS_openat, folder, reinterpret_cast<long>(path), O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) return {};
  std::string result = path_of(file);
  raw_syscall(SYS_close, file);
  return result;
}

// Another worker's execution would find the file.
void Files::will_make() { stay_alone("its executions make files"); }

void Files::made(const std::string& path) { made_.push_back(path); }

bool Files::is_made(const std::string& path) const {
  return std::find(made_.begin(), made_.end(), path) != made_.end();
}

void Files::save() {
  if (directory_ >= 0) raw_syscall(SYS_close, directory_);
  long here =
      raw_syscall(SYS_openat, AT_FDCWD, reinterpret_cast<long>("."), O_PATH | O_DIRECTORY | O_CLOEXEC);
  directory_ = raw_syscall(SYS_fcntl, here, F_DUPFD_CLOEXEC, first_own_descriptor());
  raw_syscall(SYS_close, here);
}

void Files::restore() {
  for (; !made_.empty(); made_.pop_back()) {
    if (raw_syscall(SYS_unlink, word(made_.back())) == -EISDIR) raw_syscall(SYS_rmdir, word(made_.back()));
  }
  if (moved_) raw_syscall(SYS_fchdir, directory_);
  moved_ = false;
  if (mask_ >= 0) raw_syscall(SYS_umask, mask_);
  mask_ = -1;
  for (; !limits_.empty(); limits_.pop_back()) {
    raw_syscall(SYS_prlimit64, 0, limits_.back().resource, reinterpret_cast<long>(&limits_.back().value));
  }
}

bool Files::answer(const SystemCall& call, long& result) {
  const long* a = call.arguments;
  switch (call.number) {
    case SYS_mkdir:
    case SYS_mknod: result = make(call, AT_FDCWD, a[0]); break;
    case SYS_mkdirat:
    case SYS_mknodat: result = make(call, a[0], a[1]); break;
    case SYS_symlink:
    case SYS_link: result = make(call, AT_FDCWD, a[1]); break;
    case SYS_symlinkat: result = make(call, a[1], a[2]); break;
    case SYS_linkat: result = make(call, a[2], a[3]); break;
    case SYS_unlink:
    case SYS_rmdir: result = remove(call, AT_FDCWD, a[0]); break;
    case SYS_unlinkat: result = remove(call, a[0], a[1]); break;
    case SYS_rename: result = rename(call, AT_FDCWD, a[0], AT_FDCWD, a[1]); break;
    case SYS_renameat: result = rename(call, a[0], a[1], a[2], a[3]); break;
    case SYS_chdir:
    case SYS_fchdir:
      moved_ = true;
      result = perform(call);
      break;
    case SYS_umask:
      result = perform(call);
      if (mask_ < 0) mask_ = result;
      break;
    case SYS_setrlimit: result = limit(call, static_cast<unsigned>(a[0]), true); break;
    case SYS_prlimit64: result = limit(call, static_cast<unsigned>(a[1]), a[2] != 0); break;
    default: return false;
  }
  return true;
}

long Files::make(const SystemCall& call, long folder, long path) {
  will_make();
  long result = perform(call);
  if (result < 0) return result;
  std::string made_path = resolve(folder, reinterpret_cast<const char*>(path));
  if (made_path.empty()) lose_control_by_call(find_system_call(call.number)->name);
  made(made_path);
  return result;
}

long Files::remove(const SystemCall& call, long folder, long path) {
  std::string old = resolve(folder, reinterpret_cast<const char*>(path));
  if (old.empty()) return perform(call);  // fails
  auto known = std::find(made_.begin(), made_.end(), old);
  if (known == made_.end()) {
    lose_control_by_call(std::string(find_system_call(call.number)->name) +
                         " of a file from before the execution");
  }
  long result = perform(call);
  if (result == 0) made_.erase(known);
  return result;
}

// A file made in the execution may be renamed to a free name, or to the name of another such file.
long Files::rename(const SystemCall& call, long old_folder, long old_path, long folder, long path) {
  std::string old = resolve(old_folder, reinterpret_cast<const char*>(old_path));
  if (old.empty()) return perform(call);  // fails
  std::string target = resolve(folder, reinterpret_cast<const char*>(path));
  if (!is_made(old) || (!target.empty() && !is_made(target))) {
    lose_control_by_call(std::string(find_system_call(call.number)->name) +
                         " of or to a file from before the execution");
  }
  long result = perform(call);
  if (result != 0) return result;
  std::erase(made_, target);
  std::erase(made_, old);
  made_.push_back(resolve(folder, reinterpret_cast<const char*>(path)));
  return result;
}

long Files::limit(const SystemCall& call, unsigned resource, bool changes) {
  Limit before{resource, {}};
  raw_syscall(SYS_prlimit64, 0, resource, 0, reinterpret_cast<long>(&before.value));
  long result = perform(call);
  if (changes && result == 0) limits_.push_back(before);
  return result;
}

}  // namespace thrum
