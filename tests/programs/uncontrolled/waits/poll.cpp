// expect: inconclusive
// reason: the program calls poll where it would wait, which is not under control (in
#include <poll.h>
#include <unistd.h>

#include <thread>

int main() {
  int ends[2];
  if (pipe(ends) != 0) return 1;
  std::thread([&] {
    pollfd ask{ends[0], POLLIN, 0};
    poll(&ask, 1, -1);
  }).join();
}
