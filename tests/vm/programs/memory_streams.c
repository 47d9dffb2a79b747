// Streams that read memory, counts in formats, texts that scanf allocates, addresses, sorting.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static int by_value(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }
static int by_argument(const void* a, const void* b, void* sign) {
  return *(int*)sign * (*(const short*)a - *(const short*)b);
}

static void streams(void) {
  char content[] = "first line\nsecond 12\nlast";
  FILE* file = fmemopen(content, sizeof content, "r");
  char line[32];
  while (fgets(line, sizeof line, file)) printf("<%s>", line);
  printf("%d %d %d\n", feof(file), ferror(file), fgetc(file));
  printf("%d\n", fclose(file));
  file = fmemopen(content, 14, "r");
  char* text = NULL;
  size_t size = 0;
  ssize_t length;
  while ((length = getline(&text, &size, file)) > 0) printf("%zd %s|", length, text);
  free(text);
  fclose(file);
  file = fmemopen(content, sizeof content, "r");
  printf("%zu ", fread(line, 1, 5, file));
  printf("%.5s %d", line, ungetc('u', file));
  printf(" %c%c", getc(file), getc(file));
  text = NULL;
  size = 0;
  printf(" %zd", getdelim(&text, &size, 'l', file));
  printf(" %s\n", text);
  free(text);
  fclose(file);
}

static void formats(void) {
  volatile int number = 42;
  int count;
  long long_count;
  signed char short_count;
  printf("%d%n and %s%ln more%hhn\n", number, &count, "text", &long_count, &short_count);
  printf("%d %ld %d\n", count, long_count, short_count);
  wchar_t wide[40];
  swprintf(wide, 40, L"%d wide%n", number, &count);
  printf("%ls %d\n", wide, count);
  char *word, *set, *letters;
  int n = sscanf("word [1234] xyz", "%ms [%m[0-9]] %3mc", &word, &set, &letters);
  printf("%d %s %s %.3s\n", n, word, set, letters);
  free(word);
  free(set);
  free(letters);
}

static void sorting(void) {
  int numbers[100];
  for (int i = 0; i < 100; ++i) numbers[i] = (i * 37 + 11) % 101;
  qsort(numbers, 100, sizeof numbers[0], by_value);
  for (int i = 0; i < 100; ++i) printf("%d ", numbers[i]);
  short others[9] = {3, 1, 4, 1, 5, 9, 2, 6, 5};
  int sign = -1;
  qsort_r(others, 9, sizeof others[0], by_argument, &sign);
  for (int i = 0; i < 9; ++i) printf("%d ", others[i]);
  printf("%d\n", *(int*)bsearch(&numbers[40], numbers, 100, sizeof numbers[0], by_value) == numbers[40]);
  qsort(numbers, 0, 4, by_value);
}

static void addresses(void) {
  unsigned char address[16];
  char text[64];
  printf("%d ", inet_pton(AF_INET, "10.20.30.40", address));
  printf("%s %d ", inet_ntop(AF_INET, address, text, sizeof text), inet_pton(AF_INET, "nonsense", address));
  printf("%d ", inet_pton(AF_INET6, "fe80::1:2", address));
  printf("%s %d\n", inet_ntop(AF_INET6, address, text, sizeof text), inet_ntop(AF_INET6, address, text, 3) == NULL);
}

int main(void) {
  streams();
  formats();
  sorting();
  addresses();
  void* block = valloc(10);
  void* pages = pvalloc(10);
  printf("%d %d\n", ((size_t)block & 4095) == 0, ((size_t)pages & 4095) == 0);
  free(block);
  free(pages);
  return 0;
}
