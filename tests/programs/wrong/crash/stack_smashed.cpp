// expect: bug crash
// flags: -fstack-protector-all
#include <atomic>
#include <cstring>
#include <thread>

std::atomic<std::size_t> size{4};

void fill() {
  char small[8];
  std::memset(small, 'x', size.load());
  size.store(static_cast<std::size_t>(small[0]));
}

int main() {
  std::thread other(fill);
  size.store(100);
  other.join();
}
