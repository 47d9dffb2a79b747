// Addresses repeat, whatever else is mapped.
// expect: exhausted
#include <sys/mman.h>

#include <atomic>
#include <cassert>
#include <cstring>
#include <thread>

char* map(std::size_t size) {
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert(memory != MAP_FAILED);
  return static_cast<char*>(memory);
}

std::atomic<char*> published;

void body() {
  char* memory = map(10'000);
  assert(memory[0] == 0);
  memory[0] = 1;
  memory = static_cast<char*>(mremap(memory, 10'000, 100'000, MREMAP_MAYMOVE));
  assert(memory != MAP_FAILED && memory[0] == 1);
  char* other = map(4096);
  assert(mprotect(other, 4096, PROT_READ) == 0);
  assert(munmap(other, 4096) == 0);
  published.store(memory);
}

int main() {
  std::thread a(body);
  std::thread b(body);
  a.join();
  b.join();
  assert(published.load()[0] == 1);
}
