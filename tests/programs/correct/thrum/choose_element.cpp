// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// count dfs: 24
// compilers: same
//
// In main an element of an array of 3, false or true, and one of 2 words; in a thread that it then joins an
// element of a list of 2: 3 * 2 * 2 * 2 = 24.
#include <thrum/thrum.hpp>

#include <cassert>
#include <list>
#include <string>
#include <thread>

int main() {
  const int numbers[] = {3, 5, 7};
  std::list<int> places = {0, 0};
  const int number = thrum::choose(numbers);
  const bool flag = thrum::choose();
  const std::string word = thrum::choose({"one", "two"});
  std::thread([&] { thrum::choose(places) = 1; }).join();  // the element itself
  assert(number == 3 || number == 5 || number == 7);
  assert(flag || !flag);
  assert(word == "one" || word == "two");
  assert(places.front() + places.back() == 1);
}
