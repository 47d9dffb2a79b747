#define _GNU_SOURCE
#include <complex.h>
#include <errno.h>
#include <fenv.h>
#include <math.h>
#include <stdio.h>

static volatile double values[] = {0.0, 0.5, -0.5, 1.0, 1.75, -2.5, 10.0, 123.456, -1e10, 1e-5};
static volatile double two = 2.0;
#define ONE(n) printf(#n " %a %a %La %d;", n(x), n##f((float)x), n##l((long double)x), errno), errno = 0;
#define TWO(n) printf(#n " %a %a %La %d;", n(x, y), n##f((float)x, (float)y), n##l((long double)x, (long double)y), errno), errno = 0;
#define TOI(n) printf(#n " %ld %ld %ld;", (long)n(x), (long)n##f((float)x), (long)n##l((long double)x));

int main(void) {
  for (int i = 0; i < 10; ++i) {
    double x = values[i], y = values[(i + 3) % 10];
    errno = 0;
    ONE(sin) ONE(cos) ONE(tan) ONE(asin) ONE(acos) ONE(atan) ONE(sinh) ONE(cosh) ONE(tanh) ONE(asinh) ONE(acosh) ONE(atanh)
    ONE(exp) ONE(exp2) ONE(expm1) ONE(log) ONE(log2) ONE(log10) ONE(log1p) ONE(sqrt) ONE(cbrt) ONE(floor) ONE(ceil) ONE(round)
    ONE(trunc) ONE(rint) ONE(nearbyint) ONE(fabs) ONE(erf) ONE(erfc) ONE(lgamma) ONE(tgamma) ONE(logb)
    TWO(pow) TWO(fmod) TWO(atan2) TWO(hypot) TWO(fdim) TWO(fmax) TWO(fmin) TWO(remainder) TWO(copysign) TWO(nextafter)
    TOI(lround) TOI(llround) TOI(lrint) TOI(llrint)
    int e, q;
    double w;
    float wf;
    long double wl;
    printf("%a %d %a %a %a %a\n", frexp(x, &e), e, modf(x, &w), w, modff((float)x, &wf), wf);
    printf("%La %La %a %d ", modfl(x, &wl), wl, remquo(x, y, &q), q & 7);
    printf("%a %a %a %d %a\n", ldexp(x, 3), scalbn(x, -2), fma(x, y, two), ilogb(x == 0 ? 1 : x), nexttoward(x, 1e300L));
    double s, c;
    sincos(x, &s, &c);
    printf("%a %a %d %d %d %d\n", s, c, isnan(sqrt(x)), isinf(exp(x * 1e6)), fpclassify(x), signbit(x) != 0);
    double complex z = x + y * I;
    double complex r = cexp(z);
    printf("%a %a %a", cabs(z), carg(z), creal(r));
    r = csqrt(z);
    printf(" %a %a", creal(r), cimag(r));
    float complex zf = (float)x + (float)y * I;
    zf = clogf(zf);
    printf(" %a %a\n", crealf(zf), cimagf(zf));
  }
  printf("%d\n", fegetround() == FE_TONEAREST);
  const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST};
  volatile double one = 1.0, three = 3.0;
  for (int i = 0; i < 4; ++i) {
    printf("%d ", fesetround(modes[i]));
    printf("%a %g %ld %d\n", one / three, rint(two + 0.3), lrint(-1.5), fegetround() == modes[i]);
  }
  printf("%g %g %g\n", nan(""), (double)nanf("1"), (double)INFINITY);
  return 0;
}
