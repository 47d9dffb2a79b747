// The value of an assignment to a bit field is what the field holds.
// kiss 2: {}
// lazy 1: {}
#include <assert.h>
static struct {
  unsigned a : 3;
  int b : 4;
} s;
int main(void) {
  if ((s.a = 9) != 1) __assert_fail("0", "f", 1, "f");
  if ((s.a += 7) != 0) __assert_fail("1", "f", 1, "f");
  if (--s.a != 7) __assert_fail("2", "f", 1, "f");
  if ((s.b = 8) != -8) __assert_fail("3", "f", 1, "f");
  return 0;
}
