// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion preemptions=1
//
// Each looks whether the key is there, and puts it in under a second lock: it may have come in between.
#include <nlohmann/json.hpp>

#include <cassert>
#include <mutex>
#include <thread>

nlohmann::json all = nlohmann::json::object();
std::mutex mutex;
int put_in = 0;

bool has(const char* key) {
  const std::lock_guard guard(mutex);
  return all.contains(key);
}

void put_once() {
  if (has("key")) return;
  const std::lock_guard guard(mutex);
  all["key"].push_back(1);
  ++put_in;
}

int main() {
  std::thread first(put_once);
  std::thread second(put_once);
  first.join();
  second.join();
  assert(put_in == 1 && all["key"].size() == 1);
}
