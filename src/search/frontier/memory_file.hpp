// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A spill file that is none, for tests: it lies in memory, and fails when it is told to.
#pragma once

#include <algorithm>
#include <string>

#include "search/frontier/spill_file.hpp"

namespace thrum {

class MemoryFile final : public SpillFile {
 public:
  // How many further writes, and how many further reads, go well: for all files.
  inline static int writes_left = 1 << 30;
  inline static int reads_left = 1 << 30;

  static std::unique_ptr<SpillFile> make() { return std::make_unique<MemoryFile>(); }

  std::optional<std::uint64_t> append(std::string_view bytes) override {
    if (writes_left-- <= 0) return std::nullopt;
    bytes_.append(bytes);
    return bytes_.size() - bytes.size();
  }
  bool read(std::uint64_t offset, std::string& bytes) override {
    if (reads_left-- <= 0) return false;
    bytes_.copy(bytes.data(), bytes.size(), offset);
    return true;
  }
  // What is discarded is destroyed, so that it shows if it is read again.
  void discard(std::uint64_t offset, std::uint64_t size) override {
    std::fill_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), size, '\xff');
  }
  std::string problem() const override { return "the test's file fails"; }

 private:
  std::string bytes_;
};

}  // namespace thrum
