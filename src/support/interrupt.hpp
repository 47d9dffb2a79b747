// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ends what another thread computes: raise() calls what that thread has said is to be called.
//
// Example: a thread asks a solver
//
//   Interrupt::During during(interrupt, [&] { solver.interrupt(); });
//   if (!interrupt.is_raised()) solver.check();
//
// A call may come just before the solver begins, which then does not notice it. So whoever wants the end
// calls raise() again until it has come.
//
// Thread safety: any number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace thrum {

class Interrupt {
 public:
  // While it lives, raise() calls act, on the thread that raises. interrupt may be nullptr.
  class During {
   public:
    During(Interrupt* interrupt, std::function<void()> act) : interrupt_(interrupt), act_(std::move(act)) {
      if (interrupt_ == nullptr) return;
      const std::scoped_lock lock(interrupt_->mutex_);
      interrupt_->acts_.push_back(&act_);
    }
    During(const During&) = delete;
    During& operator=(const During&) = delete;
    ~During() {
      if (interrupt_ == nullptr) return;
      const std::scoped_lock lock(interrupt_->mutex_);
      std::erase(interrupt_->acts_, &act_);
    }

   private:
    Interrupt* interrupt_;
    std::function<void()> act_;
  };

  void raise() {
    const std::scoped_lock lock(mutex_);
    is_raised_ = true;
    for (const std::function<void()>* act : acts_) (*act)();
  }
  bool is_raised() const { return is_raised_; }
  // What comes is not interrupted.
  void lower() { is_raised_ = false; }

 private:
  std::mutex mutex_;
  std::vector<const std::function<void()>*> acts_;
  std::atomic<bool> is_raised_ = false;
};

}  // namespace thrum
