// What is written behind the end of a file that was open before is cut off again.
// expect: exhausted
#include <sys/stat.h>
#include <unistd.h>

#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>

int main() {
  FILE* log = tmpfile();
  std::fputs("begin\n", log);
  std::fflush(log);
  std::mutex mutex;
  auto body = [&] {
    std::lock_guard lock(mutex);
    std::fputs("line\n", log);
    std::fflush(log);
  };
  std::thread a(body);
  std::thread b(body);
  a.join();
  b.join();
  struct stat status;
  assert(fstat(fileno(log), &status) == 0 && status.st_size == 6 + 2 * 5);
}
