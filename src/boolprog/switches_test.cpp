// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "boolprog/switches.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace thrum::bp {
namespace {

using Texts = std::vector<std::string>;

// The procedure's statements at the places.
Texts statements(const Flow& flow, const std::string& procedure, const std::vector<bool>& places) {
  Texts result;
  for (Pc pc = 0; pc < flow.code.size(); ++pc) {
    const Instruction& one = flow.code[pc];
    if (places[pc] && flow.procedures[one.procedure].name == procedure) result.push_back(one.text);
  }
  return result;
}

TEST(Switches, AreWhereThreadsMeet) {
  Flow flow = to_flow(parse("decl shared, own, other;"
                            "void a() begin decl l; l := own; own := !l; shared := l; own := l; skip; end "
                            "void b() begin skip; other := shared; other := T; end"),
                      {"a", "b"});
  std::vector<SwitchPlaces> places = switch_places(flow);
  ASSERT_EQ(places.size(), 3);
  EXPECT_EQ(statements(flow, "a", places[0].begins), Texts({"shared := l"}));
  EXPECT_EQ(statements(flow, "a", places[0].ends), Texts({"shared := l", "own := l"}));
  EXPECT_TRUE(places[0].ends[flow.code.size()]);
  EXPECT_EQ(statements(flow, "b", places[1].begins), Texts({"other := shared"}));
  EXPECT_EQ(statements(flow, "b", places[1].ends), Texts({"other := shared", "other := T"}));
}

TEST(Switches, AreAtReturnsThatAssignGlobals) {
  Flow flow = to_flow(parse("decl shared;"
                            "bool f() begin return T; end "
                            "void a() begin shared := f(); skip; end "
                            "void b() begin decl l; l := shared; end"),
                      {"a", "b"});
  std::vector<SwitchPlaces> places = switch_places(flow);
  EXPECT_EQ(statements(flow, "f", places[0].begins), Texts({"return T", "return"}));
  EXPECT_EQ(statements(flow, "a", places[0].begins), Texts());
  EXPECT_EQ(statements(flow, "a", places[0].ends), Texts({"skip"}));
}

TEST(Switches, OfThreadsOfOneProcedure) {
  Flow flow = to_flow(parse("decl g; void a() begin g := !g; end"), {"a", "a"});
  EXPECT_EQ(statements(flow, "a", switch_places(flow)[1].begins), Texts({"g := !g"}));
  flow = to_flow(parse("decl g; void a() begin g := !g; end"), {"a"});
  EXPECT_EQ(statements(flow, "a", switch_places(flow)[0].begins), Texts());
}

TEST(Switches, OfThreadsThatAreStarted) {
  Flow flow = to_flow(parse("decl g; void main() begin start_thread child(); skip; end "
                            "void child() begin g := !g; end"),
                      {});
  std::vector<SwitchPlaces> places = switch_places(flow);
  EXPECT_EQ(statements(flow, "main", places[0].begins), Texts({"start_thread child()"}));
  EXPECT_EQ(statements(flow, "child", places[1].begins), Texts({"g := !g"}));
}

}  // namespace
}  // namespace thrum::bp
