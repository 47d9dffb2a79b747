// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/judge/leaks.hpp"

#include <link.h>
#include <sys/uio.h>
#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "runtime/base/engine.hpp"
#include "runtime/base/modules.hpp"
#include "runtime/base/notes.hpp"
#include "runtime/base/page.hpp"
#include "runtime/base/world.hpp"
#include "runtime/kernel/process_state.hpp"
#include "runtime/memory/mappings.hpp"
#include "runtime/memory/snapshot.hpp"
#include "runtime/threads/places.hpp"
#include "runtime/threads/scheduler.hpp"
#include "runtime/threads/test_framework.hpp"
#include "runtime/threads/thread_pool.hpp"
#include "runtime/threads/timers.hpp"
#include "support/digest.hpp"
#include "support/raw_syscall.hpp"

namespace thrum {

constinit Forever<LeakSearch> the_leak_search;

namespace {

constexpr std::uint64_t kLastNumber = ~std::uint64_t{0};

std::span<const char> bytes_between(std::uint64_t begin, std::uint64_t end) {
  return {reinterpret_cast<const char*>(begin), begin < end ? end - begin : 0};
}

}  // namespace

void LeakSearch::begin_program() {
  before_ = the_heap.allocated(0);
  asked_before_.live = the_heap.live_blocks(1);
}

std::optional<Plan> LeakSearch::take_suspect() {
  return clean_ ? std::exchange(suspect_, std::nullopt) : std::nullopt;
}

void LeakSearch::begin() {
  now_ = asked_before_;
  armed_ = asked_ = unreadable_ = false;
}

// ---- Requests of the program -----------------------------------------------------------------------

void LeakSearch::ignore_thread(bool begin) {
  Asked& asked = world.running ? now_ : asked_before_;
  asked_ = asked_ || world.running;
  const Thread& me = scheduler().current();
  auto mine = std::find_if(asked.depths.begin(), asked.depths.end(),
                           [&](const Depth& depth) { return depth.thread == me.id; });
  if (mine == asked.depths.end()) mine = asked.depths.insert(mine, {me.id, 0});
  std::uint32_t allocated = the_heap.allocated(me.slot);
  if (begin) {
    if (mine->depth++ == 0) asked.ignored.push_back({me.id, allocated + 1, kLastNumber});
  } else if (mine->depth != 0 && --mine->depth == 0) {
    auto open = std::find_if(asked.ignored.begin(), asked.ignored.end(), [&](const IgnoredBlocks& range) {
      return range.thread == me.id && range.last == kLastNumber;
    });
    if (open != asked.ignored.end()) open->last = allocated;
  }
}

void LeakSearch::ignore_block(const void* address) {
  LiveBlock block{};
  if (!the_heap.find_live(reinterpret_cast<std::uint64_t>(address), block)) return;
  asked_ = asked_ || world.running;
  (world.running ? now_ : asked_before_).ignored.push_back({block.thread, block.number, block.number});
}

void LeakSearch::add_root(const void* begin, std::size_t size) {
  asked_ = asked_ || world.running;
  (world.running ? now_ : asked_before_).roots.emplace_back(static_cast<const char*>(begin), size);
}

void LeakSearch::remove_root(const void* begin, std::size_t size) {
  asked_ = asked_ || world.running;
  std::vector<Bytes>& roots = (world.running ? now_ : asked_before_).roots;
  auto known = std::find_if(roots.begin(), roots.end(), [&](const Bytes& root) {
    return root.data() == static_cast<const char*>(begin) && root.size() == size;
  });
  if (known != roots.end()) roots.erase(known);
}

void LeakSearch::ignore_so_far() {
  now_.live = the_heap.live_blocks(scheduler().slots_used());
  for (std::uint16_t slot = 0; slot < scheduler().slots_used(); ++slot) {
    if (std::uint32_t allocated = the_heap.allocated(slot); allocated != 0)
      now_.ignored.push_back({scheduler().thread_in_slot(slot).id, 1, allocated});
  }
}

// ---- Marking -------------------------------------------------------------------------------------

// Collects the blocks that may be lost. False if there is none, or if they cannot be searched for.
bool LeakSearch::collect() {
  std::vector<Bytes> written;
  std::vector<Bytes> hidden;
  snapshot().add_written(written, hidden);
  if (!hidden.empty() || mappings().protects_heap()) {
    unreadable_ = true;
    return false;
  }
  std::vector<LiveBlock> blocks;
  the_heap.add_live(scheduler().slots_used(), before_, blocks);
  const bool has_blocks = !blocks.empty();
  marks_.begin(std::move(blocks));
  return has_blocks;
}

void LeakSearch::mark_roots() {
  marks_.mark(now_.ignored);
  mark_data();
  mark_threads();
  for (const Bytes& root : now_.roots) marks_.mark(root);
  std::vector<Bytes> made;
  mappings().add_made(made);
  for (const Bytes& range : made) mark_mapping(range);
  std::vector<std::uint64_t> held;
  process_state().add_held(held);
  timers().add_held(held);
  for (std::uint64_t value : held) marks_.mark_value(value);
}

// Marks the data of the program and its libraries, including blocks allocated before the program began, and
// the dynamic loader's own data, which is not part of the snapshot.
void LeakSearch::mark_data() {
  constexpr std::size_t kLarge = std::size_t{16} << 20;  // it may never have been touched
  std::vector<Bytes> data;
  snapshot().add_data(data);
  for (const Bytes& range : data) range.size() < kLarge ? marks_.mark(range) : mark_mapping(range);
  std::vector<Bytes> first;
  the_heap.add_first(before_, first);
  for (const Bytes& block : first) marks_.mark(block);
  auto mark_loader = [](dl_phdr_info* info, std::size_t, void* search) {
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const auto& segment = info->dlpi_phdr[i];
      std::uint64_t begin = info->dlpi_addr + segment.p_vaddr;
      if (segment.p_type == PT_LOAD && (segment.p_flags & PF_W) != 0 && loader_range().holds(begin))
        static_cast<LeakMarks*>(search)->mark(bytes_between(begin, begin + segment.p_memsz));
    }
    return 0;
  };
  dl_iterate_phdr(mark_loader, &marks_);
}

void LeakSearch::mark_threads() {
  constexpr std::uint64_t kControlBlock =
      0x900;  // the size of struct pthread, where libc keeps buffers of the thread
  for (std::uint16_t slot = 0; slot < scheduler().slots_used(); ++slot) {
    std::uint64_t control_block = thread_pool().fs_base(slot);
    marks_.mark(bytes_between(control_block, control_block + kControlBlock));
    const Thread& thread = scheduler().thread_in_slot(slot);
    if (!thread.released) marks_.mark_value(reinterpret_cast<std::uint64_t>(thread.result));
    // The C library frees its data for a thread when the thread ends, which the parked threads never do.
    if (thread.life == Life::ended) {
      mark_libraries_storage(slot);
      continue;
    }
    marks_.mark_value(reinterpret_cast<std::uint64_t>(thread.argument));
    marks_.mark_value(reinterpret_cast<std::uint64_t>(thread.stack_bottom));
    for (const Destructor& destructor : thread.destructors)
      marks_.mark_value(reinterpret_cast<std::uint64_t>(destructor.object));
    for (const SpecificValue& specific : thread.keys)
      marks_.mark_value(reinterpret_cast<std::uint64_t>(specific.value));
    marks_.mark(thread_pool().storage(slot));
    for (std::uint64_t word : thread_pool().vector_now(slot)) marks_.mark_value(word);
    mark_stack(slot);
  }
}

void LeakSearch::mark_stack(std::uint16_t slot) {
  const Thread& thread = scheduler().thread_in_slot(slot);
  bool running = &thread == &scheduler().current();
  auto from = reinterpret_cast<std::uint64_t>(running ? frames_ : thread.context.stack_pointer);
  if (from == 0) return;
  std::uint64_t end = slot == 0 ? snapshot().stack_end() : reinterpret_cast<std::uint64_t>(thread.stack_top);
  auto bottom = reinterpret_cast<std::uint64_t>(thread.stack_bottom);
  // The thread is in a signal handler, on a stack of the program.
  if (from < bottom || from >= end) {
    marks_.mark_value(from);
    if (slot == 0) return;
    from = bottom;
  }
  marks_.mark(bytes_between(from, end));
}

// The thread-local storage of libraries that are not instrumented.
void LeakSearch::mark_libraries_storage(std::uint16_t slot) {
  struct Walk {
    LeakMarks* marks;
    std::uint16_t slot;
  } walk{&marks_, slot};
  auto visit = [](dl_phdr_info* info, std::size_t, void* argument) {
    auto& self = *static_cast<Walk*>(argument);
    auto block = reinterpret_cast<std::uint64_t>(info->dlpi_tls_data);
    if (block == 0 || is_instrumented(reinterpret_cast<std::uint64_t>(info->dlpi_phdr))) return 0;
    Bytes storage = thread_pool().storage(self.slot);
    std::uint64_t distance = current_fs_base() - block;
    if (distance > storage.size()) return 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      if (info->dlpi_phdr[i].p_type != PT_TLS) continue;
      self.marks->mark(storage.last(distance).first(info->dlpi_phdr[i].p_memsz));
    }
    return 0;
  };
  dl_iterate_phdr(visit, &walk);
}

// Parts of the mapping may be unmapped or protected by now, so it is read through the kernel.
void LeakSearch::mark_mapping(Bytes range) {
  constexpr std::uint64_t kPages = 64;  // at a time
  alignas(8) static char buffer[kPage];
  auto begin = reinterpret_cast<std::uint64_t>(range.data());
  std::uint64_t end = begin + range.size();
  for (std::uint64_t at = begin; at < end; at += kPages * kPage) {
    unsigned char resident[kPages];
    std::uint64_t size = std::min(kPages * kPage, end - at);
    bool known = raw_syscall(SYS_mincore, static_cast<long>(at), static_cast<long>(size),
                             reinterpret_cast<long>(resident)) == 0;
    for (std::uint64_t page = 0; page * kPage < size; ++page) {
      if (known && (resident[page] & 1) == 0) continue;
      iovec to{buffer, kPage};
      iovec from{reinterpret_cast<void*>(at + page * kPage), kPage};
      long count = raw_syscall(SYS_process_vm_readv, raw_syscall(SYS_getpid), reinterpret_cast<long>(&to), 1,
                               reinterpret_cast<long>(&from), 1, 0);
      if (count > 0) marks_.mark({buffer, static_cast<std::size_t>(count)});
      if (count < 0 && count != -EFAULT) unreadable_ = true;
    }
  }
}

// ---- Results -------------------------------------------------------------------------------------

namespace {

std::vector<std::uint64_t> codes_of(const LiveBlock& block) {
  std::vector<std::uint64_t> codes;
  const Allocation* made = allocations().find(block.thread, block.number);
  for (std::size_t i = 0; made != nullptr && i < Allocation::kDepth && made->code[i] != 0; ++i)
    codes.push_back(made->code[i]);
  return codes;
}

}  // namespace

// Whether lost blocks have to be searched for.
bool LeakSearch::is_wanted() {
  const bool freed_all = the_heap.live_blocks(scheduler().slots_used()) <= now_.live;
  if (world.job->leaks) return !freed_all;
  std::optional<Plan>& known = freed_all ? clean_ : suspect_;
  if (plan_ != nullptr && !known) known = *plan_;
  return !freed_all && clean_;
}

void LeakSearch::check() {
  if (!armed_ || test_framework().passes_over()) return;
  armed_ = false;
  if (!is_wanted()) return;
  if (collect()) {
    mark_roots();
    marks_.follow();
  }
  if (unreadable_) {
    notes().uncontrolled(
        "leaks-not-looked-for",
        "an execution protected memory from being read, so that leaks could not be looked for");
    return;
  }
  const LeakMarks::Lost lost = marks_.lost();
  if (lost.blocks == 0) return;
  if (!notes_ && !scheduler().director().records_places()) {
    note_all(true);
    start_anew();
  }
  const std::vector<LeakMarks::Group> groups = marks_.groups(codes_of);
  if (scheduler().director().records_places()) {
    for (const LeakMarks::Group& group : groups) {
      LostBlocks& told = current_trace().details.lost.emplace_back(group.blocks);
      for (const std::uint64_t code : group.codes) told.stack.push_back(place_of(code));
    }
  }
  fail({BugKind::leak, lost_text(lost), scheduler().current().id, LeakMarks::identity(groups), {}});
}

}  // namespace thrum
