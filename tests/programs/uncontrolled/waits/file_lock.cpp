// expect: inconclusive
// reason: the program calls flock where it would wait, which is not under control (in
#include <fcntl.h>
#include <sys/file.h>

#include <cassert>
#include <cstdlib>
#include <thread>

int main() {
  std::thread([] {
    char name[] = "/tmp/thrum-test-XXXXXX";
    int first = mkstemp(name);
    int second = open(name, O_RDWR);
    assert(flock(first, LOCK_EX) == 0);
    assert(flock(second, LOCK_EX | LOCK_NB) == -1);
    flock(second, LOCK_EX);
  }).join();
}
