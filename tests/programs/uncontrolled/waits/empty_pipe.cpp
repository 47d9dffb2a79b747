// expect: inconclusive
// reason: the program calls read where it would wait, which is not under control (in take, empty_pipe.cpp:
#include <unistd.h>

#include <thread>

int ends[2];

void take() {
  char byte;
  if (read(ends[0], &byte, 1) != 1) return;
}

int main() {
  if (pipe(ends) != 0) return 1;
  std::thread(take).join();
}
