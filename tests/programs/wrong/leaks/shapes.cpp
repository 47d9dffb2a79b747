// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// args: --leaks
// case thread: bug leak preemptions=0
// case main: bug leak preemptions=0
// case exit: bug leak preemptions=0
// case circle: bug leak preemptions=0
// case list: bug leak preemptions=0
// case aligned: bug leak preemptions=0
// case strdup: bug leak preemptions=0
// case reused: bug leak preemptions=0
// case local: bug leak preemptions=0
// case disabled-before: bug leak preemptions=0
// case last-thread: bug leak preemptions=0
// case freed-holder: bug leak preemptions=0
// compilers: both
//
// What is lost, in every schedule.
#include <pthread.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>

extern "C" void __lsan_disable();
extern "C" void __lsan_enable();

struct Node {
  std::shared_ptr<Node> next;
  Node* plain = nullptr;
  char bytes[40] = {};
};

// Of the whole program, or compilers leave the allocations out.
volatile bool always = true;
thread_local Node* mine = nullptr;

namespace {

template <typename Body>
void in_thread(Body body) {
  std::thread(body).join();
}

// So that no register or dead frame of main's is left with a pointer.
[[gnu::noinline]] void make(const std::string& which) {
  if (which == "thread") in_thread([] { mine = new Node; });
  if (which == "main" || which == "exit") {
    in_thread([] {});
    Node* volatile lost = new Node;
    lost = nullptr;
  }
  if (which == "circle") {
    in_thread([] {
      auto a = std::make_shared<Node>();
      a->next = std::make_shared<Node>();
      a->next->next = a;
    });
  }
  if (which == "list") {
    in_thread([] {
      auto* first = new Node;
      first->plain = new Node;
      first->plain->plain = new Node;
      mine = first;
    });
  }
  if (which == "aligned") in_thread([] { mine = static_cast<Node*>(std::aligned_alloc(256, 512)); });
  if (which == "strdup") in_thread([] { mine = reinterpret_cast<Node*>(strdup("nobody frees this")); });
  if (which == "disabled-before") {
    in_thread([] {
      __lsan_disable();
      free(malloc(1));
      __lsan_enable();
      mine = new Node;
    });
  }
  if (which == "freed-holder") {
    in_thread([] {
      mine = new Node;
      mine->plain = new Node;
      delete mine;
    });
  }
}

}  // namespace

int main(int, char** argv) {
  const std::string which = argv[1];
  void* old = std::malloc(77);
  if (which == "reused") {
    std::thread worker([old] {
      std::free(old);
      // The same block, which is older than the execution but for its new use.
      mine = static_cast<Node*>(std::malloc(77));
    });
    old = nullptr;
    worker.join();
    return 0;
  }
  if (which == "last-thread") {
    static pthread_t main_thread = pthread_self();
    std::free(old);
    std::thread([] {
      pthread_join(main_thread, nullptr);
      Node* volatile lost = new Node;
      lost = nullptr;
    }).detach();
    pthread_exit(nullptr);
  }
  make(which);
  std::free(old);
  if (which == "local") {
    Node* local = nullptr;
    std::thread([&local] { local = new Node; }).join();
    if (always) return 0;  // main's frame is gone with it
  }
  if (which == "exit") std::exit(0);
}
