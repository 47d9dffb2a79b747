// expect: inconclusive
// reason: the program calls fork, which is not under control (in make_child, fork_in_thread.cpp:
#include <sys/wait.h>
#include <unistd.h>
#include <thread>

void make_child() {
  if (fork() == 0) _exit(0);
  wait(nullptr);
}

int main() { std::thread(make_child).join(); }
