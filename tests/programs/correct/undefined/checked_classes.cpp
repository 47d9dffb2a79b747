// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// flags: -fsanitize=undefined
//
// Whether an object is of the right class is asked of the runtime until it is known; such a question is no
// operation. count dfs: 6
#include <atomic>
#include <memory>
#include <thread>

struct Left {
  virtual ~Left() = default;
  virtual int add(std::atomic<int>& to) = 0;
};
struct Right {
  virtual ~Right() = default;
  virtual int one() { return 1; }
};
struct Both : Left, Right {
  int add(std::atomic<int>& to) override { return to.fetch_add(one()); }
};

int main() {
  std::atomic<int> sum{0};
  std::unique_ptr<Left> object = std::make_unique<Both>();
  auto run = [&] {
    object->add(sum);
    object->add(sum);
  };
  std::thread a(run);
  std::thread b(run);
  a.join();
  b.join();
}
