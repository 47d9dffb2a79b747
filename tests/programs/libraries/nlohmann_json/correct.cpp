// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
//
// A library that knows nothing of threads, and throws: parsed, changed and written in each of them, put
// together under a mutex.
#include <nlohmann/json.hpp>

#include <cassert>
#include <mutex>
#include <string>
#include <thread>

using nlohmann::json;

std::mutex mutex;
json all = json::object();

void put(const std::string& key, int value) {
  json item = json::parse(R"({"list": [1, 2.5, "text"]})");
  item["list"].push_back(value);
  bool thrown = false;
  try {
    item = json::parse(item.dump() + "}");
  } catch (const json::parse_error&) {
    thrown = true;
  }
  assert(thrown);
  const std::lock_guard guard(mutex);
  all[key] = item;
}

int main() {
  std::thread first(put, "first", 1);
  std::thread second(put, "second", 2);
  std::size_t seen = 0;
  {
    const std::lock_guard guard(mutex);
    seen = all.size();
  }
  first.join();
  second.join();
  assert(seen <= 2 && all.size() == 2);
  assert(all["first"]["list"][3] == 1 && all["second"]["list"][3] == 2);
}
