// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: bug leak
//
// Where both read 2 nobody frees the block. In the other schedules one of them does.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
  atomic_int references;
  int data[10];
};

static void* release(void* argument) {
  struct node* node = argument;
  int left = atomic_load(&node->references) - 1;
  if (left == 0) {
    free(node);
  } else {
    atomic_store(&node->references, left);
  }
  return NULL;
}

static void use(void) {
  struct node* node = malloc(sizeof *node);
  atomic_init(&node->references, 2);
  pthread_t first, second;
  pthread_create(&first, NULL, release, node);
  pthread_create(&second, NULL, release, node);
  pthread_join(first, NULL);
  pthread_join(second, NULL);
}

int main(void) {
  use();
  return 0;
}
