// expect: inconclusive
// reason: the program writes to a file that it has mapped shared, which is not under control
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <thread>

int main() {
  FILE* file = tmpfile();
  if (ftruncate(fileno(file), 4096) != 0) return 1;
  auto* memory = static_cast<char*>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0));
  std::thread([&] { memory[0] = 1; }).join();
}
