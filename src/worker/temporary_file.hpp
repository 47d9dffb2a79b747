// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A file without a name, in the folder that the job names: nothing is left behind, however the process ends.
// Its descriptor has one of the worker's own numbers, so that the program's numbers are not affected.
#pragma once

#include <deque>

#include "search/frontier/spill_file.hpp"

namespace thrum {

class TemporaryFile final : public SpillFile {
 public:
  // first_descriptor: the least number of the worker's own. copies: how many copies of this process were
  // made that may replace it; it must outlive the file.
  TemporaryFile(std::string folder, long first_descriptor, const std::uint32_t& copies);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() override;

  std::optional<std::uint64_t> append(std::string_view bytes) override;
  bool read(std::uint64_t offset, std::string& bytes) override;
  // Makes a hole in the file, if the file system can.
  void discard(std::uint64_t offset, std::uint64_t size) override;
  std::string problem() const override;

 private:
  bool failed(const char* what, long result);

  std::string folder_;
  const std::uint32_t& copies_;
  struct Kept {
    std::uint64_t offset;
    std::uint64_t size;
    std::uint32_t until_copy;  // when this copy of the process exists, the data is garbage
  };
  long descriptor_ = -1;
  std::uint64_t end_ = 0;
  std::deque<Kept> kept_;      // discarded, in this order
  const char* what_ = "made";  // the operation that failed
  long error_ = 0;             // its error number
};

}  // namespace thrum
