// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --plot-unfolding: pictures of unfoldings; and the one of docs/unfoldings.md, which is held against a real
// one.
//
// With THRUM_UPDATE_REPORTS=1 in the environment that picture is written instead (scripts/reports).
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "endtoend.hpp"

namespace {

const std::string kDocs = std::string(THRUM_SOURCES) + "/docs/";

constexpr const char* kFibonacci = R"(
#include <atomic>
#include <cassert>
#include <thread>
std::atomic<int> i{1}, j{1};
int main() {
  std::thread a([] { for (int k = 0; k < TIMES; ++k) i.fetch_add(j.load()); });
  std::thread b([] { for (int k = 0; k < TIMES; ++k) j.fetch_add(i.load()); });
  a.join();
  b.join();
  assert(i + j < 6);
}
)";

class UnfoldingPicture : public EndToEnd {
 protected:
  std::string program(const std::string& name, const std::string& text, int times = 1) {
    const std::string source = write(name + ".cpp", text);
    const std::string define = "-DTIMES=" + std::to_string(times);
    EXPECT_EQ(thrum({"c++", "-std=c++20", "-O1", "-g", define, source, "-o", name}).exit_code, 0);
    return path(name);
  }

  // The picture of the program's unfolding.
  std::string picture(const std::string& program, int code, std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"check", program, "--time", "0", "--plot-unfolding", "unfolding.svg"};
    words.insert(words.end(), more.begin(), more.end());
    const ChildResult result = thrum(words);
    EXPECT_EQ(result.exit_code, code) << result.output << result.errors;
    return read(path("unfolding.svg"));
  }
};

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST_F(UnfoldingPicture, TheOneOfThePage) {
  const std::string page = read(kDocs + "unfoldings.md");
  const std::string mark = "<!-- program: store_and_loads -->\n```cpp\n";
  ASSERT_NE(page.find(mark), std::string::npos);
  const std::size_t begin = page.find(mark) + mark.size();
  const std::string source = page.substr(begin, page.find("```", begin) - begin);
  const std::string svg = picture(program("store_and_loads", source), 0, {"--strategy", "unfolding"});
  if (std::getenv("THRUM_UPDATE_REPORTS") != nullptr) std::ofstream(kDocs + "unfolding.svg") << svg;
  EXPECT_EQ(svg, read(kDocs + "unfolding.svg")) << "scripts/reports draws it again";
  EXPECT_EQ(count_of(svg, ">load x = "), 2 * 4) << "each in a box and its title";
  for (const char* part : {">0.1 writer<", ">0.2 reader<", ">x<", "; 2 executions: all that there is"})
    EXPECT_EQ(count_of(svg, part), 1) << part;
}

TEST_F(UnfoldingPicture, OfAnOrdinaryUnfolding) {
  const std::string fib = program("fib", kFibonacci);
  const std::string svg = picture(fib, 0, {"--strategy", "unfolding-replicated"});
  EXPECT_NE(svg.find(">Ordinary unfolding of fib<"), std::string::npos);
  EXPECT_NE(svg.find("comes behind a read"), std::string::npos);
  EXPECT_NE(svg.find("joins the thread, as it has ended there"), std::string::npos);
}

TEST_F(UnfoldingPicture, OfALargeOneTheFirstEvents) {
  const std::string fib = program("fib", kFibonacci, 3);
  const std::string svg = picture(fib, 1, {"--strategy", "unfolding", "--keep-going"});
  EXPECT_NE(svg.find("The first 200 are drawn"), std::string::npos);
  EXPECT_EQ(count_of(svg, "<g><title>"), 200);
  EXPECT_NE(svg.find("the thread fails there"), std::string::npos);
}

TEST_F(UnfoldingPicture, OfASearchThatABugEnds) {
  const std::string stores = program("stores", R"(
#include <atomic>
#include <cassert>
#include <thread>
std::atomic<int> x;
int main() {
  std::thread a([] { x = 1; x = 2; x = 3; });
  std::thread b([] { assert(x != 2); });
  a.join();
  b.join();
}
)");
  const std::string svg = picture(stores, 1, {"--strategy", "unfolding"});
  EXPECT_NE(svg.find("the search did not end"), std::string::npos);
  EXPECT_EQ(count_of(svg, ">load x = 2<"), 1) << "where it fails";
  // What main does behind its joins shows that they have to tell more than was thought.
  EXPECT_NE(picture(program("fib", kFibonacci, 3), 1, {"--strategy", "unfolding"}).find("--keep-going"),
            std::string::npos);
}

TEST_F(UnfoldingPicture, OfNothing) {
  const std::string alone = program("alone", "int main() {}\n");
  EXPECT_NE(picture(alone, 0, {"--strategy", "unfolding"}).find("no event: "), std::string::npos);
}

TEST_F(UnfoldingPicture, IsRefused) {
  const std::string alone = program("alone", "int main() {}\n");
  for (const char* strategy : {"auto", "dpor"}) {
    const ChildResult refused = thrum({"check", alone, "--strategy", strategy, "--plot-unfolding", "a.svg"});
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_EQ(refused.errors,
              std::string("thrum: --plot-unfolding: it takes --strategy unfolding or unfolding-replicated, "
                          "and not ") +
                  strategy + "\n");
    EXPECT_FALSE(std::filesystem::exists(path("a.svg")));
  }
  const ChildResult refused =
      thrum({"check", alone, "--strategy", "unfolding", "--plot-unfolding", "no/such/folder.svg"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.errors.find("no/such/folder.svg"), std::string::npos) << refused.errors;
}

}  // namespace
