// What was mapped before the first choice is there again in the next execution.
// expect: exhausted
#include <sys/mman.h>

#include <atomic>
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <thread>

constexpr std::size_t kPage = 4096;
std::atomic<int> turns;

int main() {
  auto map = [](int protection) {
    return static_cast<char*>(mmap(nullptr, 4 * kPage, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  };
  char* first = map(PROT_READ | PROT_WRITE);
  char* reserve = map(PROT_NONE);
  char* moved = map(PROT_READ | PROT_WRITE);
  std::strcpy(first, "first");
  std::strcpy(moved, "moved");
  auto* block = static_cast<char*>(aligned_alloc(kPage, 2 * kPage));
  std::thread other([] { turns.fetch_add(1); });
  turns.fetch_add(1);
  assert(std::strcmp(first, "first") == 0);
  std::strcpy(first, "again");
  assert(munmap(first, 4 * kPage) == 0);
  assert(mprotect(reserve + kPage, kPage, PROT_READ | PROT_WRITE) == 0);
  assert(reserve[kPage] == 0);
  std::strcpy(reserve + kPage, "used");
  assert(mmap(reserve + 2 * kPage, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
              0) == reserve + 2 * kPage);
  assert(reserve[2 * kPage] == 0);
  reserve[2 * kPage] = 1;
  auto* larger = static_cast<char*>(mremap(moved, 4 * kPage, 8 * kPage, MREMAP_MAYMOVE));
  assert(std::strcmp(larger, "moved") == 0);
  assert(madvise(larger, kPage, MADV_DONTNEED) == 0 && larger[0] == 0);
  assert(mprotect(block, kPage, PROT_NONE) == 0);
  block[kPage] = 1;
  other.join();
}
