// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program asks of the system: its environment, the machine that it runs on, files that are not there.
#include <climits>
#include <cstring>

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "vm/library.hpp"

namespace thrum::vm {

namespace {

constexpr int kProcessors = 2;
constexpr std::uint64_t kPageBytes = 4096;

// The environment is empty at first. Its array lies at kEnvironment; strings that setenv makes lie behind
// that.
constexpr std::uint64_t kEntriesMax = 1 << 12;
std::uint64_t entry_place(std::uint64_t index) { return kEnvironment + index * sizeof(std::uint64_t); }
std::uint64_t& next_string() { return at<std::uint64_t>(state_place(LibraryState::environment)); }

// Of the entry with that name; nothing: there is none. Then `count` entries were looked at.
std::optional<std::uint64_t> find_entry(std::string_view name, std::uint64_t& count) {
  for (count = 0; at<std::uint64_t>(entry_place(count)) != 0; ++count) {
    const std::string_view text = &at<char>(at<std::uint64_t>(entry_place(count)));
    if (text.size() > name.size() && text.starts_with(name) && text[name.size()] == '=') return count;
  }
  return std::nullopt;
}

bool is_name(std::string_view name) { return !name.empty() && name.find('=') == name.npos; }

// The string becomes an entry, in place of the one with its name.
Next put_entry(Call& call, std::string_view name, std::uint64_t string) {
  std::uint64_t count = 0;
  const auto found = find_entry(name, count);
  if (!found && count + 2 > kEntriesMax) return fail_with(call, ENOMEM);
  Memory& memory = call.machine.memory;
  if (!found) memory.set_shadow(entry_place(count + 1), sizeof(std::uint64_t), kAddressable | kDefined);
  if (!call.machine.write_for_program(kEnvironment, sizeof(std::uint64_t))) return Next::over;
  if (!found) memory.put(at<std::uint64_t>(entry_place(count + 1)), std::uint64_t{0});
  memory.put(at<std::uint64_t>(entry_place(count)), string);
  return call.result_int(0);
}

std::uint64_t make_string(Call& call, std::string_view text) {
  std::uint64_t& next = next_string();
  Memory& memory = call.machine.memory;
  const std::uint64_t place = next == 0 ? entry_place(kEntriesMax) : next;
  memory.set_shadow(place, text.size() + 1, kAddressable | kDefined);
  memory.copy(place, text.data(), text.size());
  memory.put(at<char>(place + text.size()), char{0});
  memory.put(next, place + text.size() + 1);
  return place;
}

}  // namespace

std::uint64_t Machine::environment_address() const { return kEnvironment; }

Next do_getenv(Call& call) {
  const auto name = read_text<char>(call, call.argument(0));
  if (!name || !reads<std::uint64_t>(call, kEnvironment)) return Next::over;
  std::uint64_t count = 0;
  const auto found = is_name(*name) ? find_entry(*name, count) : std::nullopt;
  if (!found) return call.result(0);
  return call.result(at<std::uint64_t>(entry_place(*found)) + name->size() + 1);
}

Next do_setenv(Call& call) {
  const auto name = read_text<char>(call, call.argument(0));
  if (!name) return Next::over;
  if (!is_name(*name)) return fail_with(call, EINVAL);
  const auto value = read_text<char>(call, call.argument(1));
  if (!value) return Next::over;
  std::uint64_t count = 0;
  if (call.int_argument(2) == 0 && find_entry(*name, count)) return call.result_int(0);
  const std::string own(*name);
  return put_entry(call, own, make_string(call, own + "=" + std::string(*value)));
}

// The program's string itself becomes the entry.
Next do_putenv(Call& call) {
  const auto text = read_text<char>(call, call.argument(0));
  if (!text) return Next::over;
  const std::size_t equals = text->find('=');
  if (equals == text->npos) return refuse(call, "putenv of a name without a value");
  return put_entry(call, text->substr(0, equals), call.argument(0));
}

Next do_unsetenv(Call& call) {
  const auto name = read_text<char>(call, call.argument(0));
  if (!name) return Next::over;
  if (!is_name(*name)) return fail_with(call, EINVAL);
  if (!call.machine.write_for_program(kEnvironment, sizeof(std::uint64_t))) return Next::over;
  std::uint64_t count = 0;
  while (const auto found = find_entry(*name, count)) {
    for (std::uint64_t i = *found; at<std::uint64_t>(entry_place(i)) != 0; ++i)
      call.machine.memory.put(at<std::uint64_t>(entry_place(i)), at<std::uint64_t>(entry_place(i + 1)));
  }
  return call.result_int(0);
}
Next do_clearenv(Call& call) {
  if (!call.machine.write_for_program(kEnvironment, sizeof(std::uint64_t))) return Next::over;
  call.machine.memory.put(at<std::uint64_t>(kEnvironment), std::uint64_t{0});
  return call.result_int(0);
}

// ---- The machine and the process ----------------------------------------------------------------

Next do_getpid(Call& call) { return call.result_int(1); }
// The first thread has the number of the process.
Next do_gettid(Call& call) { return call.result_int(1 + call.thread.slot); }
Next do_get_nprocs(Call& call) { return call.result_int(kProcessors); }
Next do_getpagesize(Call& call) { return call.result_int(static_cast<int>(kPageBytes)); }
Next do_sched_getcpu(Call& call) { return call.result_int(0); }

Next do_sysconf(Call& call) {
  switch (call.int_argument(0)) {
    case _SC_PAGESIZE: return call.result(kPageBytes);
    case _SC_NPROCESSORS_CONF:
    case _SC_NPROCESSORS_ONLN: return call.result(kProcessors);
    case _SC_CLK_TCK: return call.result(100);
    case _SC_OPEN_MAX: return call.result(1024);
    case _SC_ARG_MAX: return call.result(2'097'152);
    case _SC_LEVEL1_DCACHE_LINESIZE: return call.result(64);
    // Constants of the C library, the same on every system.
    case _SC_VERSION:
    case _SC_THREADS:
    case _SC_THREAD_SAFE_FUNCTIONS:
    case _SC_MONOTONIC_CLOCK:
    case _SC_TIMERS:
    case _SC_TIMEOUTS:
    case _SC_BARRIERS:
    case _SC_SPIN_LOCKS:
    case _SC_READER_WRITER_LOCKS:
    case _SC_SEMAPHORES:
    case _SC_THREAD_KEYS_MAX:
    case _SC_THREAD_DESTRUCTOR_ITERATIONS:
    case _SC_THREAD_STACK_MIN:
    case _SC_SEM_VALUE_MAX:
    case _SC_RTSIG_MAX:
    case _SC_HOST_NAME_MAX:
    case _SC_IOV_MAX:
    case _SC_GETPW_R_SIZE_MAX:
    case _SC_GETGR_R_SIZE_MAX:
    case _SC_LINE_MAX:
    // Of the processor's registers.
    case _SC_MINSIGSTKSZ:
    case _SC_SIGSTKSZ: return call.result(static_cast<std::uint64_t>(::sysconf(call.int_argument(0))));
    default: return refuse(call, "sysconf of item " + std::to_string(call.int_argument(0)));
  }
}

// The processors that a thread may run on: all, or what it was told, which has no effect.
Next do_getaffinity(Call& call) {
  const bool of_thread = call.argument(0) >= kPageBytes;  // a pthread_t, and no number of a process
  const std::uint64_t size = call.argument(1);
  constexpr std::uint64_t kSet = 8;
  if (of_thread && call.machine.find_thread(call.argument(0)) == nullptr) return call.result_int(ESRCH);
  if (size < kSet) return of_thread ? call.result_int(EINVAL) : fail_with(call, EINVAL);
  const Thread& asked = of_thread ? *call.machine.find_thread(call.argument(0)) : call.thread;
  std::string set(size, '\0');
  const std::uint64_t own = asked.affinity != 0 ? asked.affinity : (1U << kProcessors) - 1;
  std::memcpy(set.data(), &own, sizeof own);
  return put(call, call.argument(2), set.data(), size) ? call.result_int(0) : Next::over;
}
Next do_setaffinity(Call& call) {
  const bool of_thread = call.argument(0) >= kPageBytes;
  const std::uint64_t size = call.argument(1);
  if (of_thread && call.machine.find_thread(call.argument(0)) == nullptr) return call.result_int(ESRCH);
  if (!reads<char>(call, call.argument(2), size)) return Next::over;
  std::uint64_t set = 0;
  std::memcpy(&set, &at<char>(call.argument(2)), std::min<std::uint64_t>(size, sizeof set));
  if (set == 0) return of_thread ? call.result_int(EINVAL) : fail_with(call, EINVAL);
  Thread& told = of_thread ? *call.machine.find_thread(call.argument(0)) : call.thread;
  call.machine.change(told).affinity = set;
  return call.result_int(0);
}
// CPU_COUNT.
Next do_sched_cpucount(Call& call) {
  const std::uint64_t size = call.argument(0);
  if (!reads<char>(call, call.argument(1), size)) return Next::over;
  int count = 0;
  for (std::uint64_t i = 0; i < size; ++i)
    count += __builtin_popcount(at<std::uint8_t>(call.argument(1) + i));
  return call.result_int(count);
}

Next do_uname(Call& call) {
  utsname name = {};
  ::uname(&name);
  return put_value(call, call.argument(0), name) ? call.result_int(0) : Next::over;
}
Next do_gethostname(Call& call) {
  utsname own = {};
  ::uname(&own);
  const std::string_view name = own.nodename;
  if (call.argument(1) <= name.size()) return fail_with(call, ENAMETOOLONG);
  return put_text<char>(call, call.argument(0), name) ? call.result_int(0) : Next::over;
}

Next do_getcwd(Call& call) {
  char folder[PATH_MAX];
  if (::getcwd(folder, sizeof folder) == nullptr) return refuse(call, "getcwd: the folder is gone");
  const std::string_view path = folder;
  std::uint64_t to = call.argument(0);
  const std::uint64_t size = call.argument(1);
  if (to == 0) to = allocate_for(call, size == 0 ? path.size() + 1 : size);
  if (call.argument(0) != 0 && size == 0) {
    set_errno(call, EINVAL);
    return call.result(0);
  }
  if (size != 0 && size <= path.size()) {
    set_errno(call, ERANGE);
    return call.result(0);
  }
  return put_text<char>(call, to, path) ? call.result(to) : Next::over;
}

// Addresses of the internet as text.
Next do_inet_pton(Call& call) {
  const auto text = read_text<char>(call, call.argument(1));
  if (!text) return Next::over;
  unsigned char address[sizeof(in6_addr)];
  const int family = call.int_argument(0);
  const int result = ::inet_pton(family, std::string(*text).c_str(), address);
  if (result < 0) return fail_with(call, EAFNOSUPPORT);
  const std::uint64_t size = family == AF_INET ? sizeof(in_addr) : sizeof(in6_addr);
  if (result == 1 && !put(call, call.argument(2), address, size)) return Next::over;
  return call.result_int(result);
}
Next do_inet_ntop(Call& call) {
  const int family = call.int_argument(0);
  if (family != AF_INET && family != AF_INET6) {
    set_errno(call, EAFNOSUPPORT);
    return call.result(0);
  }
  const std::uint64_t size = family == AF_INET ? sizeof(in_addr) : sizeof(in6_addr);
  if (!reads<char>(call, call.argument(1), size)) return Next::over;
  char text[INET6_ADDRSTRLEN];
  ::inet_ntop(family, &at<char>(call.argument(1)), text, sizeof text);
  if (std::strlen(text) >= (call.argument(3) & 0xffff'ffff)) {
    set_errno(call, ENOSPC);
    return call.result(0);
  }
  return put_text<char>(call, call.argument(2), text) ? call.result(call.argument(2)) : Next::over;
}

Next do_dl_iterate_phdr(Call& call) { return call.result_int(0); }  // there are no modules
Next do_backtrace(Call& call) { return call.result_int(0); }

// ---- Files that are not there -------------------------------------------------------------------

namespace {

// Fails as libc does where there is no such file; others are refused by their names. path: the argument.
Next of_file(Call& call, std::size_t path, bool makes, std::uint64_t failure) {
  const auto name = read_text<char>(call, call.argument(path));
  if (!name) return Next::over;
  const std::string own(*name);
  if (makes || (::access(own.c_str(), F_OK) == 0 || errno != ENOENT)) return refuse(call, "the file " + own);
  set_errno(call, ENOENT);
  return call.result(failure);
}
constexpr std::uint64_t kMinusOne = 0xffff'ffff;

}  // namespace

Next do_fopen(Call& call) {
  const auto mode = read_text<char>(call, call.argument(1));
  if (!mode) return Next::over;
  return of_file(call, 0, !mode->starts_with('r'), 0);
}
Next do_open(Call& call) { return of_file(call, 0, (call.int_argument(1) & O_CREAT) != 0, kMinusOne); }
Next do_openat(Call& call) { return of_file(call, 1, (call.int_argument(2) & O_CREAT) != 0, kMinusOne); }
Next do_opendir(Call& call) { return of_file(call, 0, false, 0); }
Next do_access(Call& call) { return of_file(call, 0, false, kMinusOne); }

}  // namespace thrum::vm
