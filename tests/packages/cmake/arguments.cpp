// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstring>
#include <thread>

int main(int argc, char** argv) {
  std::thread([] {}).join();
  return argc == 3 && std::strcmp(argv[2], "two words") == 0 ? 0 : 1;
}
