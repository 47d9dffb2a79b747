// Calls by libc's syscall() are answered like the others.
// expect: exhausted
// plain: no
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <cerrno>
#include <ctime>
#include <thread>

std::atomic<char*> published;

char* map() {
  return reinterpret_cast<char*>(
      syscall(SYS_mmap, 0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
}

int main() {
  char* before = map();
  auto main_id = syscall(SYS_gettid);
  std::thread other([&] {
    assert(syscall(SYS_gettid) != main_id && gettid() != main_id);
    assert(before[0] == 0);
    before[0] = 1;
    published.store(map());
    timespec moment{0, 1'000'000};
    assert(syscall(SYS_nanosleep, &moment, nullptr) == 0);
    assert(syscall(SYS_close, 12345) == -1 && errno == EBADF);
  });
  published.load();
  other.join();
  assert(before[0] == 1 && published.load()[0] == 0);
}
