// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// plain: no
//
// Bugs that only rounds have which come to nothing. So these must be checked like all others.
// case data_race: bug data-race          the data are read until the flag is set
// case assertion: bug assertion          what is asserted holds again when the flag is set
// case deadlock: bug deadlock            who polls takes two locks, and who sets the flag in the other order
// case freed_node: bug data-race         a node is read, and the compare-exchange behind that fails: it is freed
#include <pthread.h>

#include <atomic>

#include "../../cases.h"
#include "../../together.hpp"

static std::atomic<int> flag;

int data;
int sum;  // not static, or compilers would leave out what nobody reads
static void run_data_race() {
  together([] { while (flag.load() == 0) sum |= data; },  // reported: data_race
           [] {
             data = 1;  // reported: data_race
             flag.store(1);
           });
}

static std::atomic<int> is_changing;
static void run_assertion() {
  together(
      [] {
        while (flag.load() == 0) assert(is_changing.load() == 0);  // reported: assertion
      },
      [] {
        is_changing.store(1);
        is_changing.store(0);
        flag.store(1);
      });
}

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t second = PTHREAD_MUTEX_INITIALIZER;
static bool is_set;
static void run_deadlock() {
  together(
      [] {
        for (bool seen = false; !seen;) {
          pthread_mutex_lock(&first);
          pthread_mutex_lock(&second);
          seen = is_set;
          pthread_mutex_unlock(&second);
          pthread_mutex_unlock(&first);
        }
      },
      [] {
        pthread_mutex_lock(&second);
        pthread_mutex_lock(&first);
        is_set = true;
        pthread_mutex_unlock(&first);
        pthread_mutex_unlock(&second);
      });
}

// A stack that frees what it pops (Treiber 1986 leaves that open).
struct Node {
  Node* next;
};
static std::atomic<Node*> head;
static void pop() {
  Node* top = head.load();
  while (top != nullptr && !head.compare_exchange_strong(top, top->next)) {  // reported: freed_node
  }
  delete top;  // reported: freed_node
}
static void run_freed_node() {
  head.store(new Node{nullptr});
  together(pop, pop);
}

MAIN(CASE(data_race), CASE(assertion), CASE(deadlock), CASE(freed_node))
