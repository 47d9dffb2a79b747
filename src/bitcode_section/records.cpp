// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bitcode_section/records.hpp"

#include <cstdint>

#include "support/bytes.hpp"

namespace thrum {

namespace {

constexpr std::string_view kMagic = "thrum.bc";
constexpr std::size_t kHeadSize = kMagic.size() + 2 * sizeof(std::uint64_t);

}  // namespace

std::string bitcode_record_head(std::string_view name, std::size_t bitcode_size) {
  ByteWriter sizes;
  sizes.put(static_cast<std::uint64_t>(bitcode_size));
  sizes.put(static_cast<std::uint64_t>(name.size()));
  return std::string(kMagic) + sizes.take() + std::string(name);
}

BitcodeRecords read_bitcode_records(std::string_view section) {
  BitcodeRecords result;
  std::string_view rest = section;
  const auto wrong = [&](const char* what) {
    result.problem = std::string(what) + " at byte " + std::to_string(section.size() - rest.size());
    return result;
  };
  while (!rest.empty()) {
    if (!rest.starts_with(kMagic)) return wrong("no record");
    if (rest.size() < kHeadSize) return wrong("half a record");
    ByteReader sizes(rest.substr(kMagic.size(), kHeadSize - kMagic.size()));
    const auto bitcode_size = sizes.get<std::uint64_t>();
    const auto name_size = sizes.get<std::uint64_t>();
    const std::size_t left = rest.size() - kHeadSize;
    if (name_size > left || bitcode_size > left - name_size) return wrong("half a record");
    result.records.push_back(
        {rest.substr(kHeadSize, name_size), rest.substr(kHeadSize + name_size, bitcode_size)});
    rest.remove_prefix(kHeadSize + name_size + bitcode_size);
  }
  return result;
}

}  // namespace thrum
