// Structs of all kinds through `...`, in registers and on the stack.
#include <stdarg.h>
#include <stdio.h>

struct one { char c[1]; };
struct three { char c[3]; };
struct mixed { short a; float f; };
struct both { double d; int i; };
struct floats { float a, b, c; };
struct doubles { double a, b; };
struct pair { long a, b; };
struct big { long a, b, c; };
struct odd { char c[17]; };
struct wide { long double l; char c; };
struct aligned { _Alignas(16) long a; };

static void print(const char* name, const void* what, int size) {
  printf("%s", name);
  for (int i = 0; i < size; ++i) printf(" %02x", ((const unsigned char*)what)[i]);
  puts("");
}

static void show_one(char kind, va_list* at) {
#define TAKE(type)                           \
  {                                          \
    struct type x = va_arg(*at, struct type); \
    print(#type, &x, sizeof x);              \
    break;                                   \
  }
  switch (kind) {
    case 'i': printf("int %d\n", va_arg(*at, int)); break;
    case 'l': printf("long %ld\n", va_arg(*at, long)); break;
    case 'd': printf("double %g\n", va_arg(*at, double)); break;
    case 'L': printf("long double %Lg\n", va_arg(*at, long double)); break;
    case 'q': {
      const __int128 x = va_arg(*at, __int128);
      printf("wide %lx %lx\n", (long)(x >> 64), (long)x);
      break;
    }
    case '1': TAKE(one)
    case '3': TAKE(three)
    case 'm': {
      struct mixed x = va_arg(*at, struct mixed);
      printf("mixed %d %g\n", x.a, x.f);
      break;
    }
    case 'b': {
      struct both x = va_arg(*at, struct both);
      printf("both %g %d\n", x.d, x.i);
      break;
    }
    case 'f': TAKE(floats)
    case 'D': TAKE(doubles)
    case 'p': TAKE(pair)
    case 'B': TAKE(big)
    case 'o': TAKE(odd)
    case 'w': {
      struct wide x = va_arg(*at, struct wide);
      printf("wide %Lg %d\n", x.l, x.c);
      break;
    }
    case 'a': {
      struct aligned x = va_arg(*at, struct aligned);
      printf("aligned %ld\n", x.a);
      break;
    }
  }
}

__attribute__((noinline)) static void show(const char* kinds, ...) {
  va_list list, again;
  va_start(list, kinds);
  va_copy(again, list);
  for (const char* kind = kinds; *kind; ++kind) show_one(*kind, &list);
  for (const char* kind = kinds; *kind; ++kind) show_one(*kind, &again);
  va_end(list);
  va_end(again);
}

int main(void) {
  const struct one one = {{1}};
  const struct three three = {{1, 2, 3}};
  const struct mixed mixed = {4, 2.5f};
  const struct both both = {1.25, 7};
  const struct floats floats = {1, 2, 3};
  const struct doubles doubles = {4, 5};
  const struct pair pair = {6, 7};
  const struct big big = {8, 9, 10};
  const struct odd odd = {{1, 2, 3, 16}};
  const struct wide wide = {1.5L, 3};
  const struct aligned aligned = {11};
  const __int128 number = ((__int128)0x123456789abcdef << 64) | 0x1122334455667788;
  show("iB", 1, big);
  show("if", 1, floats);
  show("iiiiiipi", 1, 2, 3, 4, 5, 6, pair, 7);
  show("1i3imibifiDipiBioiwiaiqL", one, 1, three, 2, mixed, 3, both, 4, floats, 5, doubles, 6, pair, 7, big, 8, odd, 9,
       wide, 10, aligned, 11, number, 2.5L);
  show("dddddddddfDw", 1., 2., 3., 4., 5., 6., 7., 8., 9., floats, doubles, wide);
  show("L3Lq1wa", 1.L, three, 2.L, number, one, wide, aligned);
  return 0;
}
