// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/process_state.hpp"

#include "runtime/thread.hpp"

namespace thrum {

constinit Forever<ProcessState> the_process_state;

void ProcessState::at_exit(void (*function)(void*), void* argument) {
  changed_ = true;
  exit_handlers_.push_back({function, argument});
}

void ProcessState::run_exit_handlers() {
  changed_ = true;
  while (!exit_handlers_.empty()) {
    ExitHandler handler = exit_handlers_.back();
    exit_handlers_.pop_back();
    handler.function(handler.argument);
  }
}

int ProcessState::create_key(KeyDestructor function) {
  changed_ = true;
  for (std::size_t key = 0; key < keys_.size(); ++key) {
    if (keys_[key].used) continue;
    keys_[key] = {function, true};
    return static_cast<int>(key);
  }
  if (keys_.size() == kKeysMax) return -1;
  keys_.push_back({function, true});
  return static_cast<int>(keys_.size() - 1);
}

bool ProcessState::delete_key(std::uint32_t key) {
  if (!is_key(key)) return false;
  changed_ = true;
  keys_[key].used = false;
  return true;
}

void ProcessState::save() {
  saved_exit_handlers_ = exit_handlers_;
  saved_keys_ = keys_;
  changed_ = false;
}

void ProcessState::restore() {
  if (!changed_) return;
  exit_handlers_ = saved_exit_handlers_;
  keys_ = saved_keys_;
  changed_ = false;
}

}  // namespace thrum
