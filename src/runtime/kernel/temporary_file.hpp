// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A file without a name, in the folder that the job names: nothing is left behind, however the process ends.
// Its descriptor has one of the runtime's own numbers, so that the program's numbers are not affected.
#pragma once

#include <deque>

#include "search/frontier/spill_file.hpp"

namespace thrum {

class TemporaryFile final : public SpillFile {
 public:
  explicit TemporaryFile(std::string folder);
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
  struct Kept {
    std::uint64_t offset;
    std::uint64_t size;
    std::uint32_t until_copy;  // when this copy of the process (World::copies) exists, the data is garbage
  };
  long descriptor_ = -1;
  std::uint64_t end_ = 0;
  std::deque<Kept> kept_;      // discarded, in this order
  const char* what_ = "made";  // the operation that failed
  long error_ = 0;             // its error number
};

std::unique_ptr<SpillFile> make_temporary_file();

}  // namespace thrum
