// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The section .thrum.bc: the bitcode of which a program's objects were made, for an engine that interprets
// it.
//
// Each object that was compiled with --bitcode brings one record, and the linker puts them one behind the
// other. A record is, all numbers little-endian and without padding:
//
//     8 bytes  "thrum.bc"
//     u64      size of the bitcode
//     u64      length of the name
//     name     the path of the source file, as the compiler was given it; no terminator
//     bitcode  a module of LLVM
//
// Tested by records_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace thrum {

inline constexpr char kBitcodeSection[] = ".thrum.bc";

// The names and bytes lie in what was read.
struct BitcodeRecord {
  std::string_view name;
  std::string_view bitcode;
};

// What stands before the bitcode in a record.
std::string bitcode_record_head(std::string_view name, std::size_t bitcode_size);

struct BitcodeRecords {
  std::vector<BitcodeRecord> records;
  std::string
      problem;  // not empty: what is wrong with the section, and where; the records before it are there
};

// section: its bytes, which must outlive the result.
BitcodeRecords read_bitcode_records(std::string_view section);

}  // namespace thrum
