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

  // What is found in the tree, one a line. A folder is declared with its subfolders behind it.
  std::string findings() {
    std::istringstream declared(
        "support:\nmodel: support\nsearch: model\nsearch/random: search\ncli: search search/random\n");
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

TEST_F(TidyTest, SubfoldersAreFoldersOfTheirOwn) {
  write("src/README.md", "`model/`, `search/` and `search/random/`\n");
  write("src/search/random/pct.cpp", "#include \"search/dfs.hpp\"\n#include \"model/plan.hpp\"\n");
  EXPECT_EQ(findings(), "");
  write("src/search/dfs.hpp", "#include \"search/random/pct.hpp\"\n");
  EXPECT_EQ(findings(),
            "src/search/dfs.hpp:1: search may not depend on search/random: see DEPENDS in CMakeLists.txt\n"
            "src/search/dfs.hpp:1: 2 rooms include each other: search/dfs search/random/pct\n");
}

TEST_F(TidyTest, RoomsThatIncludeEachOther) {
  write("src/model/a.hpp", "#include \"model/b.hpp\"\n");
  write("src/model/b.cpp", "#include \"model/c.hpp\"\n");
  write("src/model/c.hpp", "");
  EXPECT_EQ(findings(), "");
  write("src/model/c.cpp", "#include \"model/a.hpp\"\n");
  EXPECT_EQ(findings(), "src/model/a.hpp:1: 3 rooms include each other: model/a model/b model/c\n");
  write("tests/tidy/exceptions.txt", "include-cycle model/a they are one idea\n");
  EXPECT_EQ(findings(), "");
}

TEST_F(TidyTest, DescribesTheTree) {
  std::ostringstream text;
  describe(read_tree(root_), text);
  EXPECT_EQ(text.str(),
            "src: 2 folders, 0 sub-folders\n  model 1 files\n  search 2 files\n"
            "circles of rooms that include each other: 0 (0 rooms)\n"
            "longest file: src/model/plan.hpp, 3 lines\n"
            "longest function: f in src/search/dfs.cpp, 1 lines\n");
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

TEST_F(TidyTest, PrivateWords) {
  write("src/model/a.cpp", "// Likewise.\nint f();  // the search anew, put\n// down here\n");
  EXPECT_EQ(findings(),
            "src/model/a.cpp:1: \"likewise\" in a comment; say \"the same\", \"also\", or the thing itself\n"
            "src/model/a.cpp:2: \"anew\" in a comment; say \"again\"\n"
            "src/model/a.cpp:2: \"put down\" in a comment; say \"saved\", \"inserted\"\n");
}

TEST_F(TidyTest, WordsThatAreNotPrivate) {
  // A part of a word or of a name, a string, code, two comments that do not touch, and files outside src/.
  write("src/model/a.cpp",
        "// Equivalent; start_anew() and put_down().\nconst char* lent = \"likewise\";\n// put\n\n// down\n");
  write("tests/a.cpp", "// likewise\n");
  EXPECT_EQ(findings(), "");
}

TEST_F(TidyTest, PrivateWordsOfAFolderThatIsExcepted) {
  write("src/search/random/a.cpp", "// anew\n");
  write("src/README.md", "`model/` `search/` `search/random/`\n");
  write("tests/tidy/exceptions.txt", "private-word src/search/random/ not cleaned yet\n");
  EXPECT_EQ(findings(), "");
  write("src/search/a.cpp", "// anew\n");
  EXPECT_EQ(findings(), "src/search/a.cpp:1: \"anew\" in a comment; say \"again\"\n");
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

// A runtime that interposes `lock` and `sleep`, a table that knows both, and their programs.
class PrimitivesTest : public TidyTest {
 protected:
  PrimitivesTest() {
    write("src/README.md", "`model/` `search/` `runtime/` `runtime/intercept/`\n");
    write("src/runtime/exports.map", "{\n  global:\n    lock; sleep;\n    __tsan_write1;\n  local: *;\n};\n");
    write("src/runtime/intercept/intercept.cpp",
          "THRUM_EXPORT int lock(int mutex) { return mutex; }\n"
          "THRUM_LOOP_IMPL int sleep_impl(int time) { return time; }\n");
    for (const char* file : {"correct/a.c", "wrong/b.c"})
      write(std::string("tests/programs/") + file, "// lock, sleep, std::mutex\n");
    write_table("");
  }
  // With more lines behind the good ones.
  void write_table(const std::string& more, const std::string& lock = "| lock | visible: lock") {
    write("docs/primitives.md", "# Calls\n\n| call | controlled | object | dependence | correct | wrong |\n" +
                                    lock + " | | | a.c | b.c |\n| sleep | virtual | | | a.c | b.c |\n" +
                                    more);
  }
};

TEST_F(PrimitivesTest, GoodTable) { EXPECT_EQ(findings(), ""); }

TEST_F(PrimitivesTest, MissingTable) {
  fs::remove(root_ / "docs/primitives.md");
  EXPECT_EQ(findings(), "src/runtime/exports.map:1: docs/primitives.md does not exist\n");
}

TEST_F(PrimitivesTest, MissingRow) {
  write("src/runtime/exports.map", "{ lock; sleep; };\n");
  EXPECT_EQ(findings(), "");
  write("src/runtime/intercept/intercept.cpp",
        "THRUM_EXPORT int lock(int m) { return m; }\n#define CALL(name)\nCALL(wake)\n");
  write("src/runtime/exports.map", "{\n  lock; sleep;\n  w*;\n  __tsan_read1;\n};\n");
  EXPECT_EQ(findings(), "src/runtime/exports.map:1: wake stands in no row of docs/primitives.md\n");
  write_table("\nElsewhere (another page): wake\n");
  EXPECT_EQ(findings(), "");
  write_table("| wake | visible | | | a.c | b.c |\n");
  EXPECT_EQ(findings(),
            "docs/primitives.md:6: tests/programs/correct/a.c does not mention the call\n"
            "docs/primitives.md:6: tests/programs/wrong/b.c does not mention the call\n");
}

TEST_F(PrimitivesTest, MissingProgram) {
  fs::rename(root_ / "tests/programs/wrong/b.c", root_ / "tests/programs/correct/b.c");
  EXPECT_EQ(findings(),
            "docs/primitives.md:4: tests/programs/wrong/b.c does not exist\n"
            "docs/primitives.md:5: tests/programs/wrong/b.c does not exist\n");
}

TEST_F(PrimitivesTest, ProgramThatDoesNotMentionTheCall) {
  write("tests/programs/correct/a.c", "// lock\n");
  EXPECT_EQ(findings(), "docs/primitives.md:5: tests/programs/correct/a.c does not mention the call\n");
}

TEST_F(PrimitivesTest, WhoDefinesACall) {
  write_table("", "| lock | forwarded");
  EXPECT_EQ(findings(), "docs/primitives.md:4: lock is defined by the runtime\n");
  write_table("| std::mutex | through lock | | | a.c | b.c |\n");
  EXPECT_EQ(findings(), "");
  write_table("| std::mutex | visible | | | a.c | b.c |\n");
  EXPECT_EQ(findings(), "docs/primitives.md:6: std::mutex is not defined by the runtime\n");
}

TEST_F(PrimitivesTest, RowsThatAreNone) {
  std::string wrong = "a row is | call | controlled | object | dependence | correct | wrong |\n";
  write_table("| lock | visible | a.c | b.c |\n| lock | somehow | | | a.c | b.c |\n");
  EXPECT_EQ(findings(), "docs/primitives.md:6: " + wrong + "docs/primitives.md:7: " + wrong);
}

TEST_F(PrimitivesTest, ElsewhereNoLonger) {
  write_table("\nElsewhere (no program yet): sleep\n");
  EXPECT_EQ(findings(), "docs/primitives.md:1: sleep has a row, and stands elsewhere too\n");
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
