// Members of a union without a name are cleared alone.
// kiss 2: {}
// lazy 1: {}
#include <assert.h>
static int g = 2;
struct deep {
  int k;
  union {
    int u;
    short v;
  };
  struct {
    int x, y;
  };
  int z;
};
int main(void) {
  struct deep d = {g, .z = 3};
  if (d.k != 2 || d.u != 0 || d.y != 0 || d.z != 3) __assert_fail("0", "f", 1, "f");
  return 0;
}
