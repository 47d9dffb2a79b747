// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/bytes.hpp"

#include <gtest/gtest.h>

#include "support/random.hpp"

namespace thrum {
namespace {

enum class Colour : std::uint8_t { red, green };

TEST(Bytes, ReadsWhatWasWritten) {
  ByteWriter out;
  out.put(std::uint8_t{200});
  out.put(std::int32_t{-5});
  out.put(Colour::green);
  out.put(true);
  out.put(0.5);
  out.put_string("");
  out.put_string(std::string("a\0b", 3));
  std::string bytes = out.take();
  ByteReader in(bytes);
  EXPECT_EQ(in.get<std::uint8_t>(), 200);
  EXPECT_EQ(in.get<std::int32_t>(), -5);
  EXPECT_EQ(in.get<Colour>(), Colour::green);
  EXPECT_TRUE(in.get<bool>());
  EXPECT_EQ(in.get<double>(), 0.5);
  EXPECT_EQ(in.get_string(), "");
  EXPECT_EQ(in.get_string(), std::string("a\0b", 3));
  EXPECT_TRUE(in.ok());
  EXPECT_TRUE(in.at_end());
}

TEST(Bytes, PastTheEndThereAreZeros) {
  ByteReader in(std::string_view("\x07", 1));
  EXPECT_EQ(in.get<std::uint32_t>(), 0u);
  EXPECT_FALSE(in.ok());
  EXPECT_EQ(in.get<std::uint8_t>(), 0u);  // not the 7 that is still there
  EXPECT_EQ(in.get_string(), "");
  EXPECT_FALSE(in.ok());
}

TEST(Bytes, LengthsBeyondTheEndAreRefused) {
  ByteWriter out;
  out.put(std::uint32_t{1000});
  out.put(std::uint8_t{1});
  ByteReader list(out.bytes());
  EXPECT_EQ(list.get_count(), 0u);
  EXPECT_FALSE(list.ok());
  ByteReader text(out.bytes());
  EXPECT_EQ(text.get_string(), "");
  EXPECT_FALSE(text.ok());
}

// Any byte makes a bool, but only 0 and 1 make a good one.
TEST(Bytes, ABoolIsZeroOrOne) {
  ByteReader in(std::string_view("\x02", 1));
  in.get<bool>();
  EXPECT_FALSE(in.ok());
}

TEST(Random, RepeatsAndStaysInRange) {
  Random a(42);
  Random b(42);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.next(), b.next());
  Random c(a.state());
  EXPECT_EQ(a.next(), c.next());
  for (std::uint64_t limit : {1ull, 2ull, 10ull, 1ull << 63}) {
    for (int i = 0; i < 100; ++i) EXPECT_LT(a.below(limit), limit);
  }
}

class Collector final : public ByteWriter::Sink {
 public:
  void take(std::string_view bytes) override { all += bytes; }
  std::string all;
};

TEST(Bytes, GoToASinkAsTheyWouldBeKept) {
  Collector sink;
  ByteWriter handed_on(sink);
  ByteWriter kept;
  for (std::uint64_t i = 0; i < 500'000; ++i) {
    for (ByteWriter* out : {&handed_on, &kept}) {
      out->put(i);
      out->settle();
    }
  }
  EXPECT_LT(handed_on.bytes().size(), std::size_t{2} << 20);
  handed_on.flush();
  EXPECT_EQ(sink.all, kept.bytes());
  kept.flush();
  EXPECT_EQ(sink.all, kept.bytes()) << "there is nobody to hand it on to";
}

// The reference values of SplitMix64 for the seed 0.
TEST(Random, IsSplitMix64) {
  Random random(0);
  EXPECT_EQ(random.next(), 0xe220a8397b1dcdafu);
  EXPECT_EQ(random.next(), 0x6e789e6aa1b965f4u);
}

TEST(Random, MeetsEveryValueAboutAlike) {
  Random random(1);
  int counts[10] = {};
  for (int i = 0; i < 10'000; ++i) ++counts[random.below(10)];
  for (int count : counts) EXPECT_NEAR(count, 1000, 150);
}

}  // namespace
}  // namespace thrum
