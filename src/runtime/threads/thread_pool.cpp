// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/threads/thread_pool.hpp"

#include <link.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/mman.h>
#include <algorithm>
#include <climits>
#include <csignal>
#include <cstring>

#include "protocol/channel.hpp"
#include "runtime/base/engine.hpp"
#include "runtime/base/fiber.hpp"
#include "runtime/base/modules.hpp"
#include "runtime/base/page.hpp"
#include "runtime/base/signal_handlers.hpp"
#include "runtime/base/world.hpp"
#include "runtime/kernel/process_state.hpp"
#include "runtime/kernel/system_call_watch.hpp"
#include "runtime/memory/heap.hpp"
#include "support/check.hpp"
#include "support/raw_syscall.hpp"

namespace thrum {

constinit Forever<ThreadPool> the_thread_pool;

namespace {

constexpr std::uint64_t kStacks = ThreadPool::kStacks;
constexpr std::uint64_t kLargeStacks = ThreadPool::kLargeStacks;
constexpr std::size_t kLargeStackMax = ThreadPool::kLargeStackMax;
// What the runtime needs below the program's frames, in addition to the requested size of a small stack.
constexpr std::size_t kOwnFrames = 64 << 10;
// Reserved for the parked frame at the upper end of a stack.
constexpr std::size_t kParkedFrame = 16 << 10;
// The size of the guard between that and the program's frames.
constexpr std::size_t kUpperGuard = 4096;

std::uint32_t g_parked;

// Prepares a system thread to run the program: its faults, hangs and system calls are caught. Signals for the
// process as a whole still go to main.
void take_part(std::size_t slot) {
  use_signal_stack(slot);
  watch_system_calls();
  std::uint64_t caught = 0;
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, hang_signal()})
    caught |= std::uint64_t{1} << (signal - 1);
  raw_syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, reinterpret_cast<long>(&caught), 0, sizeof caught);
}

}  // namespace

std::uint64_t ThreadPool::size_of_storage() {
  std::uint64_t size = 0;
  auto add = [](dl_phdr_info* info, std::size_t, void* sum) {
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const auto& segment = info->dlpi_phdr[i];
      if (segment.p_type == PT_TLS) *static_cast<std::uint64_t*>(sum) += segment.p_memsz + segment.p_align;
    }
    return 0;
  };
  dl_iterate_phdr(add, &size);
  return size;
}

void ThreadPool::find_storage(Seat& seat) {
  seat.fs_base = current_fs_base();
  // The static blocks of all modules lie below the control block; the storage begins at the lowest. Blocks
  // that were allocated later lie elsewhere.
  constexpr std::uint64_t kFurtherRoom = 1 << 20;
  struct Search {
    Seat& seat;
    std::uint64_t size_max;
  } search{seat, size_of_storage() + kFurtherRoom};
  auto lowest = [](dl_phdr_info* info, std::size_t, void* argument) {
    const auto& [found, size_max] = *static_cast<Search*>(argument);
    auto block = reinterpret_cast<std::uint64_t>(info->dlpi_tls_data);
    if (info->dlpi_tls_modid == 0 || block == 0 || block > found.fs_base || found.fs_base - block > size_max)
      return 0;
    if (!found.storage || reinterpret_cast<char*>(block) < found.storage)
      found.storage = reinterpret_cast<char*>(block);
    return 0;
  };
  dl_iterate_phdr(lowest, &search);
  seat.storage_size = seat.storage ? seat.fs_base - reinterpret_cast<std::uint64_t>(seat.storage) : 0;
}

void ThreadPool::note_vector(Seat& seat) {
  // glibc: the second word of the control block points to element 0 of the vector; element -1 holds the
  // number of elements. An element has two words.
  std::memcpy(&seat.vector, reinterpret_cast<const void*>(seat.fs_base + sizeof(std::uint64_t)),
              sizeof seat.vector);
  std::size_t count = seat.vector[-2] + 1;
  seat.vector_words.assign(seat.vector, seat.vector + 2 * count);
}

std::span<const char> ThreadPool::storage(std::uint16_t slot) const {
  const Seat& seat = seats_[slot];
  return {the_shared_block.value.home_of(seat.fs_base) - seat.storage_size, seat.storage_size};
}

std::span<const std::uint64_t> ThreadPool::vector_now(std::uint16_t slot) const {
  const std::uint64_t* vector = nullptr;
  std::memcpy(&vector, reinterpret_cast<const void*>(seats_[slot].fs_base + sizeof(std::uint64_t)),
              sizeof vector);
  return {vector, 2 * (vector[-2] + 1)};
}

void ThreadPool::restore_vector(const Seat& seat) const {
  std::memcpy(reinterpret_cast<void*>(seat.fs_base + sizeof(std::uint64_t)), &seat.vector,
              sizeof seat.vector);
  std::memcpy(seat.vector, seat.vector_words.data(), seat.vector_words.size() * sizeof(std::uint64_t));
}

void* ThreadPool::park(void* argument) {
  auto& seat = *static_cast<Seat*>(argument);
  find_storage(seat);
  const auto frame = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0)) - kParkedFrame;
  seat.stack_top = reinterpret_cast<char*>((frame & ~std::uint64_t{kUpperGuard - 1}) - kUpperGuard);
  raw_syscall(SYS_mprotect, reinterpret_cast<long>(seat.stack_top), kUpperGuard, PROT_NONE);
  seat.thread = raw_syscall(SYS_gettid);
  if (on_system_threads()) take_part(seat.slot);
  __atomic_store_n(&g_parked, 1, __ATOMIC_RELEASE);
  raw_syscall(SYS_futex, reinterpret_cast<long>(&g_parked), FUTEX_WAKE_PRIVATE, 1);
  thrum_wait_for_baton();  // for ever, if threads are fibers
}

void ThreadPool::grow(std::size_t slots) {
  if (seats_.empty()) {
    seats_.emplace_back();
    find_storage(seats_[0]);
    seats_[0].thread = raw_syscall(SYS_gettid);
    seats_[0].pristine = new char[seats_[0].storage_size];
  }
  static auto* const real_create =
      reinterpret_cast<decltype(&pthread_create)>(next_function("pthread_create"));
  static auto* const real_setstack =
      reinterpret_cast<decltype(&pthread_attr_setstack)>(next_function("pthread_attr_setstack"));
  // The kernel must not hand signals to parked threads.
  std::uint64_t all = ~std::uint64_t{0};
  std::uint64_t mask = 0;
  raw_syscall(SYS_rt_sigprocmask, SIG_BLOCK, reinterpret_cast<long>(&all), reinterpret_cast<long>(&mask),
              sizeof mask);
  ProgramHeap::Region region = the_heap.use_region(ProgramHeap::kPoolRegion);
  while (seats_.size() < slots) {
    std::uint64_t address = kStacks + seats_.size() * (kStackSize + kGuardSize);
    long mapped = raw_syscall(SYS_mmap, static_cast<long>(address), kStackSize + kGuardSize, PROT_NONE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    THRUM_CHECK(mapped == static_cast<long>(address));
    auto* bottom = reinterpret_cast<char*>(address) + kGuardSize;
    raw_syscall(SYS_mprotect, reinterpret_cast<long>(bottom), kStackSize, PROT_READ | PROT_WRITE);
    Seat seat;
    seat.slot = seats_.size();
    seat.stack_bottom = seat.limit = bottom;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    real_setstack(&attributes, bottom, kStackSize);
    pthread_t thread;
    g_parked = 0;
    THRUM_CHECK(real_create(&thread, &attributes, park, &seat) == 0);
    while (__atomic_load_n(&g_parked, __ATOMIC_ACQUIRE) == 0) {
      raw_syscall(SYS_futex, reinterpret_cast<long>(&g_parked), FUTEX_WAIT_PRIVATE, 0);
    }
    seat.pristine = new char[seat.storage_size];
    std::memcpy(seat.pristine, seat.storage, seat.storage_size);
    note_vector(seat);
    seats_.push_back(seat);
  }
  the_heap.use_region(region);
  raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, reinterpret_cast<long>(&mask), 0, sizeof mask);
}

// Sets the guard below a small stack. It lies in the middle of the seat's own stack, and stays until a thread
// of that slot requests another size.
void ThreadPool::set_limit(Seat& seat, char* limit) {
  if (limit == seat.limit) return;
  auto protect = [](char* end, int access) {
    raw_syscall(SYS_mprotect, reinterpret_cast<long>(end - kGuardSize), kGuardSize, access);
  };
  if (seat.limit != seat.stack_bottom) protect(seat.limit, PROT_READ | PROT_WRITE);
  if (limit != seat.stack_bottom) protect(limit, PROT_NONE);
  seat.limit = limit;
}

bool ThreadPool::make_large(std::uint16_t slot, Seat& seat, std::size_t size) {
  if (seat.large_size >= size) return true;
  if (size > kLargeStackMax - kGuardSize) return false;
  if (seat.large)
    raw_syscall(SYS_munmap, reinterpret_cast<long>(seat.large), static_cast<long>(seat.large_size));
  seat.large = nullptr;
  seat.large_size = 0;
  // Memory below is never mapped, and so acts as a guard.
  std::uint64_t end = kLargeStacks + (slot + std::uint64_t{1}) * kLargeStackMax;
  long mapped =
      raw_syscall(SYS_mmap, static_cast<long>(end - size), static_cast<long>(size), PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (mapped != static_cast<long>(end - size)) return false;
  seat.large = reinterpret_cast<char*>(mapped);
  seat.large_size = size;
  return true;
}

bool ThreadPool::equip(std::uint16_t slot, const StackRequest& request, Thread& thread) {
  Seat& seat = seats_[slot];
  std::size_t size = (request.size + kOwnFrames + kPage - 1) & ~(kPage - 1);
  thread.stack_top = seat.stack_top;
  thread.stack_bottom = seat.stack_bottom;
  if (request.memory && request.size >= 2 * kOwnFrames) {
    thread.stack_top = request.memory + request.size;
    thread.stack_bottom = request.memory;
  } else if (request.size > kStackSize) {
    if (!make_large(slot, seat, size)) return false;
    thread.stack_top = seat.large + seat.large_size;
    thread.stack_bottom = thread.stack_top - size;
  } else if (request.size != 0 && size < static_cast<std::size_t>(seat.stack_top - seat.stack_bottom)) {
    auto limit = reinterpret_cast<std::uint64_t>(seat.stack_top) - size;
    thread.stack_bottom = reinterpret_cast<char*>(limit & ~std::uint64_t{kPage - 1});
    set_limit(seat, thread.stack_bottom);
  }
  if (thread.stack_bottom == seat.stack_bottom) set_limit(seat, seat.stack_bottom);
  std::memcpy(seat.storage, seat.pristine, seat.storage_size);
  if (__builtin_expect(late_storage_, 0)) restore_vector(seat);
  thread.fs_base = seat.fs_base;
  return true;
}

void ThreadPool::protect_stack(const Seat& seat, int access) {
  auto protect = [&](char* begin, char* end) {
    THRUM_CHECK(raw_syscall(SYS_mprotect, reinterpret_cast<long>(begin), end - begin, access) == 0);
  };
  protect(seat.limit, seat.stack_top);
  protect(seat.stack_top + kUpperGuard, seat.stack_bottom + kStackSize);
  if (seat.large) protect(seat.large, seat.large + seat.large_size);
}

void ThreadPool::close_stacks(std::uint16_t slots) {
  closed_ = slots;
  for (std::uint16_t slot = 1; slot < slots; ++slot) protect_stack(seats_[slot], PROT_NONE);
}

void ThreadPool::open_stacks() {
  for (std::uint16_t slot = 1; slot < closed_; ++slot) protect_stack(seats_[slot], PROT_READ | PROT_WRITE);
  closed_ = 0;
}

bool ThreadPool::is_stack(std::uint64_t address) {
  return (kStacks <= address && address < kStacks + kThreadsMax * (kStackSize + kGuardSize)) ||
         (kLargeStacks <= address && address < kLargeStacks + kThreadsMax * kLargeStackMax);
}

std::uint16_t ThreadPool::slot_of_stack(std::uint64_t address) {
  if (address >= kLargeStacks) return static_cast<std::uint16_t>((address - kLargeStacks) / kLargeStackMax);
  return static_cast<std::uint16_t>((address - kStacks) / (kStackSize + kGuardSize));
}

void ThreadPool::describe_main(Thread& main) const {
  main.fs_base = seats_[0].fs_base;
  auto* frame = static_cast<char*>(process_state().main_frame);
  main.stack_top = frame ? frame : static_cast<char*>(__builtin_frame_address(0)) + kParkedFrame;
  main.stack_bottom = main.stack_top - kStackSize;
}

void ThreadPool::send_signal(std::uint16_t slot, int signal) const {
  raw_syscall(SYS_tgkill, raw_syscall(SYS_getpid), seats_[slot].thread, signal);
}

void ThreadPool::prepare_loading() {
  for (std::size_t i = 1; i < seats_.size(); ++i) {
    std::memcpy(seats_[i].storage, seats_[i].pristine, seats_[i].storage_size);
    if (late_storage_) restore_vector(seats_[i]);
  }
}

// The loader has placed the new library's static storage, if it has any, below the others', in parked threads
// too.
void ThreadPool::adopt_loaded() {
  find_storage(seats_[0]);
  for (Seat& seat : seats_) {
    seat.storage_size = seats_[0].storage_size;
    seat.storage = reinterpret_cast<char*>(seat.fs_base) - seat.storage_size;
    delete[] seat.pristine;
    seat.pristine = new char[seat.storage_size];
    std::memcpy(seat.pristine, seat.storage, seat.storage_size);
    if (&seat != &seats_[0]) note_vector(seat);
  }
}

// The offset in each control block of the kernel's number of its thread; 0 if it cannot be determined.
std::size_t ThreadPool::number_in_block() const {
  constexpr std::size_t kHeader = 0x2c0;  // of the ABI and the loader, in all versions of libc
  constexpr std::size_t kBlock = 0x600;   // at least
  for (std::size_t at = kHeader; at < kBlock; at += sizeof(std::int32_t)) {
    auto has_it = [&](const Seat& seat) {
      std::int32_t word;
      std::memcpy(&word, reinterpret_cast<const void*>(seat.fs_base + at), sizeof word);
      return word == seat.thread;
    };
    if (std::all_of(seats_.begin() + 1, seats_.end(), has_it)) return at;
  }
  return 0;
}

// If the kernel must be asked for each change of the FS base, one shared block is used if possible.
void ThreadPool::choose_block() const {
  if (thrum_switch_by != SwitchBy::arch_prctl && thrum_switch_by != SwitchBy::exchange) return;
  SharedBlock& block = the_shared_block.value;
  const std::size_t number = others_have_storage() ? 0 : number_in_block();
  if (number != 0) {
    block.begin(seats_[0].fs_base, seats_[0].storage_size, number);
  } else {
    block.end();
  }
  thrum_switch_by = number != 0 ? SwitchBy::exchange : SwitchBy::arch_prctl;
}

void ThreadPool::save_main() {
  choose_block();
  Seat& main = seats_[0];
  std::memcpy(main.pristine, main.storage, main.storage_size);
  note_vector(main);
  auto is_late = [](dl_phdr_info* info, std::size_t, void* argument) {
    const auto& seat = *static_cast<const Seat*>(argument);
    auto* block = static_cast<char*>(info->dlpi_tls_data);
    return info->dlpi_tls_modid != 0 && (block < seat.storage || block >= seat.storage + seat.storage_size)
               ? 1
               : 0;
  };
  late_storage_ = dl_iterate_phdr(is_late, &main) != 0;
}

void ThreadPool::restore_main() {
  std::memcpy(seats_[0].storage, seats_[0].pristine, seats_[0].storage_size);
  if (__builtin_expect(late_storage_, 0)) restore_vector(seats_[0]);
}

}  // namespace thrum
