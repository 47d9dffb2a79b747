// expect: inconclusive
// reason: the program calls posix_spawn, which is not under control (in
#include <spawn.h>
#include <thread>

int main() {
  std::thread([] {
    char name[] = "true";
    char* arguments[] = {name, nullptr};
    char* environment[] = {nullptr};
    pid_t child;
    posix_spawn(&child, "/bin/true", nullptr, nullptr, arguments, environment);
  }).join();
}
