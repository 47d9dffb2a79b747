// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files that are being written, and that replace an older one when they are complete.
//
// Tested by checkpoint_file_test.cpp and suite_file_test.cpp.
#pragma once

#include <memory>
#include <string>

namespace thrum {

// An open file.
class OpenFile {
 public:
  explicit OpenFile(int descriptor) : descriptor_(descriptor) {}
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

// A file that is written in the folder of the path. Unless it is finished, nothing of it is left; where the
// system supports files without names, also if this process is killed.
class NewFile {
 public:
  // If that fails, the descriptor of file() is negative, and errno says why.
  explicit NewFile(const std::string& path);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  const std::shared_ptr<OpenFile>& file() const { return file_; }

  // Brings the file to the disk, and gives it the path, in place of what was there. False: errno says why.
  bool finish();

 private:
  std::string path_;
  std::string name_;  // until it is finished
  bool nameless_ = false;
  bool done_ = false;
  std::shared_ptr<OpenFile> file_;
};

// A file without a name in the folder of the path, which child processes inherit; nullptr: errno says why.
std::shared_ptr<OpenFile> nameless_file(const std::string& path);

}  // namespace thrum
