// expect: inconclusive
// reason: the program calls unlink of a file from before the execution, which is not under control (in
#include <unistd.h>

#include <thread>

int main(int, char** argv) {
  std::thread([&] { unlink(argv[0]); }).join();
}
