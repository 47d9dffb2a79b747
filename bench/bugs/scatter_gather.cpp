// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: livelock
// quick: --strategy random --seed 1 --executions 100
//
// Scatter and gather: in each round a request goes to every service, and the round is over when as many
// responses have come. Services and gatherer poll their mailboxes.
//
// The bug: the gatherer sets up the number of responses that it waits for after the requests have gone out.
// The response of a fast service is overwritten, and the gatherer waits for it for ever.
#include <array>
#include <atomic>
#include <cassert>

#include "threads.hpp"

constexpr int kServices = 3;
constexpr int kRounds = 40;
constexpr int kStop = -1;

class Gather {
 public:
  void expect(int responses) { missing_.store(responses); }
  void respond(int value) {
    sum_.fetch_add(value);
    missing_.fetch_sub(1);
  }
  int wait() {
    while (missing_.load() > 0) {
    }
    return sum_.exchange(0);
  }

 private:
  std::atomic<int> missing_{0};
  std::atomic<int> sum_{0};
};

class Mailbox {
 public:
  void post(int request) { request_.store(request); }
  int receive() {
    while (request_.load() == 0) {
    }
    return request_.exchange(0);
  }

 private:
  std::atomic<int> request_{0};
};

Gather gather;
std::array<Mailbox, kServices> mailboxes;

void serve(std::size_t self) {
  while (true) {
    const int request = mailboxes[self].receive();
    if (request == kStop) return;
    gather.respond(request * request);
  }
}

void scatter(int request) {
#ifdef FIXED
  gather.expect(kServices);
#endif
  for (Mailbox& mailbox : mailboxes) mailbox.post(request);
#ifndef FIXED
  gather.expect(kServices);
#endif
}

void ask() {
  for (int round = 1; round <= kRounds; ++round) {
    scatter(round);
    const int sum = gather.wait();
    assert(sum == kServices * round * round);
  }
  for (Mailbox& mailbox : mailboxes) mailbox.post(kStop);
}

int main() {
  run_together(
      ask, [] { serve(0); }, [] { serve(1); }, [] { serve(2); });
}
