// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/kernel/process_state.hpp"

#include <algorithm>
#include <utility>

#include "runtime/base/thread.hpp"

namespace thrum {

constinit Forever<ProcessState> the_process_state;

void ProcessState::at_exit(void (*function)(void*), void* argument, bool is_librarys) {
  handlers_changed_ = true;
  exit_handlers_.push_back({function, argument, nullptr, is_librarys});
}

void ProcessState::at_exit(void (*function)(int, void*), void* argument) {
  handlers_changed_ = true;
  exit_handlers_.push_back({nullptr, argument, function});
}

void ProcessState::run(std::vector<ExitHandler>& handlers, int status, bool (*is_alone)()) {
  const auto is_left_out = [&](const ExitHandler& handler) { return handler.is_librarys && is_alone(); };
  while (!std::all_of(handlers.begin(), handlers.end(), is_left_out)) {
    ExitHandler handler = handlers.back();
    handlers.pop_back();
    handlers_changed_ = true;
    if (is_left_out(handler)) continue;
    if (handler.with_status) {
      handler.with_status(status, handler.argument);
    } else {
      handler.function(handler.argument);
    }
  }
}

void ProcessState::run_exit_handlers(int status, bool (*is_alone)()) {
  run(exit_handlers_, status, is_alone);
}

void ProcessState::at_quick_exit(void (*function)(void*)) {
  handlers_changed_ = true;
  quick_exit_handlers_.push_back({function, nullptr});
}

void ProcessState::run_quick_exit_handlers() { run(quick_exit_handlers_, 0, nullptr); }

int ProcessState::create_key(KeyDestructor function) {
  ++changes_;
  for (std::size_t key = 0; key < keys_.size(); ++key) {
    if (keys_[key].used) continue;
    keys_[key] = {function, true, keys_[key].generation + 1};
    return static_cast<int>(key);
  }
  if (keys_.size() == kKeysMax) return -1;
  keys_.push_back({function, true, 0});
  return static_cast<int>(keys_.size() - 1);
}

bool ProcessState::delete_key(std::uint32_t key) {
  if (!is_key(key)) return false;
  ++changes_;
  keys_[key].used = false;
  return true;
}

NamedSemaphore* ProcessState::find_semaphore(const char* name) {
  for (NamedSemaphore& known : semaphores_) {
    if (known.unlinked || known.name != name) continue;
    ++changes_;
    return &known;
  }
  return nullptr;
}

void ProcessState::add_semaphore(NamedSemaphore semaphore) {
  ++changes_;
  semaphores_.push_back(std::move(semaphore));
}

ProcessState::Closed ProcessState::close_semaphore(const sem_t* semaphore) {
  for (NamedSemaphore& known : semaphores_) {
    if (known.semaphore != semaphore || known.opened == 0) continue;
    ++changes_;
    if (--known.opened != 0 || !known.unlinked) return Closed::one;
    semaphores_.erase(semaphores_.begin() + (&known - semaphores_.data()));
    return Closed::last;
  }
  return Closed::unknown;
}

void ProcessState::add_held(std::vector<std::uint64_t>& addresses) const {
  for (const auto* handlers : {&exit_handlers_, &quick_exit_handlers_}) {
    for (const ExitHandler& handler : *handlers)
      addresses.push_back(reinterpret_cast<std::uint64_t>(handler.argument));
  }
  for (const NamedSemaphore& known : semaphores_)
    addresses.push_back(reinterpret_cast<std::uint64_t>(known.semaphore));
}

void ProcessState::save() {
  saved_exit_handlers_ = exit_handlers_;
  saved_quick_exit_handlers_ = quick_exit_handlers_;
  saved_keys_ = keys_;
  saved_semaphores_ = semaphores_;
  handlers_changed_ = false;
  changes_ = 0;
}

void ProcessState::restore() {
  if (handlers_changed_) {
    exit_handlers_ = saved_exit_handlers_;
    quick_exit_handlers_ = saved_quick_exit_handlers_;
  }
  handlers_changed_ = false;
  if (changes_ == 0) return;
  keys_ = saved_keys_;
  semaphores_ = saved_semaphores_;
  changes_ = 0;
}

}  // namespace thrum
