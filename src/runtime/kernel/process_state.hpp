// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What belongs to the program's process rather than to a thread, and lies in the runtime's memory: exit
// handlers, pthread keys, named semaphores.
#pragma once

#include <semaphore.h>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/base/forever.hpp"

namespace thrum {

struct NamedSemaphore {
  std::string name;
  sem_t* semaphore;
  std::uint32_t opened;  // so often, and not closed
  bool unlinked;
};

class ProcessState {
 public:
  constexpr ProcessState() = default;

  // A function to call at exit, with its argument.
  void at_exit(void (*function)(void*), void* argument);
  // Likewise one that is told the status too.
  void at_exit(void (*function)(int, void*), void* argument);
  // Calls them, newest first; more may come while they run.
  void run_exit_handlers(int status);

  // Likewise for quick_exit.
  void at_quick_exit(void (*function)(void*));
  void run_quick_exit_handlers();

  using KeyDestructor = void (*)(void*);
  // A new key's number, or -1 where there are too many.
  int create_key(KeyDestructor destructor);
  bool delete_key(std::uint32_t key);
  bool is_key(std::uint32_t key) const { return key < keys_.size() && keys_[key].used; }
  KeyDestructor destructor(std::uint32_t key) const { return keys_[key].destructor; }

  // The semaphore that has the name; nullptr: none. The pointer holds until the next call.
  NamedSemaphore* find_semaphore(const char* name);
  void add_semaphore(NamedSemaphore semaphore);
  enum class Closed : std::uint8_t { unknown, one, last };  // last: nobody can reach it any more
  Closed close_semaphore(const sem_t* semaphore);

  // As it is at the snapshot, and back to that.
  void save();
  void restore();

  // Adds the addresses that it holds for the program.
  void add_held(std::vector<std::uint64_t>& addresses) const;

  // Whether anything was changed since the last of these two.
  bool changed() const { return changes_ != 0 || handlers_changed_; }
  // How often keys and semaphores were, likewise.
  std::uint32_t changes() const { return changes_; }

  void* main_frame = nullptr;  // main's frames lie below

 private:
  struct ExitHandler {
    void (*function)(void*);
    void* argument;
    void (*with_status)(int, void*) = nullptr;  // in place of function
  };
  struct Key {
    KeyDestructor destructor;
    bool used;
  };
  void run(std::vector<ExitHandler>& handlers, int status);
  // Since the last save or restore; what is to be called at exit is told apart, as it is called each time.
  bool handlers_changed_ = false;
  std::uint32_t changes_ = 0;
  std::vector<ExitHandler> exit_handlers_;
  std::vector<ExitHandler> quick_exit_handlers_;
  std::vector<Key> keys_;
  std::vector<NamedSemaphore> semaphores_;
  std::vector<ExitHandler> saved_exit_handlers_;
  std::vector<ExitHandler> saved_quick_exit_handlers_;
  std::vector<Key> saved_keys_;
  std::vector<NamedSemaphore> saved_semaphores_;
};

extern constinit Forever<ProcessState> the_process_state;
inline ProcessState& process_state() { return the_process_state.value; }

}  // namespace thrum
