// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// args: --leaks
// case global: exhausted
// case static-local: exhausted
// case main-thread-local: exhausted
// case through-older-block: exhausted
// case interior: exhausted
// case tagged: exhausted
// case frame-at-exit: exhausted
// case detached: exhausted
// case detached-thread-local: exhausted
// case key: exhausted
// case result: exhausted
// case mapping: exhausted
// case at-exit: exhausted
// case quick-exit: exhausted
// case chain: exhausted
// case nothing: exhausted
// compilers: both
//
// What something still points to when an execution ends is not lost, though nobody frees it.
#include <pthread.h>
#include <sys/mman.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <thread>

struct Node {
  Node* next = nullptr;
  char bytes[40] = {};
};

// Of the whole program, or compilers leave the allocations out.
std::mutex mutex;
std::condition_variable& never = *new std::condition_variable;  // threads wait for it at the end
Node* global = nullptr;
char* inside = nullptr;
std::atomic<std::uint64_t> tagged{0};
thread_local Node* mine = nullptr;
Node** older = new Node*(nullptr);
std::uint64_t** mapped = nullptr;
pthread_key_t key;

namespace {

template <typename Body>
void in_thread(Body body) {
  std::thread(body).join();
}

Node& registry() {
  static Node* const only = new Node;
  return *only;
}

// A thread that never ends.
template <typename Body>
void in_background(Body body) {
  static std::atomic<bool> ready{false};
  ready = false;
  std::thread([body] {
    body();
    ready = true;
    std::unique_lock lock(mutex);
    never.wait(lock, [] { return false; });
  }).detach();
  while (!ready) std::this_thread::yield();
}

using Case = void (*)();
const std::map<std::string, Case> kCases = {
    {"global", [] { in_thread([] { global = new Node; }); }},
    {"static-local", [] { in_thread([] { registry(); }); }},
    {"main-thread-local", [] { in_thread([to = &mine] { *to = new Node; }); }},
    {"through-older-block", [] { in_thread([] { *older = new Node; }); }},
    {"interior", [] { in_thread([] { inside = (new Node)->bytes + 8; }); }},
    {"tagged",
     [] {
       in_thread([] { tagged = std::uint64_t{0x1234} << 48 | reinterpret_cast<std::uint64_t>(new Node); });
     }},
    {"frame-at-exit",
     [] {
       Node* volatile held = nullptr;
       in_thread([&held] { held = new Node; });
       std::exit(0);
     }},
    {"detached",
     [] {
       std::thread([] {
         Node* volatile held = new Node;  // in its frame
         std::unique_lock lock(mutex);
         never.wait(lock, [&] { return held == nullptr; });
       }).detach();
     }},
    {"detached-thread-local", [] { in_background([] { mine = new Node; }); }},
    {"key",
     [] {
       pthread_key_create(&key, nullptr);
       in_background([] { pthread_setspecific(key, new Node); });
     }},
    {"result",
     [] {
       pthread_t thread;
       pthread_create(
           &thread, nullptr, [](void*) -> void* { return new Node; }, nullptr);
       in_thread([] {});
     }},
    {"mapping",
     [] {
       in_thread([] {
         mapped = static_cast<std::uint64_t**>(
             mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
         mapped[100] = reinterpret_cast<std::uint64_t*>(new Node);
         mprotect(mapped, 4096, PROT_READ);
       });
     }},
    {"at-exit",
     [] {
       static Node* held = nullptr;
       in_thread([] { held = new Node; });
       std::atexit([] {
         delete held;
         held = nullptr;
       });
     }},
    {"quick-exit",
     [] {
       in_thread([] { mine = new Node; });
       std::_Exit(0);  // nothing is tidied up, and nothing looked at
     }},
    {"chain",
     [] {
       in_thread([] {
         for (int i = 0; i < 100; ++i) {
           auto* node = new Node;
           node->next = global;
           global = node;
         }
       });
     }},
    {"nothing", [] { in_thread([] { delete new Node; }); }},
};

}  // namespace

int main(int, char** argv) { kCases.at(argv[1])(); }
