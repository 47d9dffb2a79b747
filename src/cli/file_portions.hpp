// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading and writing parts of files, plain or compressed by zstd, a portion at a time: a part may be larger
// than memory. Where a function says that it failed, errno says why.
//
// Tested by file_portions_test.cpp.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace thrum {

struct FilePart {
  int file = -1;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

bool write_all(int file, std::string_view bytes, std::uint64_t offset);

// Fills the string from the file. EIO: the file ends before.
bool read_all(int file, std::string& bytes, std::uint64_t offset);

// Takes the next bytes; false: it failed.
using TakePortion = std::function<bool(std::string_view)>;

bool read_part(const FilePart& part, const TakePortion& take);

// The same with what the part holds in compressed form. EIO: it does not hold exactly one whole frame of
// zstd.
bool read_compressed(const FilePart& part, const TakePortion& take);

// The same with what the part becomes in compressed form: one frame.
bool compress_part(const FilePart& part, const TakePortion& take);

}  // namespace thrum
