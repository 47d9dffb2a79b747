// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// State of the program's process, not of a thread, in the runtime's memory: exit handlers, pthread keys,
// named semaphores.
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
  std::uint32_t opened;  // opened so often without being closed
  bool unlinked;
};

class ProcessState {
 public:
  constexpr ProcessState() = default;

  // Adds a function to call at exit, with its argument. is_librarys: code that is not instrumented, which
  // does not matter where nobody else runs any more.
  void at_exit(void (*function)(void*), void* argument, bool is_librarys = false);
  // The same for a function that also gets the status.
  void at_exit(void (*function)(int, void*), void* argument);
  // Calls them, newest first; they may add further ones. is_alone: whether no other thread runs.
  void run_exit_handlers(int status, bool (*is_alone)());

  // The same for quick_exit.
  void at_quick_exit(void (*function)(void*));
  void run_quick_exit_handlers();

  using KeyDestructor = void (*)(void*);
  // The number of a new key, or -1 if there are too many.
  int create_key(KeyDestructor destructor);
  bool delete_key(std::uint32_t key);
  bool is_key(std::uint32_t key) const { return key < keys_.size() && keys_[key].used; }
  KeyDestructor destructor(std::uint32_t key) const { return keys_[key].destructor; }
  // Differs for each key that ever had this number; values of those before are gone.
  std::uint64_t generation(std::uint32_t key) const { return keys_[key].generation; }

  // The semaphore of that name; nullptr: none. The pointer is valid until the next call.
  NamedSemaphore* find_semaphore(const char* name);
  void add_semaphore(NamedSemaphore semaphore);
  enum class Closed : std::uint8_t { unknown, one, last };  // last: it cannot be reached any more
  Closed close_semaphore(const sem_t* semaphore);

  // Saves the state at the snapshot, and restores it.
  void save();
  void restore();

  // Adds the addresses of the program that this state holds.
  void add_held(std::vector<std::uint64_t>& addresses) const;

  // Whether anything changed since the last save or restore.
  bool changed() const { return changes_ != 0 || handlers_changed_; }
  // How often keys and semaphores changed since then.
  std::uint32_t changes() const { return changes_; }

  void* main_frame = nullptr;  // main's frames lie below this

 private:
  struct ExitHandler {
    void (*function)(void*);
    void* argument;
    void (*with_status)(int, void*) = nullptr;  // used instead of function
    bool is_librarys = false;
  };
  struct Key {
    KeyDestructor destructor;
    bool used;
    std::uint64_t generation;
  };
  void run(std::vector<ExitHandler>& handlers, int status, bool (*is_alone)());
  // Since the last save or restore. Exit handlers are counted separately, since every program calls them.
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
