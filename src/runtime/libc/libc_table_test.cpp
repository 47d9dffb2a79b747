// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/libc/libc_table.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>

namespace thrum {
namespace {

std::string text_of(const std::string& path) {
  std::ifstream in(THRUM_SOURCE_DIR "/" + path);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

TEST(LibcTable, NamesEachFunctionOnce) {
  std::set<std::string> names;
  std::set<std::string> checked;
  for (const LibcRow& row : libc_table()) {
    if (row.kind == LibcRow::Kind::part) continue;
    auto& seen = row.kind == LibcRow::Kind::checked ? checked : names;
    EXPECT_TRUE(seen.insert(row.name).second) << row.name;
  }
  for (const std::string& name : checked)
    EXPECT_TRUE(names.contains(name)) << name << " has only a checked row";
}

// Whether the list has the name, or its beginning with a `*`.
bool exports_name(const std::string& exports, const std::string& name) {
  bool found = exports.find(" " + name + ";") != std::string::npos;
  for (std::size_t length = 1; !found && length <= name.size(); ++length)
    found = exports.find(" " + name.substr(0, length) + "*;") != std::string::npos;
  return found;
}

TEST(LibcTable, ExportsWhatIsInterposed) {
  const std::string exports = text_of("src/runtime/exports.map");
  for (const LibcRow& row : libc_table()) {
    if (row.kind != LibcRow::Kind::interposed) continue;
    EXPECT_TRUE(exports_name(exports, std::string(row.name))) << row.name;
  }
}

TEST(LibcTable, PageIsUpToDate) {
  const std::string page = text_of("docs/primitives.md");
  const std::string begin = "\n<!-- made from src/runtime/libc/libc_calls.def -->\n";
  const std::size_t at = page.find(begin);
  ASSERT_NE(at, std::string::npos);
  EXPECT_TRUE(page.substr(at + begin.size()) == libc_page()) << "docs/primitives.md should end:\n"
                                                             << libc_page();
}

}  // namespace
}  // namespace thrum
