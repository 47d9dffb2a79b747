// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/file_portions.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cerrno>
#include <vector>

#include "cli/checkpoint_file.hpp"
#include "support/random.hpp"

namespace thrum {
namespace {

class FilePortions : public testing::Test {
 protected:
  // Puts the text behind other bytes of the file.
  FilePart put(const std::string& text) const {
    constexpr std::uint64_t kOffset = 7;
    EXPECT_TRUE(write_all(file_.descriptor(), text, kOffset));
    return {file_.descriptor(), kOffset, text.size()};
  }

  static std::string read(bool (*how)(const FilePart&, const TakePortion&), const FilePart& part) {
    std::string all;
    auto take = [&](std::string_view portion) {
      all += portion;
      return true;
    };
    EXPECT_TRUE(how(part, take));
    return all;
  }

  void expect_damaged(const std::string& compressed) const {
    errno = 0;
    EXPECT_FALSE(read_compressed(put(compressed), [](std::string_view) { return true; }));
    EXPECT_EQ(errno, EIO);
  }

 private:
  OpenFile file_{memfd_create("portions", MFD_CLOEXEC)};
};

std::vector<std::string> texts() {
  Random random(1);
  std::vector<std::string> all{"", "a", std::string(100, 'x')};
  for (std::size_t size : {std::size_t{1} << 20, (std::size_t{5} << 19) + 3}) {
    all.emplace_back(size, '\0');
    std::string& noise = all.emplace_back();
    for (std::size_t i = 0; i < size; ++i) noise += static_cast<char>(random.below(256));
  }
  return all;
}

TEST_F(FilePortions, AreReadAsTheyLie) {
  for (const std::string& text : texts()) EXPECT_TRUE(read(read_part, put(text)) == text) << text.size();
}

TEST_F(FilePortions, AreTheSameAfterCompression) {
  for (const std::string& text : texts()) {
    const std::string compressed = read(compress_part, put(text));
    EXPECT_TRUE(read(read_compressed, put(compressed)) == text) << text.size();
  }
  const std::size_t size = std::size_t{1} << 20;
  EXPECT_LT(read(compress_part, put(std::string(size, '\0'))).size(), size / 1000);
}

TEST_F(FilePortions, AreOneWholeFrame) {
  for (const std::string& text : {std::string("abc"), std::string(std::size_t{1} << 21, 'x')}) {
    const std::string frame = read(compress_part, put(text));
    for (std::size_t size : {std::size_t{0}, std::size_t{1}, frame.size() / 2, frame.size() - 1})
      expect_damaged(frame.substr(0, size));
    expect_damaged(frame + "x");
    expect_damaged(frame + frame);
  }
  expect_damaged("no frame");
}

TEST_F(FilePortions, EndEarlyWithTheReason) {
  FilePart part = put("abc");
  part.size = 100;
  EXPECT_FALSE(read_part(part, [](std::string_view) { return true; }));
  EXPECT_EQ(errno, EIO);

  const OpenFile full(open("/dev/full", O_WRONLY | O_CLOEXEC));
  const FilePart frame = put(read(compress_part, put("abc")));
  for (auto* how : {read_part, compress_part, read_compressed}) {
    errno = 0;
    EXPECT_FALSE(
        how(frame, [&](std::string_view portion) { return write_all(full.descriptor(), portion, 0); }));
    EXPECT_EQ(errno, ENOSPC);
  }
}

}  // namespace
}  // namespace thrum
