// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/arguments.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "verdict/error.hpp"

namespace thrum {
namespace {

using Words = std::vector<std::string>;

bool compiles(const Words& words) { return understand(words).compiles; }
bool links(const Words& words) { return understand(words).links; }

TEST(Understand, CompilesAndLinks) {
  for (const Words& words : {Words{"a.cpp"},
                             {"a.c", "-o", "a"},
                             {"-x", "c++", "-"},
                             {"a.s"},
                             {"a.S", "b.o"},
                             {"-xc++", "a.txt"},
                             {"-x", "c++", "a.hpp"},
                             {"--", "a.cpp"},
                             {"-shared", "a.cpp"}}) {
    EXPECT_TRUE(compiles(words)) << testing::PrintToString(words);
    EXPECT_TRUE(links(words)) << testing::PrintToString(words);
  }
}

TEST(Understand, StopsBeforeLinking) {
  for (const char* flag : {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "-r"}) {
    EXPECT_TRUE(compiles({flag, "a.cpp"})) << flag;
    EXPECT_FALSE(links({flag, "a.cpp"})) << flag;
  }
  for (const char* flag : {"-MD", "-MMD", "-save-temps", "-pipe", "-###", "-v"}) {
    EXPECT_TRUE(links({flag, "a.cpp"})) << flag << " does not";
  }
  EXPECT_FALSE(links({"-dM", "-E", "-"}));
  EXPECT_FALSE(links({"-r", "a.o", "b.o", "-o", "c.o"}));
}

TEST(Understand, InputsWithTheirLanguages) {
  const Request request = understand(
      {"-O2", "a.cpp", "-x", "c", "b.txt", "-", "-xnone", "c.o", "d.S", "e.hpp", "-x", "assembler", "f"});
  std::vector<std::string> seen;
  constexpr const char* kKinds[] = {"source", "assembler", "header", "linked"};
  for (const Input& input : request.inputs)
    seen.push_back(std::to_string(input.word) + " " + input.file + " " + input.language + " " +
                   kKinds[static_cast<int>(input.kind)]);
  EXPECT_EQ(seen, (Words{"1 a.cpp  source", "4 b.txt c source", "5 - c source", "7 c.o  linked",
                         "8 d.S  assembler", "9 e.hpp  header", "12 f assembler assembler"}));
}

TEST(Understand, Product) {
  EXPECT_EQ(understand({"a.cpp", "-o", "a"}).product, Product::program);
  EXPECT_EQ(understand({"-r", "a.cpp", "-o", "a.o"}).product, Product::program);
  EXPECT_EQ(understand({"-c", "a.cpp"}).product, Product::objects);
  for (const char* flag : {"-S", "-E", "-M", "-MM", "-fsyntax-only", "-emit-llvm", "-###"}) {
    EXPECT_EQ(understand({flag, "-c", "a.cpp"}).product, Product::other) << flag;
    EXPECT_EQ(understand({"-c", "a.cpp", flag}).product, Product::other) << flag;
  }
}

TEST(Understand, OutputAndRoles) {
  EXPECT_EQ(understand({"a.cpp"}).output, "");
  for (const Words& words : {Words{"-o", "x y", "a.cpp"},
                             {"-ox y", "a.cpp"},
                             {"a.cpp", "--output=x y"},
                             {"-o", "z", "a.cpp", "--output", "x y"}})
    EXPECT_EQ(understand(words).output, "x y") << testing::PrintToString(words);
  using enum WordRole;
  const Words words = {"-I",  "-c", "-c", "-x",         "c",        "-MF", "-o", "-o", "a",
                       "-lm", "-l", "m",  "-Wl,-z,now", "-Xlinker", "-s",  "b",  "--", "-c"};
  EXPECT_EQ(
      understand(words).roles,
      (std::vector<WordRole>{option, option, object_only, language, language, option, option, output, output,
                             linked, linked, linked, linked, linked, linked, input, end_of_options, input}));
}

TEST(Understand, LinksOnly) {
  for (const Words& words : {Words{"a.o", "libb.a"},
                             {"a.o", "-o", "a.cpp"},
                             {"libc.so.6"},
                             {"-lfoo"},
                             {"-l", "foo"},
                             {"-Wl,--whole-archive,libx.a,--no-whole-archive"},
                             {"-Xlinker", "x.o"},
                             {"unknown.ending"},
                             {"a.o", "-include", "b.hpp"},
                             {"-x", "none", "a.o"}}) {
    EXPECT_FALSE(compiles(words)) << testing::PrintToString(words);
    EXPECT_TRUE(links(words)) << testing::PrintToString(words);
  }
}

TEST(Understand, PrecompiledHeaders) {
  for (const Words& words : {Words{"a.hpp"}, {"a.h", "-o", "a.h.gch"}, {"-x", "c++-header", "a.txt"}}) {
    EXPECT_TRUE(compiles(words)) << testing::PrintToString(words);
    EXPECT_FALSE(links(words)) << testing::PrintToString(words);
  }
}

TEST(Understand, NoInput) {
  for (const Words& words : {Words{},
                             {"--version"},
                             {"-v"},
                             {"-dumpversion"},
                             {"-dumpmachine", "-o", "a"},
                             {"-print-file-name=libc.so"},
                             {"-Wl,--version"},
                             {"-Wl,-rpath,/a,-v"},
                             {"-Xlinker", "--help"},
                             {"-I", "a.cpp"},
                             {"-O2", "-isystem", "b.cpp"}}) {
    EXPECT_FALSE(compiles(words)) << testing::PrintToString(words);
    EXPECT_FALSE(links(words)) << testing::PrintToString(words);
  }
}

class ResponseFiles : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "thrum-arguments-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // The word that stands for a file of this content.
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name) << text;
    return "@" + folder_ + "/" + name;
  }

  std::string folder_;
};

TEST_F(ResponseFiles, Words) {
  std::string one = file("one", "-c  a.cpp\n-DX='a b' \"-DY=c \\\"d\" e\\ f\t''");
  EXPECT_EQ(expand_response_files({"-O1", one, "z"}),
            (Words{"-O1", "-c", "a.cpp", "-DX=a b", "-DY=c \"d", "e f", "", "z"}));
}

TEST_F(ResponseFiles, Nested) {
  std::string inner = file("inner", "-c");
  std::string outer = file("outer", "-O2 " + inner + " a.cpp");
  EXPECT_EQ(expand_response_files({outer}), (Words{"-O2", "-c", "a.cpp"}));
}

TEST_F(ResponseFiles, ThatAreNone) {
  Words words = {"@", "@" + folder_, "@" + folder_ + "/missing"};
  EXPECT_EQ(expand_response_files(words), words);
}

TEST_F(ResponseFiles, ThatHoldThemselvesEnd) {
  std::string self = "@" + folder_ + "/self";
  file("self", "-c " + self);
  Words words = expand_response_files({self});
  EXPECT_EQ(words.front(), "-c");
  EXPECT_EQ(words.back(), self);
}

TEST(Refuse, WhatCannotBeChecked) {
  for (const char* flag : {"-static", "--static", "-static-pie", "-m32", "-fsanitize=address",
                           "-fsanitize=leak", "-fsanitize=undefined,memory", "-fsanitize=kernel-hwaddress",
                           "-fno-sanitize=thread", "-fno-sanitize=undefined,all"}) {
    EXPECT_THROW(refuse_unsuitable({flag, "a.cpp"}), UserError) << flag;
  }
}

TEST(Refuse, NothingElse) {
  for (const char* flag :
       {"-static-libstdc++", "-static-libgcc", "-fsanitize=undefined", "-fsanitize=thread",
        "-fno-sanitize=address", "-fsanitize-recover=address", "-m64", "-fsanitize=vptr,bounds"}) {
    EXPECT_NO_THROW(refuse_unsuitable({flag, "a.cpp"})) << flag;
  }
  EXPECT_NO_THROW(refuse_unsuitable({"-o", "-static", "a.cpp"})) << "a file's name";
  EXPECT_NO_THROW(refuse_unsuitable({"-fsanitize=address,undefined", "-fno-sanitize=address"}));
  EXPECT_NO_THROW(refuse_unsuitable({"-fno-sanitize=thread", "a.o"})) << "links only";
  EXPECT_NO_THROW(refuse_unsuitable({"-fno-sanitize=all", "-fsanitize=thread", "a.cpp"}))
      << "the last one counts";
}

}  // namespace
}  // namespace thrum
