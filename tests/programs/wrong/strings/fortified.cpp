// expect: bug buffer-overflow
// flags: -O2 -D_FORTIFY_SOURCE=2
#include <atomic>
#include <cstring>
#include <thread>

char target[8];
std::atomic<bool> longer;

int main() {
  std::thread writer([] { std::strcpy(target, longer.load() ? "longer than that" : "short"); });
  longer.store(true);
  writer.join();
}
