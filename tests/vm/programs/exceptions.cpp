// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exceptions are destroyed with their last owner: once, and not before.
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>

static int destroyed = 0;

struct Error {
  std::shared_ptr<int> shared = std::make_shared<int>(1);
  std::string text = "a text that is too long to stand in the string itself";
  Error() = default;
  Error(const Error&) = default;
  ~Error() { ++destroyed; }
};

static std::exception_ptr thrown() {
  try {
    throw Error();
  } catch (...) {
    return std::current_exception();
  }
}

static void show(const char* what) { std::printf("%s: %d destroyed\n", what, destroyed); }

int main() {
  try {
    throw Error();
  } catch (const Error&) {
    show("in the handler");
  }
  show("behind the handler");
  {
    const std::exception_ptr kept = thrown();
    show("kept");
    try {
      std::rethrow_exception(kept);
    } catch (const Error& error) {
      std::printf("%zu %d\n", error.text.size(), *error.shared);
    }
    show("thrown again");
  }
  show("given up");
  try {
    try {
      throw Error();
    } catch (...) {
      std::throw_with_nested(std::runtime_error("outer"));
    }
  } catch (const std::exception& outer) {
    std::printf("%s\n", outer.what());
    try {
      std::rethrow_if_nested(outer);
    } catch (const Error&) {
      show("nested");
    }
  }
  show("all");
  try {
    try {
      throw Error();
    } catch (Error&) {
      throw;
    }
  } catch (...) {
    show("passed on");
  }
  show("end");
}
