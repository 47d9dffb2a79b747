// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/mappings.hpp"

#include <sys/mman.h>
#include <algorithm>
#include <cerrno>
#include <cstring>

#include "runtime/base/engine.hpp"
#include "runtime/base/notes.hpp"
#include "runtime/base/page.hpp"
#include "runtime/memory/heap.hpp"
#include "runtime/memory/memory_limit.hpp"
#include "support/raw_syscall.hpp"

namespace thrum {

constinit Forever<Mappings> the_mappings;

namespace {

// The address range for mappings of executions: a window for each thread.
constexpr std::uint64_t kWindows = 0x3000'0000'0000;
constexpr std::uint64_t kWindowSize = std::uint64_t{1} << 35;

std::uint64_t pages_end(std::uint64_t begin, std::uint64_t size) {
  return (begin + size + kPage - 1) & ~(kPage - 1);
}

std::uint64_t argument(const SystemCall& call, int i) {
  return static_cast<std::uint64_t>(call.arguments[i]);
}

long raw(const SystemCall& call) {
  const long* a = call.arguments;
  return raw_syscall(call.number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

bool maps_file_shared(const SystemCall& call) {
  return (call.arguments[3] & MAP_TYPE) != MAP_PRIVATE && (call.arguments[3] & MAP_ANONYMOUS) == 0;
}

// Whether the mapping may become private memory of the program.
bool takes_memory(const SystemCall& call) {
  return (call.arguments[2] & PROT_WRITE) != 0 && (call.arguments[3] & MAP_TYPE) == MAP_PRIVATE &&
         (call.arguments[3] & MAP_NORESERVE) == 0;
}

// Removes a range from a list of mappings.
void cut(std::vector<Snapshot::Mapping>& list, std::uint64_t begin, std::uint64_t end) {
  std::vector<Snapshot::Mapping> rest;
  for (const Snapshot::Mapping& mapping : list) {
    if (mapping.end <= begin || end <= mapping.begin) {
      rest.push_back(mapping);
      continue;
    }
    if (mapping.begin < begin)
      rest.push_back({mapping.begin, begin, mapping.protection, mapping.shared_file});
    if (end < mapping.end) rest.push_back({end, mapping.end, mapping.protection, mapping.shared_file});
  }
  list = std::move(rest);
}

[[noreturn]] void refuse(const char* what) { lose_control("uncontrolled-memory", what); }

}  // namespace

void Mappings::initialize() {
  break_at_start_ = break_ = static_cast<std::uint64_t>(raw_syscall(SYS_brk, 0));
}

// ---- Before the first choice ---------------------------------------------------------------------

bool Mappings::answer_before(const SystemCall& call, long& result) {
  std::uint64_t begin = argument(call, 0);
  std::uint64_t end = pages_end(begin, argument(call, 1));
  switch (call.number) {
    case SYS_mmap: {
      result = raw(call);
      if (is_error(result)) return true;
      begin = static_cast<std::uint64_t>(result);
      end = pages_end(begin, argument(call, 1));
      cut(kept_, begin, end);
      if ((call.arguments[3] & MAP_TYPE) != MAP_PRIVATE) stay_alone("it has mapped memory that is shared");
      kept_.push_back({begin, end, static_cast<int>(call.arguments[2]), maps_file_shared(call)});
      return true;
    }
    case SYS_munmap:
      result = raw(call);
      if (!is_error(result)) cut(kept_, begin, end);
      return true;
    case SYS_mprotect: {
      result = raw(call);
      if (is_error(result)) return true;
      std::vector<Mapping> before = kept_;
      cut(kept_, begin, end);
      for (const Mapping& mapping : before) {
        Mapping part{std::max(begin, mapping.begin), std::min(end, mapping.end),
                     static_cast<int>(call.arguments[2]), mapping.shared_file};
        if (part.begin < part.end) kept_.push_back(part);
      }
      return true;
    }
    case SYS_mremap: {
      auto old = std::find_if(kept_.begin(), kept_.end(), [&](const Mapping& mapping) {
        return mapping.begin <= begin && begin < mapping.end;
      });
      Mapping moved = old == kept_.end() ? Mapping{0, 0, PROT_READ | PROT_WRITE, false} : *old;
      result = raw(call);
      if (is_error(result)) return true;
      cut(kept_, begin, end);
      moved.begin = static_cast<std::uint64_t>(result);
      moved.end = pages_end(moved.begin, argument(call, 2));
      cut(kept_, moved.begin, moved.end);
      kept_.push_back(moved);
      return true;
    }
    default: return false;
  }
}

std::vector<Snapshot::Mapping> Mappings::kept() const {
  std::vector<Mapping> all = kept_;
  auto now = static_cast<std::uint64_t>(raw_syscall(SYS_brk, 0));
  std::uint64_t begin = pages_end(break_at_start_, 0);
  std::uint64_t end = pages_end(now, 0);
  if (begin < end) all.push_back({begin, end, PROT_READ | PROT_WRITE, false});
  return all;
}

// ---- In an execution -----------------------------------------------------------------------------

bool Mappings::answer(const SystemCall& call, long& result) {
  switch (call.number) {
    case SYS_mmap: result = map(call); break;
    case SYS_munmap: result = unmap(call); break;
    case SYS_mprotect: result = protect(call); break;
    case SYS_mremap: result = remap(call); break;
    case SYS_madvise: result = advise(call); break;
    case SYS_brk: result = move_break(call); break;
    default: return false;
  }
  return true;
}

void Mappings::restore() {
  if (!changed_) return;
  changed_ = false;
  for (const Range& range : made_)
    raw_syscall(SYS_munmap, static_cast<long>(range.begin), static_cast<long>(range.end - range.begin));
  made_.clear();
  for (const Range& range : heap_protected_) {
    raw_syscall(SYS_mprotect, static_cast<long>(range.begin), static_cast<long>(range.end - range.begin),
                PROT_READ | PROT_WRITE);
  }
  heap_protected_.clear();
  next_.clear();
  if (break_ != 0) raw_syscall(SYS_brk, static_cast<long>(break_));
  break_ = 0;
}

// 0 if the thread's window is full.
std::uint64_t Mappings::new_address(std::uint64_t size) {
  std::size_t slot = running_thread().slot;
  if (next_.size() <= slot) next_.resize(slot + 1);
  std::uint64_t window = kWindows + slot * kWindowSize;
  std::uint64_t& next = next_[slot];
  if (next == 0) next = window;
  std::uint64_t begin = next;
  std::uint64_t end = pages_end(begin, size) + kPage;  // a free page between it and the next
  if (size >= kWindowSize || end > window + kWindowSize) return 0;
  next = end;
  return begin;
}

bool Mappings::made_here(std::uint64_t begin, std::uint64_t end) const {
  return std::any_of(made_.begin(), made_.end(),
                     [&](const Range& range) { return range.begin <= begin && end <= range.end; });
}

long Mappings::map(const SystemCall& call) {
  changed_ = true;
  std::uint64_t size = argument(call, 1);
  long flags = call.arguments[3];
  if (maps_file_shared(call) && (call.arguments[2] & PROT_WRITE) != 0)
    notes().uncontrolled_call("mmap of a file, shared and writable");
  if ((flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) != 0) {
    std::uint64_t begin = argument(call, 0);
    return map_at(call, begin, pages_end(begin, size));
  }
  if (size == 0) return -EINVAL;
  std::uint64_t begin = new_address(size);
  if (begin == 0) refuse("a thread maps more than 32 GB in an execution, which is not under control");
  SystemCall placed = with_arguments(call, begin, size, call.arguments[2], flags | MAP_FIXED_NOREPLACE);
  return note_made(begin, pages_end(begin, size), takes_memory(call), raw(placed));
}

// The result of the call that made the mapping.
long Mappings::note_made(std::uint64_t begin, std::uint64_t end, bool counts, long result) {
  if (is_error(result)) return result;
  made_.push_back({begin, end, counts});
  if (counts) the_memory_limit.take(end - begin);
  return result;
}

// Maps at an address that the program gives.
long Mappings::map_at(const SystemCall& call, std::uint64_t begin, std::uint64_t end) {
  if (made_here(begin, end)) return raw(call);
  SystemCall careful = call;
  careful.arguments[3] = (call.arguments[3] & ~long{MAP_FIXED}) | MAP_FIXED_NOREPLACE;
  const long result = note_made(begin, end, takes_memory(call), raw(careful));
  if (result != -EEXIST || (call.arguments[3] & MAP_FIXED) == 0) return result;
  bool anonymous = (call.arguments[3] & MAP_ANONYMOUS) != 0;
  if (!anonymous || !snapshot().covers(begin, end))
    refuse("the program maps memory over other memory from before the execution, which is not under control");
  // A part of an area that the program has reserved: the same pages, emptied.
  snapshot().change_protection(begin, end, PROT_READ | PROT_WRITE);
  snapshot().prepare_write(begin, end - begin);
  std::memset(reinterpret_cast<void*>(begin), 0, end - begin);
  snapshot().change_protection(begin, end, static_cast<int>(call.arguments[2]));
  return static_cast<long>(begin);
}

long Mappings::unmap(const SystemCall& call) {
  std::uint64_t begin = argument(call, 0);
  std::uint64_t end = pages_end(begin, argument(call, 1));
  if (begin % kPage != 0 || begin >= end) return -EINVAL;
  if (made_here(begin, end)) {
    for (const Range& range : made_) {
      if (range.counts && range.begin <= begin && end <= range.end) the_memory_limit.give_back(end - begin);
    }
    return raw(call);
  }
  if (!snapshot().covers(begin, end))
    refuse("the program unmaps memory that it did not map, which is not under control");
  snapshot().change_protection(begin, end, PROT_NONE);
  return 0;
}

long Mappings::protect(const SystemCall& call) {
  std::uint64_t begin = argument(call, 0);
  std::uint64_t end = pages_end(begin, argument(call, 1));
  auto protection = static_cast<int>(call.arguments[2]);
  if (begin % kPage != 0) return -EINVAL;
  if (begin >= end) return 0;
  if (made_here(begin, end)) return raw(call);
  if (snapshot().covers(begin, end)) {
    snapshot().change_protection(begin, end, protection);
    return 0;
  }
  // The heap's snapshot ends somewhere in its first region; memory beyond belongs to this execution.
  bool in_heap = the_heap.contains(begin) && the_heap.contains(end - 1);
  for (std::uint64_t at = begin; at < end; at += kPage) {
    if (snapshot().covers(at, at + kPage)) {
      snapshot().change_protection(at, at + kPage, protection);
    } else if (in_heap) {
      changed_ = true;
      heap_protected_.push_back({at, at + kPage});
      raw_syscall(SYS_mprotect, static_cast<long>(at), kPage, protection);
    } else {
      refuse("the program protects memory that it did not map, which is not under control");
    }
  }
  return 0;
}

long Mappings::remap(const SystemCall& call) {
  std::uint64_t begin = argument(call, 0);
  std::uint64_t old_size = argument(call, 1);
  std::uint64_t size = argument(call, 2);
  std::uint64_t end = pages_end(begin, old_size);
  long flags = call.arguments[3];
  if (begin % kPage != 0 || size == 0) return -EINVAL;
  bool here = made_here(begin, end);
  if (!here && !snapshot().covers(begin, end))
    refuse("the program remaps memory that it did not map, which is not under control");
  if ((flags & ~long{MREMAP_MAYMOVE}) != 0)
    refuse("mremap to an address of the program's is not under control");
  if (here && size <= old_size) return raw(call);
  if ((flags & MREMAP_MAYMOVE) == 0) return -ENOMEM;
  changed_ = true;
  std::uint64_t moved = new_address(size);
  if (moved == 0) refuse("a thread maps more than 32 GB in an execution, which is not under control");
  if (here) {
    SystemCall placed = with_arguments(call, begin, old_size, size, flags | MREMAP_FIXED, moved);
    the_memory_limit.give_back(old_size);
    return note_made(moved, pages_end(moved, size), true, raw(placed));
  }
  SystemCall fresh{SYS_mmap,
                   {static_cast<long>(moved), static_cast<long>(size), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0}};
  const long result = note_made(moved, pages_end(moved, size), true, raw(fresh));
  if (is_error(result)) return result;
  std::memcpy(reinterpret_cast<void*>(moved), reinterpret_cast<const void*>(begin), std::min(old_size, size));
  snapshot().change_protection(begin, end, PROT_NONE);
  return result;
}

long Mappings::advise(const SystemCall& call) {
  constexpr long kDiscards[] = {MADV_DONTNEED, MADV_FREE, MADV_REMOVE};
  bool discards =
      std::find(std::begin(kDiscards), std::end(kDiscards), call.arguments[2]) != std::end(kDiscards);
  if (discards) snapshot().prepare_write(argument(call, 0), argument(call, 1));
  return raw(call);
}

long Mappings::move_break(const SystemCall& call) {
  auto now = static_cast<std::uint64_t>(raw_syscall(SYS_brk, 0));
  if (argument(call, 0) == 0 || argument(call, 0) == now) return static_cast<long>(now);
  changed_ = true;
  if (break_ == 0) break_ = now;
  if (argument(call, 0) < break_)
    refuse("the program takes back its break to before the execution, which is not under control");
  return raw(call);
}

}  // namespace thrum
