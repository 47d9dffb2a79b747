// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What belongs to the program's process rather than to a thread, and lies in the runtime's memory: exit
// handlers and pthread keys.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/forever.hpp"

namespace thrum {

class ProcessState {
 public:
  constexpr ProcessState() = default;

  // A function to call at exit, with its argument.
  void at_exit(void (*function)(void*), void* argument);
  // Calls them, newest first; more may come while they run.
  void run_exit_handlers();

  using KeyDestructor = void (*)(void*);
  // A new key's number, or -1 where there are too many.
  int create_key(KeyDestructor destructor);
  bool delete_key(std::uint32_t key);
  bool is_key(std::uint32_t key) const { return key < keys_.size() && keys_[key].used; }
  KeyDestructor destructor(std::uint32_t key) const { return keys_[key].destructor; }

  // As it is at the snapshot, and back to that.
  void save();
  void restore();

  void* main_frame = nullptr;  // main's frames lie below

 private:
  struct ExitHandler {
    void (*function)(void*);
    void* argument;
  };
  struct Key {
    KeyDestructor destructor;
    bool used;
  };
  bool changed_ = false;  // since the last save or restore
  std::vector<ExitHandler> exit_handlers_;
  std::vector<Key> keys_;
  std::vector<ExitHandler> saved_exit_handlers_;
  std::vector<Key> saved_keys_;
};

extern constinit Forever<ProcessState> the_process_state;
inline ProcessState& process_state() { return the_process_state.value; }

}  // namespace thrum
