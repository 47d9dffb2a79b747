// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Folders for what is made while a command runs.
#pragma once

#include <string>

namespace thrum {

// A folder of its own, removed with what is in it when this object ends. Its name tells the process that made
// it.
class TemporaryFolder {
 public:
  // In the folder for temporary files (TMPDIR, else /tmp). Throws UserError if it cannot be made.
  TemporaryFolder();
  // In a folder that is there. Throws UserError if it cannot be made.
  explicit TemporaryFolder(const std::string& parent);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Removes the folders that processes left which were killed: in the folder for temporary files, or in parent.
void sweep_temporary_folders();
void sweep_temporary_folders(const std::string& parent);

}  // namespace thrum
