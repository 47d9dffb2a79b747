#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <stddef.h>

static void whole(const char* text, int base) {
  char* end;
  errno = 0;
  long a = strtol(text, &end, base);
  printf("%s/%d: %ld %d %s;", text, base, a, (int)(end - text), strerror(errno));
  errno = 0;
  unsigned long b = strtoul(text, &end, base);
  printf(" %lu %d %d;", b, (int)(end - text), errno);
  errno = 0;
  long long c = strtoll(text, NULL, base);
  unsigned long long d = strtoull(text, NULL, base);
  printf(" %lld %llu %jd %ju\n", c, d, strtoimax(text, NULL, base), strtoumax(text, NULL, base));
}
static void real(const char* text) {
  char* end;
  errno = 0;
  double a = strtod(text, &end);
  printf("%s: %.17g %d %d;", text, a, (int)(end - text), errno);
  float b = strtof(text, &end);
  printf(" %.9g %d;", b, (int)(end - text));
  long double c = strtold(text, &end);
  printf(" %.21Lg %d %g\n", c, (int)(end - text), atof(text));
}
int main(void) {
  const char* const texts[] = {"0", "42", "-42", "  +17x", "0x1F", "077", "zz", "", "-", "0x", "99999999999999999999999", "-99999999999999999999999", "1e5"};
  const int bases[] = {0, 10, 16, 8, 36, 2};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
    for (size_t j = 0; j < sizeof bases / sizeof *bases; ++j) whole(texts[i], bases[j]);
  const char* const reals[] = {"0", "1.5", "-2.25e10", "1e400", "1e-400", "inf", "nan", "0x1.8p3", ".5", "5.", "abc", "1e", "  7 8", "3.14159265358979323846"};
  for (size_t i = 0; i < sizeof reals / sizeof *reals; ++i) real(reals[i]);
  printf("%d %ld %lld\n", atoi(" 12ab"), atol("-9999999999"), atoll("123456789012"));
  wchar_t* end;
  printf("%ld %g %lu\n", wcstol(L"12z", &end, 10), wcstod(L"2.5e3", &end), wcstoul(L"ff", NULL, 16));
  int a, b, n = -1;
  unsigned u;
  long l;
  short h;
  char c, s[20], t[20], set[20];
  float f;
  double d;
  long double ld;
  int count = sscanf("12 -34 0x1f 99999999999 7 word x1y", "%d %d %x %ld %hd %s %c%n", &a, &b, &u, &l, &h, s, &c, &n);
  printf("%d: %d %d %u %ld %d %s %c %d\n", count, a, b, u, l, h, s, c, n);
  count = sscanf("1.5 2.5e3 3.25 abc123 rest", "%f %lf %Lf %[a-z]%*d %5s", &f, &d, &ld, set, t);
  printf("%d: %g %g %Lg %s %s\n", count, f, d, ld, set, t);
  printf("%d ", sscanf("", "%d", &a));
  printf("%d ", sscanf("x", "%d", &a));
  printf("%d ", sscanf("5 x", "%d %d", &a, &b));
  printf("%d\n", sscanf("abc", "%2s%c", s, &c));
  wchar_t ws[10];
  printf("%d %ls\n", sscanf("wide", "%ls", ws), ws);
  printf("%d ", swscanf(L"8 nine", L"%d %s", &a, s));
  printf("%d %s\n", a, s);
  printf("%d %d\n", scanf("%d", &a), getchar());
  printf("%s|%5d|%-5d|%05d|%+d|% d|%x|%#x|%X|%o|%u\n", "text", 42, 42, 42, 42, 42, 255, 255, 255, 8, 4000000000u);
  printf("%hhd %hd %ld %lld %zu %jd %td\n", 300, 70000, 1L << 40, 1LL << 50, (size_t)7, (intmax_t)-1, (ptrdiff_t)-2);
  printf("%f %.2f %10.3f %-10.1f| %e %g %G %a\n", 1.5, 2.345, 3.14159, 2.5, 12345.678, 0.0001, 1e20, 1.0);
  printf("%Lf %.3Le %d %Lg\n", 1.5L, 2.5L, 7, 3.25L);
  printf("%*d|%-*d|%.*f|%.*s|%c%c|%%|%5s|%.2s\n", 6, 1, 6, 2, 2, 1.239, 2, "abcdef", 'a', 'b', "ab", "abcd");
  errno = ENOENT;
  printf("%m %p %s\n", NULL, (char*)NULL);
  char buffer[16];
  printf("%d %s\n", snprintf(buffer, sizeof buffer, "%s", "a text that is too long"), buffer);
  printf("%d %s\n", sprintf(buffer, "%d-%d", 1, 2), buffer);
  char* made;
  printf("%d ", asprintf(&made, "%s %Lg", "made", 2.5L));
  puts(made);
  free(made);
  wchar_t wide[32];
  printf("%d ", swprintf(wide, 32, L"%d %ls %s", 5, L"wide", "narrow"));
  printf("%ls\n", wide);
  printf("%d\n", swprintf(wide, 3, L"%d", 123456));
  return 0;
}
