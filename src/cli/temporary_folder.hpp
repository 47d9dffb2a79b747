// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folders for what is made while a command runs.
#pragma once

#include <string>

namespace thrum {

// A folder of its own, removed with what is in it when this object ends. Its name tells the process that made
// it.
class TemporaryFolder {
 public:
  // Throws UserError.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Removes the folders of processes that were killed.
void sweep_temporary_folders();

}  // namespace thrum
