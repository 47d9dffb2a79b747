// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads, comparisons and exchanges in an array, with calls.
#include <stdio.h>

enum { kCount = 1000000 };
static int numbers[kCount];

static void sort(int* a, int low, int high) {
  while (low < high) {
    const int pivot = a[(low + high) / 2];
    int i = low, j = high;
    while (i <= j) {
      while (a[i] < pivot) ++i;
      while (a[j] > pivot) --j;
      if (i > j) continue;
      const int kept = a[i];
      a[i++] = a[j];
      a[j--] = kept;
    }
    if (j - low < high - i) {
      sort(a, low, j);
      low = i;
    } else {
      sort(a, i, high);
      high = j;
    }
  }
}

int main(void) {
  unsigned random = 12345;
  for (int i = 0; i < kCount; ++i) {
    random = random * 1664525u + 1013904223u;
    numbers[i] = (int)(random >> 1);
  }
  sort(numbers, 0, kCount - 1);
  for (int i = 1; i < kCount; ++i)
    if (numbers[i - 1] > numbers[i]) return 1;
  printf("%d\n", numbers[kCount / 2]);
}
