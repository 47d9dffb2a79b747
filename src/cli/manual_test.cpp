// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/manual.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "cli/command_line.hpp"

namespace thrum {
namespace {

// What bash says to a script.
std::string bash(const std::string& script) {
  const std::string path = testing::TempDir() + "thrum-completion-" + std::to_string(getpid()) + ".bash";
  std::ofstream(path) << script;
  std::FILE* pipe = popen(("bash " + path + " 2>&1").c_str(), "r");
  std::string output;
  std::array<char, 4096> part{};
  while (std::size_t size = std::fread(part.data(), 1, part.size(), pipe)) output.append(part.data(), size);
  EXPECT_EQ(pclose(pipe), 0) << output;
  std::remove(path.c_str());
  return output;
}

// The completions of the last one of the words; words: as bash splits them, quoted.
std::string completions(const std::string& words) {
  static const CommandLine line;
  return bash(bash_completion(line.app()) + "compopt() { echo -n 'nothing:'; }\nCOMP_WORDS=(" + words +
              ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_thrum\necho -n \"${COMPREPLY[*]}\"\n");
}

TEST(Manual, OfMarkdownStandsInTheRepository) {
  const CommandLine line;
  std::ifstream in(THRUM_SOURCE_DIR "/docs/options.md");
  const std::string page{std::istreambuf_iterator<char>(in), {}};
  EXPECT_TRUE(page == markdown_manual(line.app()))
      << "thrum options --markdown >docs/options.md: the page should read\n"
      << markdown_manual(line.app());
}

TEST(Manual, HasEveryOption) {
  const CommandLine line;
  const std::string page = man_page(line.app());
  for (const OptionRow<CheckOptions>& row : check_rows()) {
    std::string name = "\\fB" + std::string(row.names) + "\\fR";
    for (std::size_t at = name.find('-'); at != std::string::npos; at = name.find('-', at + 2))
      name.insert(at, "\\");
    EXPECT_EQ(page.find(name) != std::string::npos, *row.group != '\0') << name;
    EXPECT_EQ(markdown_manual(line.app()).find("`" + std::string(row.names)) != std::string::npos,
              *row.group != '\0');
  }
}

TEST(Completion, OfCommands) {
  EXPECT_EQ(completions("thrum ch"), "check");
  EXPECT_EQ(completions("thrum bool ''"), "check print from-c");
  EXPECT_EQ(completions("thrum flags c"), "compile");
  EXPECT_EQ(completions("thrum op"), "") << "it is not for people";
}

TEST(Completion, OfOptions) {
  EXPECT_EQ(completions("thrum check --early"), "--early-timeouts");
  EXPECT_EQ(completions("thrum check program --ch"), "--checkpoint --checkpoint-interval");
  EXPECT_EQ(completions("thrum bool from-c -"), "-o --output --bits -I --include --help");
  EXPECT_EQ(completions("thrum check program -- --ch"), "") << "they are the program's";
  EXPECT_EQ(completions("thrum --v"), "--version");
}

TEST(Completion, OfValues) {
  EXPECT_EQ(completions("thrum check --heap ''"), "lifo fresh both");
  EXPECT_EQ(completions("thrum check --heap = f"), "fresh");
  EXPECT_EQ(completions("thrum check --heap ="), "lifo fresh both");
  EXPECT_EQ(completions("thrum check --strategy dpor-p"), "dpor-persistent");
  EXPECT_EQ(completions("thrum replay --threads f"), "fibers");
  EXPECT_EQ(completions("thrum check --baseline ''"), "") << "files";
  EXPECT_EQ(completions("thrum check --steps ''"), "nothing:") << "a number";
  EXPECT_EQ(completions("thrum check --priority ''"), "nothing:") << "a list";
}

}  // namespace
}  // namespace thrum
