// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// qsort and bsearch. They call the program's function in the order in which glibc's do, with the same
// addresses: what a program does there may be seen by its other threads.
//
// qsort is a merge sort: it sorts both halves, the first the smaller one, and merges them into a second
// array, from where they go back. Elements of more than 32 bytes stay where they are while pointers to them
// are sorted; then each cycle of the permutation is moved. The second array lies on the stack or, from 1024
// bytes on, on the heap; where there is no heap, the array is sorted in place.
//
// Tested by tests/libraries/sorting_test.cpp.
#include <stddef.h>

void* malloc(size_t size);
void free(void* block);

typedef int (*Compare)(const void*, const void*, void*);
typedef int (*PlainCompare)(const void*, const void*);

enum { kOnStack = 1024, kMoved = 32 };

static void copy(char* to, const char* from, size_t size) {
  for (size_t i = 0; i < size; ++i) to[i] = from[i];
}

static void swap(char* left, char* right, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    const char byte = left[i];
    left[i] = right[i];
    right[i] = byte;
  }
}

struct Sort {
  size_t size;  // of what is moved: an element, or a pointer to one
  int by_pointers;
  Compare compare;
  void* argument;
  char* room;
};

static int is_ordered(const struct Sort* sort, char* left, char* right) {
  if (sort->by_pointers) return sort->compare(*(void**)left, *(void**)right, sort->argument) <= 0;
  return sort->compare(left, right, sort->argument) <= 0;
}

static void merge_sort(const struct Sort* sort, char* first, size_t count) {
  if (count <= 1) return;
  const size_t size = sort->size;
  size_t left_count = count / 2, right_count = count - left_count;
  char *left = first, *right = first + left_count * size;
  merge_sort(sort, left, left_count);
  merge_sort(sort, right, right_count);
  char* out = sort->room;
  while (left_count > 0 && right_count > 0) {
    if (is_ordered(sort, left, right)) {
      copy(out, left, size);
      left += size;
      --left_count;
    } else {
      copy(out, right, size);
      right += size;
      --right_count;
    }
    out += size;
  }
  copy(out, left, left_count * size);
  // What is left of the second half is in its place.
  copy(first, sort->room, (count - right_count) * size);
}

// Moves the elements to where the sorted pointers say. room: for one element.
static void permute(char* first, size_t count, size_t size, char** pointers, char* room) {
  for (size_t i = 0; i < count; ++i) {
    char* here = first + i * size;
    if (pointers[i] == here) continue;
    copy(room, here, size);
    size_t at = i;
    while (pointers[at] != here) {
      char* from = pointers[at];
      copy(first + at * size, from, size);
      pointers[at] = first + at * size;
      at = (size_t)(from - first) / size;
    }
    copy(first + at * size, room, size);
    pointers[at] = first + at * size;
  }
}

// A heap sort, which needs no memory.
static void sift(char* first, size_t at, size_t count, size_t size, Compare compare, void* argument) {
  for (size_t child = 2 * at + 1; child < count; child = 2 * at + 1) {
    if (child + 1 < count && compare(first + child * size, first + (child + 1) * size, argument) < 0) ++child;
    if (compare(first + at * size, first + child * size, argument) >= 0) return;
    swap(first + at * size, first + child * size, size);
    at = child;
  }
}

static void sort_in_place(char* first, size_t count, size_t size, Compare compare, void* argument) {
  for (size_t i = count / 2; i > 0; --i) sift(first, i - 1, count, size, compare, argument);
  for (size_t end = count; end > 1; --end) {
    swap(first, first + (end - 1) * size, size);
    sift(first, 0, end - 1, size, compare, argument);
  }
}

void qsort_r(void* array, size_t count, size_t size, Compare compare, void* argument) {
  const int by_pointers = size > kMoved;
  const size_t needed = by_pointers ? 2 * count * sizeof(void*) + size : count * size;
  _Alignas(16) char small[kOnStack];
  char* room = needed < kOnStack ? small : malloc(needed);
  if (room == NULL) {
    sort_in_place(array, count, size, compare, argument);
    return;
  }
  struct Sort sort = {size, by_pointers, compare, argument, room};
  if (by_pointers) {
    sort.size = sizeof(void*);
    char** pointers = (char**)room + count;
    for (size_t i = 0; i < count; ++i) pointers[i] = (char*)array + i * size;
    merge_sort(&sort, (char*)pointers, count);
    permute(array, count, size, pointers, (char*)(pointers + count));
  } else {
    merge_sort(&sort, array, count);
  }
  if (room != small) free(room);
}

// The function without an argument, called by one with it.
static int call_plain(const void* left, const void* right, void* compare) {
  return (*(PlainCompare*)compare)(left, right);
}

void qsort(void* array, size_t count, size_t size, PlainCompare compare) {
  qsort_r(array, count, size, call_plain, &compare);
}

void* bsearch(const void* key, const void* array, size_t count, size_t size, PlainCompare compare) {
  size_t least = 0, end = count;
  while (least < end) {
    const size_t middle = (least + end) / 2;
    const char* at = (const char*)array + middle * size;
    const int order = compare(key, at);
    if (order == 0) return (void*)at;
    if (order < 0) {
      end = middle;
    } else {
      least = middle + 1;
    }
  }
  return NULL;
}
