// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// malloc and its family.
#include <cerrno>

#include "vm/library.hpp"

namespace thrum::vm {

namespace {

std::uint64_t allocate(Call& call, std::uint64_t size, bool zeroed = false) {
  Machine& machine = call.machine;
  const std::uint64_t block = machine.heap.allocate(call.thread.slot, call.thread.id, size, zeroed);
  note_reuse(call, block, size);
  if (block == 0) set_errno(call, ENOMEM);
  machine.note_allocation(block, size);
  return block;
}

constexpr std::uint64_t kPage = 4096;

Next allocate_pages(Call& call, std::uint64_t size) {
  const std::uint64_t block =
      call.machine.heap.allocate_aligned(call.thread.slot, call.thread.id, kPage, size);
  note_reuse(call, block, size);
  return call.result(block);
}

Next no_memory(Call& call) {
  set_errno(call, ENOMEM);
  return call.result(0);
}

bool release(Call& call, std::uint64_t block, bool is_operation = false) {
  Machine& machine = call.machine;
  if (machine.heap.is_live_block(block) &&
      !machine.judge_free(call.thread, block, machine.heap.size_of(block), is_operation))
    return false;
  if (machine.in_execution) machine.note_heap_change();
  switch (machine.heap.release(call.thread.slot, block)) {
    case Heap::Misuse::none: return true;
    case Heap::Misuse::freed_twice: machine.fail_freed_twice(block); return false;
    case Heap::Misuse::not_a_block:
      machine.fail(BugKind::double_free, "free of an address that malloc did not give");
      return false;
  }
  return false;
}

Next reallocate(Call& call, std::uint64_t old, std::uint64_t size) {
  const std::uint64_t block = reallocate_for(call, old, size);
  return call.machine.over ? Next::over : call.result(block);
}

}  // namespace

std::uint64_t allocate_for(Call& call, std::uint64_t size) { return allocate(call, size); }

std::uint64_t reallocate_for(Call& call, std::uint64_t old, std::uint64_t size) {
  Machine& machine = call.machine;
  if (old != 0 && (size == 0 || !machine.heap.is_live_block(old))) {
    release(call, old);
    return 0;
  }
  const std::uint64_t fresh = allocate(call, size);
  if (old == 0 || fresh == 0) return fresh;
  const std::uint64_t kept = std::min(size, machine.heap.size_of(old));
  machine.memory.copy(fresh, &at<char>(old), kept);
  machine.memory.copy(fresh + kShadowDistance, &at<char>(old + kShadowDistance), kept);
  release(call, old);
  return fresh;
}

void note_reuse(const Call& call, std::uint64_t block, std::uint64_t size) {
  Machine& machine = call.machine;
  if (!machine.in_execution) return;
  machine.note_heap_change();
  if (block == 0 || !machine.heap.gave_used_block()) return;
  machine.trace->reuses_blocks = true;
  if (machine.judges) machine.races.forget(block, (size + kCellBytes - 1) & ~(kCellBytes - 1));
}

Next do_malloc(Call& call) { return call.result(allocate(call, call.argument(0))); }

Next do_calloc(Call& call) {
  std::uint64_t size = 0;
  if (__builtin_mul_overflow(call.argument(0), call.argument(1), &size)) return no_memory(call);
  return call.result(allocate(call, size, true));
}

Next do_realloc(Call& call) { return reallocate(call, call.argument(0), call.argument(1)); }

Next do_reallocarray(Call& call) {
  std::uint64_t size = 0;
  if (__builtin_mul_overflow(call.argument(1), call.argument(2), &size)) return no_memory(call);
  return reallocate(call, call.argument(0), size);
}

Next do_free(Call& call) {
  const std::uint64_t block = call.argument(0);
  Machine& machine = call.machine;
  if (block != 0 && call.phase() == 0 && machine.heap.is_live_block(block)) {
    const std::uint64_t size = machine.heap.size_of(block);
    if (machine.promotes_free(call.thread, block, size)) {
      if (const auto next = stand(call, 0, Operation::racy_free, block, static_cast<std::uint32_t>(size)))
        return *next;
    }
  }
  const bool is_operation = call.phase() != 0;
  if (block != 0 && !release(call, block, is_operation)) return Next::over;
  if (is_operation) machine.done(true);
  return machine.over ? Next::over : Next::done;
}

Next do_aligned_alloc(Call& call) {
  const std::uint64_t block = call.machine.heap.allocate_aligned(call.thread.slot, call.thread.id,
                                                                 call.argument(0), call.argument(1));
  note_reuse(call, block, call.argument(1));
  return call.result(block);
}

Next do_posix_memalign(Call& call) {
  const std::uint64_t alignment = call.argument(1);
  if (alignment < sizeof(void*) || (alignment & (alignment - 1)) != 0) return call.result_int(EINVAL);
  const std::uint64_t block =
      call.machine.heap.allocate_aligned(call.thread.slot, call.thread.id, alignment, call.argument(2));
  note_reuse(call, block, call.argument(2));
  return put_value(call, call.argument(0), block) ? call.result_int(0) : Next::over;
}

// Of whole pages.
Next do_valloc(Call& call) { return allocate_pages(call, call.argument(0)); }
Next do_pvalloc(Call& call) { return allocate_pages(call, (call.argument(0) + kPage - 1) / kPage * kPage); }

Next do_malloc_usable_size(Call& call) {
  const std::uint64_t block = call.argument(0);
  return call.result(call.machine.heap.is_live_block(block) ? call.machine.heap.size_of(block) : 0);
}

}  // namespace thrum::vm
