// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion preemptions=1
//
// Tests as closures: each call of thrum::check is a test.
//
// The bug: take() looks whether a seat is free, and takes it then. Two threads can both see the last one.
#include <thrum/thrum.hpp>

#include <atomic>
#include <cassert>
#include <thread>

class Seats {
 public:
  explicit Seats(int free) : free_(free) {}

  bool take() {
    if (free_ == 0) return false;
    --free_;
    return true;
  }

  int free() const { return free_; }

 private:
  std::atomic<int> free_;
};

int main() {
  thrum::check("the last seat is sold once", [] {
    Seats seats(1);
    std::thread other([&] { seats.take(); });
    seats.take();
    other.join();
    assert(seats.free() == 0);
  });

  thrum::check("two seats are for two", {.bound = "preemptions=2"}, [] {
    Seats seats(2);
    std::thread other([&] { assert(seats.take()); });
    assert(seats.take());
    other.join();
    assert(seats.free() == 0);
  });
}
