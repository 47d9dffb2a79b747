// Products and quotients of complex numbers, those that are not finite included.
#include <complex.h>
#include <math.h>
#include <stdio.h>

#define SHOW(type, part)                                                                                \
  static void show_##part(type complex a, type complex b) {                                             \
    const type complex product = a * b, quotient = a / b;                                               \
    printf(#part " %La %La / %La %La\n", (long double)__real__ product, (long double)__imag__ product,  \
           (long double)__real__ quotient, (long double)__imag__ quotient);                             \
  }
SHOW(float, float)
SHOW(double, double)
SHOW(long double, extended)

int main(void) {
  const volatile double parts[] = {0, -0.0, 1.5, -2.25, 1e300, 1e-300, 1.0 / 3, INFINITY, -INFINITY};
  const int count = sizeof parts / sizeof parts[0];
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < count; ++k) {
      const double complex a = __builtin_complex(parts[i], parts[(i + 3) % count]), b = __builtin_complex(parts[k], parts[(k + 5) % count]);
      show_float(a, b);
      show_double(a, b);
      show_extended((long double complex)a / 3, b);
    }
  }
  return 0;
}
