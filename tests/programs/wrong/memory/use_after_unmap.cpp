// expect: bug data-race
#include <sys/mman.h>

#include <atomic>
#include <thread>

std::atomic<bool> ended;

int main() {
  auto* memory = static_cast<volatile char*>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  std::thread reader([&] {
    if (!ended.load()) memory[0] = 1;
  });
  ended.store(true);
  munmap(const_cast<char*>(memory), 4096);
  reader.join();
}
