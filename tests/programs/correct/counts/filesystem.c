// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// args: --strategy dpor
// expect: exhausted
// count dpor: 1024
//
// Twenty-three threads that each look for a free block for their inode; each inode and each block has a mutex
// (docs/semantics.md, "Known counts").
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

enum { kThreads = 23, kInodes = 32, kBlocks = 26, kTries = 10 };
static int inodes[kInodes];
static int busy[kBlocks];
static pthread_mutex_t inode_mutexes[kInodes];
static pthread_mutex_t block_mutexes[kBlocks];

static int take_block(int inode, int block) {
  pthread_mutex_lock(&block_mutexes[block]);
  int is_free = !busy[block];
  if (is_free) {
    busy[block] = 1;
    inodes[inode] = block + 1;
  }
  pthread_mutex_unlock(&block_mutexes[block]);
  return is_free;
}

static void* write_file(void* argument) {
  int inode = (int)(intptr_t)argument % kInodes;
  pthread_mutex_lock(&inode_mutexes[inode]);
  if (inodes[inode] == 0) {
    int block = 2 * inode % kBlocks;
    for (int i = 0; i < kTries && !take_block(inode, block); ++i) block = (block + 1) % kBlocks;
  }
  pthread_mutex_unlock(&inode_mutexes[inode]);
  return NULL;
}

int main(void) {
  for (int i = 0; i < kInodes; ++i) pthread_mutex_init(&inode_mutexes[i], NULL);
  for (int i = 0; i < kBlocks; ++i) pthread_mutex_init(&block_mutexes[i], NULL);
  pthread_t threads[kThreads];
  for (intptr_t i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, write_file, (void*)i);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  return 0;
}
