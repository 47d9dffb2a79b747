// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is refused, with its place; how large what is written is; where its lines come from.
#include "sequentialize/sequentialize.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace thrum::seq {

namespace {

class Sequentialize : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "thrum-test-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) const {
    std::string path = folder_ + "/" + name;
    std::ofstream(path) << text;
    return path;
  }

  Sequential run(const std::string& text, Form form = Form::kiss) const {
    Options options;
    options.form = form;
    return sequentialize({write("p.c", text)}, options);
  }

  // "LINE: MESSAGE"
  std::string refusal(const std::string& text, Form form = Form::kiss) const {
    try {
      run(text, form);
    } catch (const SourceError& error) {
      return std::to_string(error.where().line) + ": " + error.what();
    }
    return "";
  }

  std::string folder_;
};

TEST_F(Sequentialize, RefusesWhatItCannotFollow) {
  auto expect = [&](const std::string& text, const std::string& message, Form form = Form::kiss) {
    EXPECT_EQ(refusal(text, form).substr(0, message.size()), message) << text;
  };
  expect("#include <setjmp.h>\njmp_buf b;\nint main(void) { return setjmp(b); }\n",
         "3: _setjmp is not supported");
  expect("int main(void) {\n  void *p = &&l;\n  goto *p;\nl:\n  return 0;\n}\n",
         "2: a computed goto is not supported");
  expect("int main(int c, char **v) {\n  int a[c];\n  return a[0];\n}\n",
         "2: an array whose size is no constant");
  expect("int f(int n, ...) { return n; }\nint main(void) { return f(1, 2); }\n",
         "1: a function of any number");
  expect("int x;\nint main(void) { __asm__ volatile(\"nop\" : \"+r\"(x)); return 0; }\n", "2: assembly");
  expect(
      "#include <stdlib.h>\nstatic int c(const void *a, const void *b) { return a < b; }\n"
      "int a[2];\nint main(void) { qsort(a, 2, 4, c); return 0; }\n",
      "4: a function of the program that qsort calls");
  expect("#include <pthread.h>\npthread_key_t k;\nint main(void) {\n  return pthread_key_create(&k, 0);\n}\n",
         "4: pthread_key_create is not supported");
  expect("#include <signal.h>\nint main(void) { signal(1, 0); return 0; }\n", "2: signal is not supported");
  expect("#include <unistd.h>\nint main(void) { return fork(); }\n", "2: fork is not supported");
  expect(
      "#include <pthread.h>\nextern void *f(void *);\npthread_t t;\n"
      "int main(void) { return pthread_create(&t, 0, f, 0); }\n",
      "4: a thread that runs f, which no file defines");
}

TEST_F(Sequentialize, EagerRoundsRefuseWhatPointersReach) {
  auto expect = [&](const std::string& text, const std::string& message) {
    EXPECT_EQ(refusal(text, Form::eager).substr(0, message.size()), message) << text;
  };
  expect("int x;\nint main(void) { int *p = &x; return *p; }\n", "2: the address of a shared variable");
  expect("int a[3];\nint main(void) { int *p = a; return *p; }\n", "2: a pointer to a shared array");
  expect("#include <stdlib.h>\nint main(void) { int *p = malloc(4); return *p; }\n", "2: memory of the heap");
  expect("int *p;\nint main(void) { return p != 0; }\n", "1: a shared variable with a pointer");
}

// Each access to a shared variable has a point, and nothing else has one.
TEST_F(Sequentialize, OnePointForEachAccess) {
  Sequential program =
      run("int g, h;\nint main(void) {\n  int l = 2;\n  g = h + l * g;\n  l++;\n  g++;\n"
          "  return l && g;\n}\n");
  std::vector<unsigned> lines;
  std::size_t at = 0;
  for (const Origin& origin : program.origins) {
    std::size_t end = program.text.find('\n', at);
    std::string line = program.text.substr(at, end - at);
    at = end + 1;
    if (line.find("THRUM_POINT(") != std::string::npos && origin.line != 0) lines.push_back(origin.line);
  }
  EXPECT_EQ(lines, (std::vector<unsigned>{4, 4, 4, 6, 6, 7}));
}

TEST_F(Sequentialize, FilesBecomeOne) {
  std::string header =
      write("h.h", "#ifndef H\n#define H\nstruct s { int a; };\nint get(struct s *s);\n#endif\n");
  std::string one =
      write("one.c", "#include \"h.h\"\nstatic int x = 1;\nint get(struct s *s) { return s->a + x; }\n");
  std::string two = write("two.c",
                          "#include \"h.h\"\nstatic int x = 2;\nint main(void) {\n  struct s s = {x};\n"
                          "  return get(&s);\n}\n");
  Sequential program = sequentialize({one, two}, {});
  EXPECT_NE(program.text.find("static int x = 1;"), std::string::npos);
  EXPECT_NE(program.text.find("static int x_2 = 2;"), std::string::npos) << program.text;
  EXPECT_EQ(program.text.find("struct s {"), program.text.rfind("struct s {"));
}

// An unnamed type of a header is one type in all files, and so is what stands in it.
TEST_F(Sequentialize, HeadersMayBeTakenInTwice) {
  write("h.h",
        "#ifndef H\n#define H\ntypedef struct { int x; struct { int y; } in; } T;\nenum { A, B };\n"
        "static inline int twice(int v) { return 2 * v; }\nint other(T *t);\n#endif\n");
  std::string one = write("one.c", "#include \"h.h\"\nint other(T *t) { return t->x + twice(B); }\n");
  std::string two = write(
      "two.c", "#include \"h.h\"\nint main(void) {\n  T t = {1, {2}};\n  return other(&t) + twice(A);\n}\n");
  for (Form form : {Form::normal, Form::kiss, Form::lazy}) {
    Options options;
    options.form = form;
    std::string out = write("out.c", sequentialize({one, two}, options).text);
    EXPECT_EQ(std::system(("cc -w -c -o /dev/null " + out).c_str()), 0);
  }
}

// n copies of a function: what is written grows as the program does.
TEST_F(Sequentialize, GrowsAsTheProgramDoes) {
  for (Form form : {Form::kiss, Form::lazy, Form::eager}) {
    auto size = [&](int n) {
      std::string text = "int g, h;\n";
      for (int i = 0; i < n; ++i) {
        text += "static int f" + std::to_string(i) +
                "(int x) {\n  if (x > g && h) g += x;\n  for (int i = 0; i < x; ++i) h ^= g;\n"
                "  return g ? h : x;\n}\n";
      }
      text += "int main(void) {\n";
      for (int i = 0; i < n; ++i) text += "  f" + std::to_string(i) + "(1);\n";
      return static_cast<double>(run(text + "  return 0;\n}\n", form).text.size());
    };
    double base = size(1);
    double hundred = size(101) - base;
    double thousand = size(1001) - base;
    EXPECT_NEAR(thousand / hundred, 10, 0.7);
  }
}

}  // namespace

}  // namespace thrum::seq
