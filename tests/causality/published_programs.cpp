// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A jump is `skip r3 0 n`: nothing is ever in r3.
#include "causality/published_programs.hpp"

#include "support/check.hpp"

namespace thrum {

namespace {

ToyCode parsed(const std::string& text) {
  const std::optional<ToyCode> code = parse(text);
  THRUM_CHECK(code);
  return *code;
}

// i = input; x = 2; y = 5; if (i == 3) { x++; lock(l); y--; unlock(l); }
constexpr const char* kWriter = R"(thread t1
input r0 2
store x0 2
store x1 5
skip r0 3 1
skip r3 0 6
add x0 r1 1
lock m0
load x1 r1
subtract r1 1
store x1 r1
unlock m0
)";

// while (j-- > 0) { lock(l); y++; unlock(l); }, two rounds. Its eighth instruction jumps behind them.
constexpr const char* kRounds = R"(skip r0 0 6
lock m0
load x1 r1
sum r1 1
store x1 r1
unlock m0
skip r3 0 1
skip r3 0 6
skip r0 1 5
lock m0
load x1 r1
sum r1 1
store x1 r1
unlock m0
)";

// x = 5; y = 0; if (x == sum) if (y == 2) ...
std::string reader(const std::string& sum, const std::string& then) {
  return "thread t3\nstore x0 5\nstore x1 0\nload x0 r0\nskip r0 " + sum + " 1\nskip r3 0 2\nload x1 r1\n" +
         then;
}

}  // namespace

ToyCode figure_2(AtTheEnd end) {
  const std::string then = end == AtTheEnd::fails ? "unequal r1 2\n" : "skip r1 2 0\n";
  return parsed(std::string("thread t0\ncreate t1\ncreate t2\ncreate t3\n") + kWriter +
                "thread t2\nstore x0 7\ninput r0 1\ninput r1 1\nsum r0 r1\n" + kRounds + reader("8", then));
}

ToyCode published_m(int more) {
  std::string text = "thread t0\ncreate t1\ncreate t2\ncreate t3\n";
  for (int i = 0; i < more; ++i) text += "create t" + std::to_string(4 + i) + "\n";
  text += std::string(kWriter) + "thread t2\nstore x0 7\ninput r0 2\nbelow r0 3 1\nskip r3 0 7\n" + kRounds +
          reader(std::to_string(8 + more), "skip r1 2 0\n");
  for (int i = 0; i < more; ++i)
    text += "thread t" + std::to_string(4 + i) + "\ninput r0 2\nskip r0 3 1\nskip r3 0 1\nadd x0 r1 1\n";
  return parsed(text);
}

ToyCode figure_5a() {
  return parsed(R"(thread t0
create t1
create t2
thread t1
input r0 1
input r1 1
skip r0 0 2
store x0 1
skip r3 0 2
skip r1 0 1
store x0 2
thread t2
load x0 r0
skip r0 2 0
)");
}

ToyCode path_that_s2_misses() {
  return parsed(R"(thread t0
input r0 3
store x1 r0
create t1
create t2
thread t1
load x1 r0
below r0 4 1
store x0 6
thread t2
load x0 r1
load x1 r0
subtract r0 r1
skip r0 1 0
)");
}

ToyCode micro_benchmark(int increments) {
  std::string text = "thread t0\ncreate t1\ncreate t2\njoin t1\njoin t2\nload x0 r0\n";
  for (int i = 0; i < increments; ++i) text += "sum r1 3\n";
  text += "unequal r0 r1\nthread t1\n";
  for (int i = 0; i < increments; ++i) {
    text += "load x0 r0\nsum r0 1\nstore x0 r0\nload x0 r1\nskip r1 r0 3\n";
    text += "load x0 r1\nsum r1 1\nstore x0 r1\n";
  }
  text += "thread t2\n";
  for (int i = 0; i < increments; ++i) text += "load x0 r0\nsum r0 1\nstore x0 r0\n";
  return parsed(text);
}

}  // namespace thrum
