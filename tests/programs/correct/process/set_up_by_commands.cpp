// What the set-up does is done once: other programs may run in it.
// expect: exhausted
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <thread>

int main() {
  assert(std::system("exit 3") == 3 << 8);
  FILE* pipe = popen("echo hello", "r");
  char line[16] = "";
  assert(std::fgets(line, sizeof line, pipe));
  assert(pclose(pipe) == 0);
  std::thread([&] { assert(line[0] == 'h'); }).join();
}
