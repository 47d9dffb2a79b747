#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <stdlib.h>
#include <wchar.h>
#include <ctype.h>

static int sign(int x) { return x < 0 ? -1 : x > 0; }

int main(void) {
  char a[64] = "hello, world", b[64];
  volatile int three = 3;
  printf("%zu %zu %zu\n", strlen(a), strnlen(a, (size_t)three), strnlen(a, 100));
  printf("%s|", strcpy(b, a));
  printf("%s|", strcat(b, "!!"));
  printf("%s|", strncat(b, "abcdef", (size_t)three));
  printf("%d\n", (int)(stpcpy(b, "xyz") - b));
  memset(b, 'q', sizeof b);
  strncpy(b, "ab", 5);
  for (int i = 0; i < 8; ++i) printf("%d ", b[i]);
  printf("%d\n", (int)(stpncpy(b, "abcdefgh", (size_t)three) - b));
  printf("%d %d %d %d\n", sign(strcmp("abc", "abd")), sign(strcmp(a, "hello, world")), sign(strncmp("abc", "abd", 2)), sign(strcmp("\xff", "a")));
  printf("%d %d %d\n", sign(strcasecmp("ABC", "abc")), sign(strncasecmp("ABz", "abC", (size_t)three)), sign(strcoll("b", "a")));
  printf("%d %d\n", sign(memcmp("ab\0c", "ab\0d", 4)), sign(memcmp("ab\0c", "ab\0d", 3)));
  printf("%s %s %s\n", strchr(a, 'o'), strrchr(a, 'o'), strchr(a, 'z') ? "yes" : "no");
  printf("%d %d\n", (int)(strchrnul(a, 'z') - a), (int)(strchr(a, 0) - a));
  printf("%s %s %s\n", strstr(a, "lo,"), strstr(a, "") == a ? "begin" : "?", strstr(a, "xx") ? "yes" : "no");
  printf("%s %s\n", strcasestr(a, "WORLD"), strpbrk(a, ",w"));
  printf("%zu %zu\n", strspn(a, "hel"), strcspn(a, ","));
  char* d = strdup(a);
  char* e = strndup(a, (size_t)three + 1);
  printf("%s %s\n", d, e);
  free(d);
  free(e);
  char list[] = ",,a,b;;c,";
  for (char* t = strtok(list, ",;"); t; t = strtok(NULL, ",;")) printf("[%s]", t);
  char list2[] = "one two  three";
  char* rest;
  for (char* t = strtok_r(list2, " ", &rest); t; t = strtok_r(NULL, " ", &rest)) printf("[%s]", t);
  char list3[] = "x::y";
  char* at = list3;
  for (char* t; (t = strsep(&at, ":"));) printf("<%s>", t);
  puts("");
  printf("%d %d\n", (int)((char*)memchr(a, 'w', 12) - a), memchr(a, 'z', 12) == NULL);
  printf("%d %d\n", (int)((char*)memrchr(a, 'l', 12) - a), (int)((char*)rawmemchr(a, ',') - a));
  printf("%d %d\n", (int)((char*)memmem(a, 12, "wor", 3) - a), memmem(a, 12, "xyz", 3) == NULL);
  printf("%d\n", (int)((char*)memccpy(b, a, ',', 20) - b));
  memmove(a + 2, a, 5);
  printf("%s\n", a);
  bzero(a, 3);
  printf("%d %d\n", a[0], a[3]);
  printf("%zu %s\n", strxfrm(b, "abc", sizeof b), b);
  wchar_t w[32], v[32];
  wcscpy(w, L"wide");
  wcscat(w, L" text");
  printf("%zu %d %d\n", wcslen(w), wcscmp(w, L"wide text"), wcscmp(L"a", L"b"));
  wcsncpy(v, w, 4);
  v[4] = 0;
  printf("%ls %ls %ls\n", v, wcsstr(w, L"te"), wcschr(w, L'x'));
  wmemset(v, L'z', 3);
  printf("%ls %d %d\n", v, wmemcmp(v, L"zzz", 3), (int)(wmemchr(w, L' ', 9) - w));
  wchar_t words[] = L"a b c", *state;
  for (wchar_t* t = wcstok(words, L" ", &state); t; t = wcstok(NULL, L" ", &state)) printf("(%ls)", t);
  printf("%zu %zu %ls\n", wcsspn(w, L"wid"), wcscspn(w, L" "), wcspbrk(w, L"t"));
  for (int c = -1; c < 256; ++c)
    printf("%d%d%d%d%d%d%d%d%d%d%d%d:%d:%d ", !!isalpha(c), !!isdigit(c), !!isspace(c), !!isupper(c), !!islower(c), !!ispunct(c),
           !!isprint(c), !!isgraph(c), !!iscntrl(c), !!isxdigit(c), !!isalnum(c), !!isblank(c), tolower(c), toupper(c));
  puts("");
  int numbers[] = {5, 3, 9, 1, 7};
  int compare(const void* x, const void* y);
  qsort(numbers, 5, sizeof numbers[0], compare);
  for (int i = 0; i < 5; ++i) printf("%d ", numbers[i]);
  int key = 7;
  printf("%d\n", (int)((int*)bsearch(&key, numbers, 5, sizeof key, compare) - numbers));
  return 0;
}
int compare(const void* x, const void* y) { return *(const int*)x - *(const int*)y; }
