// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/digest.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace thrum {
namespace {

TEST(StreamDigest, IsTheSameHoweverBytesAreDivided) {
  std::string bytes;  // longer than what is buffered
  while (bytes.size() < 1000) bytes += "several words, " + std::to_string(bytes.size());
  auto digest_of = [&](std::size_t portion) {
    StreamDigest digest;
    for (std::size_t i = 0; i < bytes.size(); i += portion)
      digest.add(std::string_view(bytes).substr(i, portion));
    return digest.value();
  };
  for (std::size_t portion :
       {std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{64}, std::size_t{1000}})
    EXPECT_EQ(digest_of(portion), digest_of(bytes.size())) << portion;
  StreamDigest empty;
  StreamDigest zeros;
  zeros.add(std::string(8, '\0'));
  EXPECT_NE(empty.value(), zeros.value());
}

TEST(Digest, DiffersWithBytesOrderAndDivision) {
  auto digest_of = [](const std::vector<std::string>& parts) {
    Digest digest;
    for (const std::string& part : parts) digest.add(part.data(), part.size());
    return digest.value();
  };
  std::set<std::uint64_t> digests;
  const std::vector<std::vector<std::string>> all{
      {}, {""}, {"", ""}, {"ab"}, {"a", "b"}, {"b", "a"}, {"ab", ""}, {std::string(300, 'a')}};
  for (const std::vector<std::string>& parts : all) digests.insert(digest_of(parts));
  EXPECT_EQ(digests.size(), all.size());
  EXPECT_EQ(digests.count(0), 0U);

  Digest first;
  first.add("a", 1);
  Digest resumed;
  resumed.set_state(first.state());
  resumed.add("b", 1);
  EXPECT_EQ(resumed.value(), digest_of({"a", "b"}));
}

}  // namespace
}  // namespace thrum
