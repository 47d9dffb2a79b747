// Memory that the program maps itself goes back with each execution: what threads leave there would fail the
// check at the beginning of the next.
// expect: exhausted
#include <sys/mman.h>

#include <cassert>
#include <cstring>
#include <mutex>
#include <thread>

constexpr std::size_t kSize = 1 << 20;

int main() {
  auto* arena =
      static_cast<char*>(mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  auto* huge = static_cast<char*>(mmap(nullptr, std::size_t{1} << 36, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  auto* shared =
      static_cast<char*>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  assert(arena != MAP_FAILED && huge != MAP_FAILED && shared != MAP_FAILED);
  std::memset(arena, 7, kSize);
  std::mutex mutex;
  auto body = [&](int mine) {
    std::lock_guard lock(mutex);
    assert(arena[mine * 5000] == 7 && huge[mine * 100'000'000] == 0 && shared[mine] == 0);
    arena[mine * 5000] = huge[mine * 100'000'000] = shared[mine] = 1;
  };
  std::thread a(body, 1);
  std::thread b(body, 2);
  a.join();
  b.join();
  assert(arena[5000] == 1 && arena[10000] == 1 && arena[15000] == 7);
}
