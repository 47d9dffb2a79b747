// Numbers drawn repeat in each execution, and a loop that draws them is no waiting loop.
// expect: exhausted
// plain: no
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <cstdlib>
#include <thread>

std::atomic<int> turns;
std::atomic<unsigned> first_bytes;

int main() {
  std::thread other([] { turns.fetch_add(1); });
  std::srand(7);
  int drawn = 1;
  while (std::rand() % 6 != 0) {
    ++drawn;
    turns.load();
  }
  assert(drawn < 100 && sched_getcpu() == 0);
  unsigned bytes = 0;
  int file = open("/dev/urandom", O_RDONLY);
  assert(read(file, &bytes, sizeof bytes) == sizeof bytes);
  first_bytes.store(bytes);
  other.join();
}
