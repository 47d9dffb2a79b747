// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each rule is shown to fire, on small bad trees made in a temporary folder, and not to fire on good ones.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "tidy/functions.hpp"
#include "tidy/rules.hpp"

namespace tidy {
namespace {

namespace fs = std::filesystem;

std::string repeat(const std::string& text, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

// A tree in a temporary folder, good until a test adds to it.
class TidyTest : public testing::Test {
 protected:
  TidyTest() {
    std::string name = (fs::temp_directory_path() / "tidy_test_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    root_ = name;
    write("src/README.md", "`model/` and `search/`\n");
    write("src/model/plan.hpp", "#pragma once\n#include \"model/id.hpp\"\n#include <vector>\n");
    write("src/search/dfs.cpp",
          "#include \"model/plan.hpp\"\n// Tested by dfs_test.cpp.\nint f() { return 0; }\n");
    write("src/search/dfs_test.cpp", "\n");
  }
  ~TidyTest() override { fs::remove_all(root_); }

  void write(const fs::path& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }

  // What is found in the tree, one a line.
  std::string findings() {
    std::istringstream declared("support:\nmodel: support\nsearch: model\ncli: search\n");
    std::ostringstream text;
    for (const Finding& finding : check(read_tree(root_), parse_dependencies(declared)))
      text << finding << "\n";
    return text.str();
  }

  fs::path root_;
};

TEST_F(TidyTest, GoodTree) { EXPECT_EQ(findings(), ""); }

TEST_F(TidyTest, LongFile) {
  write("src/model/a.cpp", repeat("\n", kFileLinesMax));
  EXPECT_EQ(findings(), "");
  write("src/model/a.cpp", repeat("\n", kFileLinesMax + 1));
  EXPECT_EQ(findings(), "src/model/a.cpp:801: the file has 801 lines; past 800 it holds two ideas\n");
  write("docs/a.md", repeat("\n", kFileLinesMax + 1));
  EXPECT_EQ(findings().find("docs/a.md"), std::string::npos);
}

TEST_F(TidyTest, LongFunction) {
  std::string body = repeat("  g();\n", kFunctionLinesMax - 2);
  write("src/model/a.cpp", "int f() {\n" + body + "}\n");
  EXPECT_EQ(findings(), "");
  write("src/model/a.cpp", "\nint f() {\n" + body + "\n}\n");
  EXPECT_EQ(findings(), "src/model/a.cpp:2: f has 71 lines; a function fits a screen, about 70\n");
}

TEST_F(TidyTest, IncludeAgainstTheArrows) {
  write("src/model/a.cpp", "#include \"search/dfs.hpp\"\n");
  EXPECT_EQ(findings(), "src/model/a.cpp:1: model may not depend on search: see DEPENDS in CMakeLists.txt\n");
}

TEST_F(TidyTest, LowerLayersAreImplied) {
  write("src/README.md", "`model/` `search/` `cli/`\n");
  write("src/cli/a.cpp", "#include \"support/check.hpp\"\n#include \"thrum/thrum.h\"\n");
  EXPECT_EQ(findings(), "");
}

TEST_F(TidyTest, IncludeWithoutFolder) {
  write("src/model/a.cpp", "#include \"plan.hpp\"\n");
  EXPECT_EQ(findings(), "src/model/a.cpp:1: an include names the folder: \"model/plan.hpp\"\n");
}

TEST_F(TidyTest, UnknownComponent) {
  write("src/README.md", "`model/` `search/` `misc/`\n");
  write("src/misc/a.cpp", "#include \"model/plan.hpp\"\n");
  EXPECT_EQ(findings(), "src/misc/a.cpp:1: src/misc is no component that CMake knows\n");
}

TEST_F(TidyTest, NamedFileIsMissing) {
  write("src/model/a.cpp", "int a;  // see b.cpp\n/* and\n   model/c.hpp. */\nconst char* d = \"d.cpp\";\n");
  write("docs/a.md", "Read `nowhere.md` (or gone.cpp).\n");
  EXPECT_EQ(findings(),
            "docs/a.md:1: nowhere.md does not exist in the tree\n"
            "docs/a.md:1: gone.cpp does not exist in the tree\n"
            "src/model/a.cpp:1: b.cpp does not exist in the tree\n"
            "src/model/a.cpp:3: model/c.hpp does not exist in the tree\n");
}

TEST_F(TidyTest, NamesThatPromiseNoFile) {
  write("docs/a.md",
        "plan.hpp, model/plan.hpp, `src/model/plan.hpp`; <sys/types.h>, *_test.cpp, _test.cpp, FILE.cpp, "
        "build/a.txt, "
        "https://example.org/a.txt, /usr/include/b.h, e.g. this.\n");
  EXPECT_EQ(findings(), "");
}

TEST_F(TidyTest, UndescribedFolder) {
  write("src/README.md", "`model/`\n");
  EXPECT_EQ(findings(), "src/README.md:1: src/search is not described\n");
}

TEST_F(TidyTest, UntidyLines) {
  // In two pieces, because the rule reads this file too.
  write("docs/a.md", std::string("fine\nspace \ntab\t\nsee /ho") + "me/me/x\na/ho" + "me/x\n");
  EXPECT_EQ(findings(),
            "docs/a.md:2: trailing whitespace\n"
            "docs/a.md:3: trailing whitespace\n"
            "docs/a.md:4: a path of somebody's machine\n");
}

TEST_F(TidyTest, BuildTreesAndBinariesAreLeftOut) {
  write("build/release/a.md", "space \n");
  write(".git/a.md", "space \n");
  write("docs/a.bin", std::string("space \n\0", 8));
  EXPECT_EQ(findings(), "");
}

TEST_F(TidyTest, Exceptions) {
  write("src/model/a.cpp", "// see b.cpp\nint f() {" + repeat("\n", 70) + "}\n" + repeat("\n", 800));
  write("tests/tidy/exceptions.txt",
        "# a comment\n"
        "file-length src/model/a.cpp a table\n"
        "function-length src/model/a.cpp:f an opcode switch\n"
        "named-file src/model/a.cpp:b.cpp an example's name\n");
  EXPECT_EQ(findings(), "");
}

TEST_F(TidyTest, ExceptionsThatAreNotNeededOrGiveNoReason) {
  write("src/model/a.cpp", "// see b.cpp\n");
  write("tests/tidy/exceptions.txt",
        "file-length src/model/a.cpp a table\nnamed-file src/model/a.cpp:b.cpp\n");
  EXPECT_EQ(findings(),
            "tests/tidy/exceptions.txt:1: nothing needs this exception\n"
            "tests/tidy/exceptions.txt:2: an exception gives its reason\n");
}

// `name@line+length`, for each function of the text.
std::string functions_of(const std::string& text) {
  std::istringstream in(text);
  File file{"a.cpp", {}};
  for (std::string line; std::getline(in, line);) file.lines.push_back(line);
  std::string result;
  for (const Function& function : find_functions(split(file).code)) {
    result +=
        function.name + "@" + std::to_string(function.line) + "+" + std::to_string(function.length) + " ";
  }
  return result;
}

TEST(Functions, Forms) {
  EXPECT_EQ(functions_of("int f(int a,\n      int b) {\n  if (a) {\n  }\n}\n"), "f@2+4 ");
  EXPECT_EQ(functions_of("namespace n {\nstruct alignas(64) S : B {\n int m() const {\n }\n};\n}\n"),
            "m@3+2 ");
  EXPECT_EQ(functions_of("TEST(A, b) {\n}\nextern \"C\" {\nvoid g(void) {\n}\n}\n"), "A.b@1+2 g@4+2 ");
  EXPECT_EQ(functions_of("template <class T>\nauto h(T t) -> int try {\n} catch (...) {\n}\n").substr(0, 6),
            "h@2+2 ");
}

TEST(Functions, BracesThatAreValues) {
  EXPECT_EQ(functions_of("int table[f(3)] = {\n1,\n2};\nenum class E : int {\na };\n"), "");
  std::string text = "S::S() : a_{1}, b_{f()} {\n  g();\n}\n";
  EXPECT_NE(functions_of(text).find("S::S@1+3"), std::string::npos) << functions_of(text);
}

TEST(Functions, BracesThatAreNone) {
  EXPECT_EQ(functions_of("int f() {  // {\n  g(\"{\", '{', R\"(\n{)\");  /* {\n { */\n  return 1'000;\n}\n"),
            "f@1+6 ");
  EXPECT_EQ(functions_of("#define M() {\\\n  {\nint f() {\n}\n"), "f@3+2 ");
}

}  // namespace
}  // namespace tidy
