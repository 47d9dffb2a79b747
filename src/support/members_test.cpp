// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/members.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace thrum {
namespace {

struct Inner {
  std::vector<int> numbers;
  void save(ByteWriter& out) const { out.put_all(numbers); }
  void load(ByteReader& in) { in.get_all(numbers); }
  friend bool operator==(const Inner&, const Inner&) = default;
};

enum class Color : std::uint8_t { red, green };

struct Outer {
  Inner inner;
  std::vector<double> list;
  std::optional<std::uint32_t> maybe;
  bool flag = false;
  Color color = Color::red;
  double last = 0;
  std::string text;
  std::vector<bool> bits;
  std::vector<std::vector<int>> lists;
  std::vector<Inner> inners;
  std::map<int, std::vector<int>> by_number;
  std::set<std::pair<int, Color>> pairs;

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.inner, self.list, self.maybe, self.flag, self.color, self.last, self.text, self.bits,
                    self.lists, self.inners, self.by_number, self.pairs);
  }
  friend bool operator==(const Outer&, const Outer&) = default;
};

TEST(Members, AreLoadedAsTheyWereSaved) {
  const Outer full{{{1, 2}},
                   {0.5},
                   7,
                   true,
                   Color::green,
                   2.5,
                   "text",
                   {true, false, true},
                   {{1}, {}, {2, 3}},
                   {{{4}}, {}},
                   {{5, {6, 7}}},
                   {{8, Color::red}}};
  for (const Outer& saved : {full, Outer()}) {
    ByteWriter out;
    save_member(out, saved);
    Outer loaded = full;
    ByteReader in(out.bytes());
    load_member(in, loaded);
    EXPECT_TRUE(in.ok() && in.at_end());
    EXPECT_EQ(loaded, saved);
  }
}

TEST(Members, ThatAreCutOffAreNoticed) {
  ByteWriter out;
  Outer loaded;
  save_member(out, loaded);
  ByteReader in(std::string_view(out.bytes()).substr(0, out.bytes().size() - 1));
  load_member(in, loaded);
  EXPECT_FALSE(in.ok());
}

}  // namespace
}  // namespace thrum
