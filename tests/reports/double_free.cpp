// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two owners of one object both see that they are the last.
#include <atomic>
#include <thread>

struct Object {
  std::atomic<int> owners{2};
};

void release(Object* object) {
  object->owners.fetch_sub(1);
  if (object->owners.load() == 0) delete object;
}

int main() {
  auto* object = new Object;
  std::thread first(release, object);
  std::thread second(release, object);
  first.join();
  second.join();
}
