// The child would be a second search.
// expect: inconclusive
// reason: the program calls fork, which is not under control (in main, fork_before_threads.cpp:
#include <unistd.h>
#include <thread>

int main() {
  fork();
  std::thread([] {}).join();
}
