// expect: inconclusive
// reason: threads exchange data through a file, pipe or socket, in an order that is not under control (in
#include <unistd.h>

#include <atomic>
#include <thread>

int main() {
  std::atomic<int> turns{0};
  std::thread worker([&] {
    int ends[2];
    if (pipe(ends) != 0) return;
    std::thread writer([&] { (void)!write(ends[1], "x", 1); });
    writer.join();
    char byte;
    (void)!read(ends[0], &byte, 1);
  });
  turns.fetch_add(1);
  worker.join();
}
