// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug deadlock preemptions=0
// args: --bound preemptions=1
//
// A job that ends or is cancelled, and a thread that waits for either by std::atomic::wait.
//
// The bug: the path of cancellation changes the state but does not notify. A thread that sleeps
// already sleeps on.
#include <atomic>
#include <thread>

enum class State { running, done, cancelled };

std::atomic<State> state{State::running};
std::atomic<bool> cancel{false};

void work() {
  if (cancel) {
    state = State::cancelled;  // and state.notify_all()
    return;
  }
  state = State::done;
  state.notify_all();
}

int main() {
  std::thread waiter([] { state.wait(State::running); });
  std::thread canceller([] { cancel = true; });
  std::thread worker(work);
  waiter.join();
  canceller.join();
  worker.join();
}
