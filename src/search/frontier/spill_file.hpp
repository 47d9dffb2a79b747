// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A file for what a search cannot keep in memory. Whoever runs the search provides it, since the search knows
// nothing of files (the workers: worker/temporary_file.hpp).
//
// Thread safety: none.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace thrum {

class SpillFile {
 public:
  virtual ~SpillFile() = default;

  // Writes the bytes and says where; nothing where that fails.
  virtual std::optional<std::uint64_t> append(std::string_view bytes) = 0;

  // Reads bytes.size() bytes; false where that fails.
  virtual bool read(std::uint64_t offset, std::string& bytes) = 0;

  // They will not be read again.
  virtual void discard(std::uint64_t offset, std::uint64_t size) = 0;

  // Why something failed: what, where and what to do, in one line.
  virtual std::string problem() const = 0;
};

using MakeSpillFile = std::unique_ptr<SpillFile> (*)();

}  // namespace thrum
