// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stacks and thread-local storage for fibers. Each fiber uses the stack and the control block of a real,
// parked thread of libc; it runs below the parked frame. So libc and the compiler's thread-local storage work
// as in a thread. If threads pass a baton, the parked thread itself runs there.
//
// The pool grows only between executions: creating a thread changes libc's own state, which is part of the
// snapshot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/base/forever.hpp"
#include "runtime/base/thread.hpp"

namespace thrum {

class ThreadPool {
 public:
  constexpr ThreadPool() = default;

  // The number of slots. Slot 0 is main, which keeps its own stack and storage.
  std::size_t size() const { return seats_.size(); }

  // Parks threads until there are so many slots. REQUIRES: no execution runs, the program's memory is
  // writable, and size_of_storage() is at most kStorageMax.
  void grow(std::size_t slots);

  // What the thread-local storage of all modules takes together, and how much of it threads have room for.
  static std::uint64_t size_of_storage();
  static constexpr std::uint64_t kStorageMax = std::uint64_t{7} << 20;

  // The stack that a thread requests. Default: kStackSize bytes.
  struct StackRequest {
    char* memory = nullptr;  // memory of the program; nullptr: the pool provides it
    std::size_t size = 0;
  };

  // Gives a new thread of the execution the pristine thread-local storage of its slot, and a stack. False if
  // a stack of that size is not available.
  bool equip(std::uint16_t slot, const StackRequest& request, Thread& thread);

  // Sets main's stack and control block.
  void describe_main(Thread& main) const;

  // Called before and after a library is loaded between executions. The library may have thread-local
  // storage.
  void prepare_loading();
  void adopt_loaded();

  // Saves main's thread-local storage for the snapshot, and restores it.
  void save_main();
  void restore_main();
  std::span<const char> main_storage() const { return {seats_[0].storage, seats_[0].storage_size}; }
  // The present storage of a slot, and the words of its dynamic thread vector.
  std::span<const char> storage(std::uint16_t slot) const;
  std::span<const std::uint64_t> vector_now(std::uint16_t slot) const;
  std::uint64_t fs_base(std::uint16_t slot) const { return seats_[slot].fs_base; }
  // Whether some storage is not part of main_storage().
  bool has_late_storage() const { return late_storage_; }

  // Makes the stacks and storage of the threads in slots 1 to slots - 1 inaccessible, until open_stacks().
  void close_stacks(std::uint16_t slots);
  void open_stacks();
  // Whether the address lies in the stack or storage of a slot.
  static bool is_stack(std::uint64_t address);
  // The slot. REQUIRES: is_stack(address).
  static std::uint16_t slot_of_stack(std::uint64_t address);

  // Sends it to the system thread of the slot. REQUIRES: on_system_threads().
  void send_signal(std::uint16_t slot, int signal) const;

  static constexpr std::size_t kStackSize = std::size_t{8} << 20;
  static constexpr std::size_t kGuardSize = std::size_t{1} << 16;
  // Stacks lie at fixed addresses, the same in every run; stacks larger than kStackSize lie in another range.
  static constexpr std::uint64_t kStacks = 0x2000'0000'0000;
  static constexpr std::uint64_t kLargeStacks = 0x6000'0000'0000;
  static constexpr std::size_t kLargeStackMax = std::size_t{1} << 34;

 private:
  struct Seat {
    std::uint64_t fs_base = 0;
    char* storage = nullptr;  // its static thread-local storage, which ends at fs_base
    std::size_t storage_size = 0;
    // A guard page lies above it: a thread that writes beyond the upper end of its stack must not destroy the
    // parked frame and the storage.
    char* stack_top = nullptr;
    char* stack_bottom = nullptr;
    char* pristine = nullptr;  // the storage when the thread was parked
    char* limit = nullptr;     // a guard lies below it; the lower end unless a small stack was requested
    char* large = nullptr;     // a separate stack, if more than kStackSize was requested
    std::size_t large_size = 0;
    std::size_t slot = 0;
    long thread = 0;  // the kernel's number
    // Where the storage of libraries loaded later is looked up (the ABI's dynamic thread vector), and its
    // words at parking. libc fills it at first uses, which are rolled back.
    std::uint64_t* vector = nullptr;
    std::vector<std::uint64_t> vector_words;
  };
  static void set_limit(Seat& seat, char* limit);
  static void protect_stack(const Seat& seat, int access);
  static bool make_large(std::uint16_t slot, Seat& seat, std::size_t size);
  static void* park(void* seat);
  static void find_storage(Seat& seat);
  void note_vector(Seat& seat);
  std::size_t number_in_block() const;
  void choose_block() const;
  void restore_vector(const Seat& seat) const;

  std::vector<Seat> seats_;
  std::uint16_t closed_ = 0;   // slots below this are closed, except main's
  bool late_storage_ = false;  // some library's storage is not part of the static block
};

extern constinit Forever<ThreadPool> the_thread_pool;
inline ThreadPool& thread_pool() { return the_thread_pool.value; }

}  // namespace thrum
