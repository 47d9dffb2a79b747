// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// args: --leaks
// compilers: both
//
// What the C and C++ libraries allocate and keep for themselves is not the program's leak.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <future>
#include <iostream>
#include <locale>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

int main() {
  std::thread([] {
    std::cout << "numbers " << 1.5 << '\n';
    std::printf("%s\n", "text");
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text << 12345;
    setenv("THRUM_LEAKS", text.str().c_str(), 1);
    std::FILE* file = std::tmpfile();
    if (file) std::fprintf(file, "left open");
  }).join();
  std::exception_ptr kept;
  std::thread([&kept] {
    try {
      throw std::runtime_error("a text that is too long to stand in the object itself, surely");
    } catch (...) {
      kept = std::current_exception();
    }
  }).join();
  auto value = std::async(std::launch::async, [] { return std::vector<int>(100, 1); });
  value.get();
  std::promise<int> promise;
  std::thread([&promise] { promise.set_exception(std::make_exception_ptr(3)); }).join();
}
