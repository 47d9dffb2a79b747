// Thread-local objects whose parts the compiler names by constant addresses.
#include <cstdio>
#include <string>
#include <vector>

struct Counted {
  int a = 0, b;
  long c[3] = {1, 2, 3};
  explicit Counted(int k) : b(k) { c[2] = k; }
  ~Counted() { std::printf("%d %d %ld\n", a, b, c[2]); }
};

volatile int start = 3;
thread_local Counted counted(start);
thread_local std::vector<int> numbers{1, 2, 3};
thread_local std::string text = "abc";

int main() {
  counted.a += counted.b++;
  counted.c[2] += reinterpret_cast<std::uintptr_t>(&counted.b) - reinterpret_cast<std::uintptr_t>(&counted.a);
  numbers.push_back(4);
  text += std::to_string(numbers.size());
  std::printf("%s %d\n", text.c_str(), numbers.back());
}
