// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that create files: each takes an inode, and if it has no block, the first free one (the file system of
// Flanagan and Godefroid, POPL 2005, with few inodes, so that threads meet).
//
// threads: 5
// states: 680

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifndef THREADS
#define THREADS 4
#endif
enum { kInodes = 2, kBlocks = 4 };

static pthread_mutex_t inode_locks[kInodes], block_locks[kBlocks];
static int inodes[kInodes], busy[kBlocks];
static atomic_int given;

static void* create(void* argument) {
  const int inode = (int)((long)argument % kInodes);
  pthread_mutex_lock(&inode_locks[inode]);
  for (int i = 0, block = inode * 2 % kBlocks; inodes[inode] == 0 && i < kBlocks; ++i, block = (block + 1) % kBlocks) {
    pthread_mutex_lock(&block_locks[block]);
    if (!busy[block]) {
      busy[block] = 1;
      inodes[inode] = block + 1;
      given++;
    }
    pthread_mutex_unlock(&block_locks[block]);
  }
  pthread_mutex_unlock(&inode_locks[inode]);
  return argument;
}

int main(void) {
  pthread_t threads[THREADS];
  for (int i = 0; i < kInodes; ++i) pthread_mutex_init(&inode_locks[i], 0);
  for (int i = 0; i < kBlocks; ++i) pthread_mutex_init(&block_locks[i], 0);
  for (long i = 0; i < THREADS; ++i) pthread_create(&threads[i], 0, create, (void*)i);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], 0);
  assert(given == kInodes && inodes[0] != inodes[1]);
}
