// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linked lists in a hash table: pointers that are followed, malloc and free.
#include <stdio.h>
#include <stdlib.h>

enum { kLists = 4096, kInserted = 50000, kRounds = 10 };

struct Node {
  struct Node* next;
  unsigned key, count;
};
static struct Node* lists[kLists];

int main(void) {
  unsigned random = 1;
  unsigned long sum = 0;
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kInserted; ++i) {
      random = random * 1664525u + 1013904223u;
      const unsigned key = random >> 8;
      struct Node** const list = &lists[key % kLists];
      struct Node* node = *list;
      while (node && node->key != key) node = node->next;
      if (!node) {
        node = malloc(sizeof *node);
        node->key = key;
        node->count = 0;
        node->next = *list;
        *list = node;
      }
      sum += ++node->count;
    }
    for (int i = 0; i < kLists; ++i) {
      while (lists[i]) {
        struct Node* const node = lists[i];
        lists[i] = node->next;
        free(node);
      }
    }
  }
  printf("%lu\n", sum);
}
