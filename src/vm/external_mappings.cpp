// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that the program maps itself: mmap and its family, of anonymous memory. A mapping's address depends
// on the mapping thread's own history only, and an execution uses no address twice, so that accesses to
// memory that was unmapped fail. The shadow says of each byte whether it is mapped, and what the program may
// do there (kProtected). Also limits of resources, which have no effect.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cstring>

#include "vm/library.hpp"
#include "vm/mappings.hpp"

namespace thrum::vm {

namespace {

constexpr std::uint64_t kMapped = 4096;  // bytes of a page

std::uint64_t pages_end(std::uint64_t begin, std::uint64_t size) {
  return (begin + size + kMapped - 1) & ~(kMapped - 1);
}

std::uint64_t& next_mapping(const Thread& thread) {
  return at<std::uint64_t>(state_place(LibraryState::mappings) + thread.slot * sizeof(std::uint64_t));
}

// A mapping; as the native engine counts, one that can be written and has memory reserved counts for the
// limit.
struct Mapping {
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t counts;
};
constexpr std::uint64_t kList = std::uint64_t{1} << 20;  // behind the rows of threads
std::uint64_t& mapping_count() { return at<std::uint64_t>(state_place(LibraryState::mappings) + kList); }
Mapping& mapping_row(std::uint64_t number) {
  return at<Mapping>(state_place(LibraryState::mappings) + kList + sizeof(Mapping) * (number + 1));
}

// Whether the program may have that much.
bool note_mapping(Call& call, std::uint64_t begin, std::uint64_t end, bool counts) {
  Memory& memory = call.machine.memory;
  Mapping& row = mapping_row(mapping_count());
  memory.note(reinterpret_cast<std::uint64_t>(&row), sizeof row);
  row = {begin, end, counts ? std::uint64_t{1} : 0};
  memory.put(mapping_count(), mapping_count() + 1);
  return !counts || call.machine.heap.take_memory(end - begin);
}

void note_unmapping(Call& call, std::uint64_t begin, std::uint64_t end) {
  for (std::uint64_t number = 0; number < mapping_count(); ++number) {
    const Mapping& row = mapping_row(number);
    if (row.counts != 0 && row.begin <= begin && end <= row.end)
      call.machine.heap.give_back_memory(end - begin);
  }
}

std::uint8_t shadow_of(std::uint64_t protection) {
  if (protection == PROT_NONE) return kProtected;
  return (protection & PROT_WRITE) != 0 ? kAddressable | kDefined : kAddressable | kDefined | kReadOnly;
}

// Whether the byte is memory that the program may use, or protects.
bool is_there(std::uint8_t shadow) { return (shadow & kAddressable) != 0 || shadow == kProtected; }
// Whether all bytes of the pages are mapped.
bool is_mapped(std::uint64_t begin, std::uint64_t end) {
  if (!is_mapping(begin) || !is_mapping(end - 1)) return false;
  for (std::uint64_t page = begin; page < end; page += kMapped) {
    if (!is_there(shadow_at<std::uint8_t>(page))) return false;
  }
  return true;
}

// A system call's result: a number, an error as a negative number; nothing: the execution is over.
using Answer = std::optional<std::int64_t>;

Answer refuse_mapping(Call& call, const char* what) {
  refuse(call, what);
  return std::nullopt;
}

// New pages for the running thread; nothing: the execution is over.
std::optional<std::uint64_t> new_pages(Call& call, std::uint64_t size) {
  std::uint64_t& next = next_mapping(call.thread);
  const std::uint64_t window = kMappings + call.thread.slot * kMappingWindow;
  const std::uint64_t begin = next == 0 ? window : next;
  constexpr std::uint64_t kGap = kMapped;  // between two mappings
  if (size > kMappingWindow || pages_end(begin, size) + kGap > window + kMappingWindow) {
    refuse(call, "a thread that maps more than 1 GB");
    return std::nullopt;
  }
  call.machine.memory.put(next, pages_end(begin, size) + kGap);
  return begin;
}

Answer map(Call& call, const std::uint64_t* arguments) {
  const std::uint64_t size = arguments[1];
  const std::uint64_t flags = arguments[3];
  Memory& memory = call.machine.memory;
  if ((flags & MAP_ANONYMOUS) == 0) return refuse_mapping(call, "a mapping of a file");
  if (size == 0) return -EINVAL;
  if ((flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) == 0) {
    const auto begin = new_pages(call, size);
    if (!begin) return std::nullopt;
    const bool counts =
        (arguments[2] & PROT_WRITE) != 0 && (flags & MAP_TYPE) == MAP_PRIVATE && (flags & MAP_NORESERVE) == 0;
    if (!note_mapping(call, *begin, pages_end(*begin, size), counts)) return std::nullopt;
    memory.set_shadow(*begin, pages_end(*begin, size) - *begin, shadow_of(arguments[2]));
    return static_cast<std::int64_t>(*begin);
  }
  const std::uint64_t begin = arguments[0];
  if (begin % kMapped != 0) return -EINVAL;
  const std::uint64_t end = pages_end(begin, size);
  if (!is_mapped(begin, end)) return refuse_mapping(call, "a mapping at an address of the program's");
  if ((flags & MAP_FIXED_NOREPLACE) == MAP_FIXED_NOREPLACE) return -EEXIST;
  memory.fill(begin, 0, end - begin);
  memory.set_shadow(begin, end - begin, shadow_of(arguments[2]));
  return static_cast<std::int64_t>(begin);
}

// For others it is a write to all of it.
Answer unmap(Call& call, const std::uint64_t* arguments) {
  Machine& machine = call.machine;
  const std::uint64_t begin = arguments[0];
  const std::uint64_t end = pages_end(begin, arguments[1]);
  if (begin % kMapped != 0 || begin >= end) return -EINVAL;
  if (!is_mapped(begin, end)) return refuse_mapping(call, "unmapping memory that was not mapped");
  if (machine.in_execution &&
      !machine.access(AccessKind::plain_write, begin, arguments[1], call.thread.where()))
    return std::nullopt;
  machine.memory.set_shadow(begin, end - begin, 0);
  note_unmapping(call, begin, end);
  machine.note_change(call.thread);
  return 0;
}

Answer protect(Call& call, const std::uint64_t* arguments) {
  const std::uint64_t begin = arguments[0];
  const std::uint64_t end = pages_end(begin, arguments[1]);
  if (begin % kMapped != 0) return -EINVAL;
  if (begin >= end) return 0;
  if (!in_arena(begin, end - begin)) return -ENOMEM;
  const bool is_own = is_mapping(begin);
  if (is_own && !is_mapped(begin, end)) return -ENOMEM;
  Memory& memory = call.machine.memory;
  memory.note(begin + kShadowDistance, end - begin);
  const std::uint8_t shadow = shadow_of(arguments[2]);
  for (std::uint64_t byte = begin; byte < end; ++byte) {
    std::uint8_t& own = shadow_at<std::uint8_t>(byte);
    if (is_there(own)) own = shadow;
  }
  return 0;
}

Answer remap(Call& call, const std::uint64_t* arguments) {
  const std::uint64_t begin = arguments[0];
  const std::uint64_t size = arguments[2];
  const std::uint64_t flags = arguments[3];
  const std::uint64_t end = pages_end(begin, arguments[1]);
  Memory& memory = call.machine.memory;
  if (begin % kMapped != 0 || size == 0) return -EINVAL;
  if (!is_mapped(begin, end)) return refuse_mapping(call, "mremap of memory that was not mapped");
  if ((flags & ~std::uint64_t{MREMAP_MAYMOVE}) != 0)
    return refuse_mapping(call, "mremap to an address of the program's");
  const std::uint64_t new_end = pages_end(begin, size);
  if (new_end <= end) {
    if (new_end != end) memory.set_shadow(new_end, end - new_end, 0);
    return static_cast<std::int64_t>(begin);
  }
  if ((flags & MREMAP_MAYMOVE) == 0) return -ENOMEM;
  const auto moved = new_pages(call, size);
  if (!moved) return std::nullopt;
  call.machine.heap.give_back_memory(end - begin);
  if (!note_mapping(call, *moved, pages_end(*moved, size), true)) return std::nullopt;
  const std::uint8_t shadow = shadow_at<std::uint8_t>(begin);
  memory.copy(*moved, &at<char>(begin), end - begin);
  memory.set_shadow(*moved, pages_end(*moved, size) - *moved, shadow);
  memory.set_shadow(begin, end - begin, 0);
  return static_cast<std::int64_t>(*moved);
}

Answer advise(Call& call, const std::uint64_t* arguments) {
  const std::uint64_t begin = arguments[0];
  const std::uint64_t end = pages_end(begin, arguments[1]);
  if (begin % kMapped != 0) return -EINVAL;
  if (begin >= end) return 0;
  const bool discards = arguments[2] == MADV_DONTNEED || arguments[2] == MADV_REMOVE;
  if (!discards) return 0;
  if (!is_mapped(begin, end)) return refuse_mapping(call, "madvise of memory that was not mapped");
  call.machine.memory.fill(begin, 0, end - begin);
  return 0;
}

// The arguments of the call, from the first of the function on.
struct Arguments {
  std::uint64_t values[6] = {};
  Arguments(const Call& call, std::size_t first) {
    for (std::size_t i = 0; i < 6 && first + i < call.site.arguments.size(); ++i)
      values[i] = call.argument(first + i);
  }
};

template <typename Operate>
Next answer_call(Call& call, std::size_t first, bool is_int, Operate operate) {
  const Arguments arguments(call, first);
  const Answer answer = operate(call, arguments.values);
  if (!answer) return Next::over;
  constexpr std::int64_t kErrorMin = -4096;
  std::int64_t result = *answer;
  if (result < 0 && result > kErrorMin) {
    set_errno(call, static_cast<int>(-result));
    result = -1;
  }
  return is_int ? call.result_int(static_cast<int>(result)) : call.result(static_cast<std::uint64_t>(result));
}

// ---- Limits -------------------------------------------------------------------------------------

struct Limits {
  bool is_set[RLIM_NLIMITS];
  rlimit values[RLIM_NLIMITS];
};
Limits& limits() { return at<Limits>(state_place(LibraryState::limits)); }

bool is_resource(std::uint64_t resource) { return (resource & 0xffff'ffff) < RLIM_NLIMITS; }

rlimit limit_of(std::uint64_t resource) {
  const std::size_t index = resource & 0xffff'ffff;
  if (limits().is_set[index]) return limits().values[index];
  rlimit real{};
  ::getrlimit(static_cast<__rlimit_resource>(index), &real);
  return real;
}

Answer get_limit(Call& call, const std::uint64_t* arguments) {
  if (!is_resource(arguments[0])) return -EINVAL;
  return put_value(call, arguments[1], limit_of(arguments[0])) ? Answer{0} : std::nullopt;
}

Answer set_limit(Call& call, const std::uint64_t* arguments) {
  if (!is_resource(arguments[0])) return -EINVAL;
  if (!reads<rlimit>(call, arguments[1])) return std::nullopt;
  const rlimit fresh = at<rlimit>(arguments[1]);
  if (fresh.rlim_cur > fresh.rlim_max) return -EINVAL;
  if (fresh.rlim_max > limit_of(arguments[0]).rlim_max) return -EPERM;
  const std::size_t index = arguments[0] & 0xffff'ffff;
  call.machine.memory.note(reinterpret_cast<std::uint64_t>(&limits()), sizeof(Limits));
  limits().is_set[index] = true;
  limits().values[index] = fresh;
  return 0;
}

}  // namespace

std::optional<Next> answer_mapping_call(Call& call, long number) {
  switch (number) {
    case SYS_mmap: return answer_call(call, 1, false, map);
    case SYS_munmap: return answer_call(call, 1, false, unmap);
    case SYS_mprotect: return answer_call(call, 1, false, protect);
    case SYS_mremap: return answer_call(call, 1, false, remap);
    case SYS_madvise: return answer_call(call, 1, false, advise);
    case SYS_getrlimit: return answer_call(call, 1, false, get_limit);
    case SYS_setrlimit: return answer_call(call, 1, false, set_limit);
    default: return std::nullopt;
  }
}

Next do_mmap(Call& call) { return answer_call(call, 0, false, map); }
Next do_munmap(Call& call) { return answer_call(call, 0, true, unmap); }
Next do_mprotect(Call& call) { return answer_call(call, 0, true, protect); }
Next do_mremap(Call& call) { return answer_call(call, 0, false, remap); }
Next do_madvise(Call& call) { return answer_call(call, 0, true, advise); }
Next do_getrlimit(Call& call) { return answer_call(call, 0, true, get_limit); }
Next do_setrlimit(Call& call) { return answer_call(call, 0, true, set_limit); }

}  // namespace thrum::vm
