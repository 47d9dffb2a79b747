// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A file without a name, in the folder that the job says: whatever becomes of the process, nothing is left
// behind. Its descriptor is one of the runtime's own, so that the program's numbers stay as they are.
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
  // The file gets a hole there, where its file system can have some.
  void discard(std::uint64_t offset, std::uint64_t size) override;
  std::string problem() const override;

 private:
  bool failed(const char* what, long result);

  std::string folder_;
  struct Kept {
    std::uint64_t offset;
    std::uint64_t size;
    std::uint32_t until_copy;  // of the process (World::copies) that makes it garbage
  };
  long descriptor_ = -1;
  std::uint64_t end_ = 0;
  std::deque<Kept> kept_;      // discarded, in that order
  const char* what_ = "made";  // that failed
  long error_ = 0;             // its error number
};

std::unique_ptr<SpillFile> make_temporary_file();

}  // namespace thrum
