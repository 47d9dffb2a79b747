// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bitcode_section/records.hpp"

#include <gtest/gtest.h>

namespace thrum {
namespace {

std::string record(const std::string& name, const std::string& bitcode) {
  return bitcode_record_head(name, bitcode.size()) + bitcode;
}

TEST(BitcodeRecords, AsDescribed) {
  const std::string expected = std::string("thrum.bc") + std::string("\x03\0\0\0\0\0\0\0", 8) +
                               std::string("\x05\0\0\0\0\0\0\0", 8) + "a.cpp" + "BC!";
  EXPECT_EQ(record("a.cpp", "BC!"), expected);
}

TEST(BitcodeRecords, OneBehindTheOther) {
  const std::string odd("\0thrum.bc\xff", 10);  // what looks like a record inside one is none
  const std::string section =
      record("a.cpp", odd) + record("", "") + record("dir/b c.c", std::string(5000, 'x'));
  const BitcodeRecords read = read_bitcode_records(section);
  EXPECT_EQ(read.problem, "");
  ASSERT_EQ(read.records.size(), 3U);
  EXPECT_EQ(read.records[0].name, "a.cpp");
  EXPECT_EQ(read.records[0].bitcode, odd);
  EXPECT_EQ(read.records[1].name, "");
  EXPECT_EQ(read.records[1].bitcode, "");
  EXPECT_EQ(read.records[2].name, "dir/b c.c");
  EXPECT_EQ(read.records[2].bitcode, std::string(5000, 'x'));
  EXPECT_TRUE(read_bitcode_records("").records.empty());
}

// Wherever the section ends too early, and whatever byte of a head is wrong, the records before are there,
// and nothing outside the section is read.
TEST(BitcodeRecords, DamagedSection) {
  const std::string first = record("a.cpp", "BC");
  const std::string section = first + record("b.cpp", "BCBC");
  for (std::size_t size = 1; size < section.size(); ++size) {
    const std::string cut = section.substr(0, size);
    const BitcodeRecords read = read_bitcode_records(cut);
    const bool whole = size == first.size();
    EXPECT_EQ(read.problem.empty(), whole) << size;
    EXPECT_EQ(read.records.size(), size >= first.size() ? 1U : 0U) << size;
  }
  for (std::size_t at = 0; at < 24; ++at) {
    std::string wrong = section;
    wrong[first.size() + at] = static_cast<char>(0xff);
    const BitcodeRecords read = read_bitcode_records(wrong);
    EXPECT_NE(read.problem.find("at byte " + std::to_string(first.size())), std::string::npos) << at;
    EXPECT_EQ(read.records.size(), 1U) << at;
  }
}

}  // namespace
}  // namespace thrum
