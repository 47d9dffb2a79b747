// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug assertion preemptions=1
//
// A Treiber stack whose nodes come from a small pool and go back to it. A node is used again as
// soon as it is free, last in first out, as most allocators do.
//
// The bug is ABA: a thread has read the top node A and the node B below it, and is interrupted.
// Another thread takes A and B and puts A back. The compare-exchange of the first still finds A on
// top and makes B, which belongs to the other thread, the new top. The head needs a counter beside
// the node.
#include <array>
#include <atomic>
#include <cassert>
#include <thread>

constexpr int kNone = -1;

struct Node {
  std::atomic<int> below{kNone};
  std::atomic<bool> owned{false};
};

std::array<Node, 3> nodes;
std::atomic<int> top{kNone};

Node& node(int index) { return nodes[static_cast<std::size_t>(index)]; }

void push(int index) {
  node(index).owned = false;
  int below = top;
  do {
    node(index).below = below;
  } while (!top.compare_exchange_strong(below, index));
}

// The top node, which the caller then owns, or kNone.
int pop() {
  int index = top;
  do {
    if (index == kNone) return kNone;
  } while (!top.compare_exchange_strong(index, node(index).below));
  const bool owned = node(index).owned.exchange(true);
  assert(!owned && "a node has two owners");
  return index;
}

void take_two() {
  pop();
  pop();
}

void take_two_and_put_one_back() {
  const int first = pop();
  pop();
  if (first != kNone) push(first);
}

int main() {
  for (int i = 0; i < 3; ++i) push(i);
  std::thread first(take_two);
  std::thread second(take_two_and_put_one_back);
  first.join();
  second.join();
}
