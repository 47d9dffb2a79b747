// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -O0
// args: --strategy dpor --waiting block
// expect: inconclusive
//
// One thread takes back at once what it adds, until the other one goes on, and that goes on where nothing is
// added. While something is, each of them, run alone, goes round; both together do not. So there is no livelock,
// though an execution may go round for as long as it likes.
#include <atomic>
#include <thread>

static std::atomic<int> number, is_seen;

int main() {
  std::thread looks([] {
    while (number.load() == 1) {
    }
    is_seen.store(1);
  });
  std::thread adds([] {
    do {
      number.fetch_add(1);
      number.fetch_sub(1);
    } while (is_seen.load() == 0);
  });
  looks.join();
  adds.join();
}
