// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: exhausted
// args: --leaks
// compilers: both
//
// LeakSanitizer's interface: what a program says of blocks that it gives up on purpose.
#include <cstdint>
#include <cstdlib>
#include <thread>

extern "C" {
void __lsan_disable();
void __lsan_enable();
void __lsan_ignore_object(const void* block);
void __lsan_register_root_region(const void* begin, std::size_t size);
void __lsan_unregister_root_region(const void* begin, std::size_t size);
void __lsan_do_leak_check();
int __lsan_do_recoverable_leak_check();
}

struct Node {
  Node* next = nullptr;
};

thread_local Node* mine = nullptr;

int main() {
  std::thread([] {
    // A block, and what hangs on it.
    mine = new Node{new Node};
    __lsan_ignore_object(mine);
    // All that the thread allocates in between; pairs nest.
    __lsan_disable();
    __lsan_disable();
    mine = new Node;
    __lsan_enable();
    mine = new Node{new Node};
    __lsan_enable();
    mine = nullptr;
    __lsan_do_leak_check();
    if (__lsan_do_recoverable_leak_check() != 0) std::abort();
  }).join();
  std::thread([] {
    // A range that is a root, though it lies in memory that nobody points to.
    auto** root = static_cast<Node**>(std::malloc(64));
    root[3] = new Node;
    __lsan_register_root_region(root, 64);
    __lsan_ignore_object(root);
    __lsan_register_root_region(&mine, sizeof mine);
    __lsan_unregister_root_region(&mine, sizeof mine);
  }).join();
}
