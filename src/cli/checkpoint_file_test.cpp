// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/checkpoint_file.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "support/digest.hpp"

namespace thrum {
namespace {

namespace fs = std::filesystem;

class CheckpointFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "thrum-checkpoint-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path() const { return folder_ + "/checkpoint"; }
  std::string bytes() const {
    std::ifstream in(path());
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void put(const std::string& bytes) const { std::ofstream(path()) << bytes; }

  // At an offset in a file of its own.
  SavedState state(const std::string& text) const {
    SavedState state{nameless_file(path()), 3, text.size(), 0, {}};
    EXPECT_EQ(pwrite(state.file->descriptor(), text.data(), text.size(), 3),
              static_cast<ssize_t>(text.size()));
    StreamDigest digest;
    digest.add(text);
    state.digest = digest.value();
    return state;
  }
  CheckpointContents contents() const {
    return {{"--strategy=icb", "/a/program"},
            {"--", "x y"},
            "/a",
            7,
            {{"key 1", "report", "output", 5, {}},
             {"key 2", "", "", 0, state("a state")},
             {"key 3", "of a budget", "", 9, state(std::string(100, '\0'))}}};
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), {}));
  }

 private:
  std::string folder_;
};

std::string text_of(const SavedState& state) {
  OpenFile copy(memfd_create("state", MFD_CLOEXEC));
  EXPECT_TRUE(copy_state(state, copy.descriptor(), 5));
  std::string text(state.size, '?');
  EXPECT_EQ(pread(copy.descriptor(), text.data(), text.size(), 5), static_cast<ssize_t>(text.size()));
  return text;
}

TEST_F(CheckpointFile, IsReadAsItWasWritten) {
  CheckpointContents written = contents();
  ASSERT_EQ(write_checkpoint(path(), written), "");
  std::string problem;
  std::optional<CheckpointContents> read = read_checkpoint(path(), problem);
  ASSERT_TRUE(read) << problem;
  EXPECT_EQ(read->words, written.words);
  EXPECT_EQ(read->arguments, written.arguments);
  EXPECT_EQ(read->directory, "/a");
  EXPECT_EQ(read->program, 7U);
  ASSERT_EQ(read->runs.size(), 3U);
  EXPECT_EQ(read->runs[0].key, "key 1");
  EXPECT_EQ(read->runs[0].report, "report");
  EXPECT_EQ(read->runs[0].output, "output");
  EXPECT_EQ(read->runs[0].executions, 5U);
  EXPECT_FALSE(read->runs[0].state);
  ASSERT_TRUE(read->runs[1].state && read->runs[2].state);
  EXPECT_EQ(text_of(*read->runs[1].state), "a state");
  EXPECT_EQ(text_of(*read->runs[2].state), std::string(100, '\0'));
  EXPECT_EQ(files(), 1U);
}

// Its states lie in the last file, whose name is another one's by then.
TEST_F(CheckpointFile, IsWrittenAgainAndAgain) {
  CheckpointContents written = contents();
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(write_checkpoint(path(), written), "");
    written.runs.insert(written.runs.begin(), {"new", "", "", 0, state(std::to_string(i))});
  }
  std::string problem;
  std::optional<CheckpointContents> read = read_checkpoint(path(), problem);
  ASSERT_TRUE(read) << problem;
  ASSERT_EQ(read->runs.size(), 5U);
  EXPECT_EQ(text_of(*read->runs[0].state), "1");
  EXPECT_EQ(text_of(*read->runs[3].state), "a state");
  EXPECT_EQ(files(), 1U);
}

TEST_F(CheckpointFile, IsRefusedWhereItWasCut) {
  CheckpointContents written = contents();
  ASSERT_EQ(write_checkpoint(path(), written), "");
  const std::string whole = bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    put(whole.substr(0, size));
    std::string problem;
    EXPECT_FALSE(read_checkpoint(path(), problem)) << size << " of " << whole.size() << " bytes";
    EXPECT_TRUE(problem.starts_with(path() + ": ")) << problem;
  }
  put(whole + "x");
  std::string problem;
  EXPECT_FALSE(read_checkpoint(path(), problem));
}

TEST_F(CheckpointFile, IsRefusedWhereABitIsWrong) {
  CheckpointContents written = contents();
  ASSERT_EQ(write_checkpoint(path(), written), "");
  const std::string whole = bytes();
  for (std::size_t bit = 0; bit < 8 * whole.size(); bit += 5) {
    std::string wrong = whole;
    wrong[bit / 8] = static_cast<char>(wrong[bit / 8] ^ 1 << bit % 8);
    put(wrong);
    std::string problem;
    EXPECT_FALSE(read_checkpoint(path(), problem)) << "bit " << bit;
    EXPECT_NE(problem, "");
  }
}

TEST_F(CheckpointFile, OfOthersIsRefused) {
  std::string problem;
  EXPECT_FALSE(read_checkpoint(path(), problem));
  EXPECT_EQ(problem, path() + ": No such file or directory");
  for (const std::string& text : {std::string(), std::string("{}"), std::string(1000, 'x')}) {
    put(text);
    EXPECT_FALSE(read_checkpoint(path(), problem));
    EXPECT_EQ(problem, path() + ": is no checkpoint of thrum check --checkpoint");
  }
  EXPECT_FALSE(read_checkpoint("/", problem));
  EXPECT_FALSE(read_checkpoint("/dev/zero", problem));
}

TEST_F(CheckpointFile, OfAnotherFormatIsRefused) {
  CheckpointContents written = contents();
  ASSERT_EQ(write_checkpoint(path(), written), "");
  std::string other = bytes();
  other[8] = 9;  // whose states were not compressed
  put(other);
  std::string problem;
  EXPECT_FALSE(read_checkpoint(path(), problem));
  EXPECT_EQ(problem, path() + ": was written by another version of thrum; start a new check");
}

// Its worker wrote other bytes than it said.
TEST_F(CheckpointFile, IsNotTakenUpWhereAStateIsAnother) {
  CheckpointContents written = contents();
  written.runs[1].state->digest ^= 1;
  ASSERT_EQ(write_checkpoint(path(), written), "");
  std::string problem;
  std::optional<CheckpointContents> read = read_checkpoint(path(), problem);
  ASSERT_TRUE(read) << problem;
  const OpenFile copy(memfd_create("state", MFD_CLOEXEC));
  EXPECT_FALSE(copy_state(*read->runs[1].state, copy.descriptor(), 0));
  EXPECT_EQ(errno, EIO);
  EXPECT_TRUE(copy_state(*read->runs[2].state, copy.descriptor(), 0));
}

TEST_F(CheckpointFile, ThatCannotBeWrittenLeavesTheOld) {
  CheckpointContents written = contents();
  ASSERT_EQ(write_checkpoint(path(), written), "");
  const std::string whole = bytes();
  CheckpointContents wrong = contents();
  wrong.runs[1].state->size = 1000;  // more than there is
  EXPECT_EQ(write_checkpoint(path(), wrong),
            path() + ": the checkpoint cannot be written: Input/output error");
  EXPECT_EQ(bytes(), whole);
  EXPECT_EQ(files(), 1U);
  EXPECT_NE(write_checkpoint("/no/such/folder/checkpoint", written), "");
  EXPECT_NE(write_checkpoint("/proc/checkpoint", written), "");
}

// The name under which it was being written when its process was killed.
TEST_F(CheckpointFile, TakesTheLeftoverAway) {
  std::ofstream(path() + ".new") << "left";
  CheckpointContents written = contents();
  ASSERT_EQ(write_checkpoint(path(), written), "");
  EXPECT_EQ(files(), 1U);
}

}  // namespace
}  // namespace thrum
