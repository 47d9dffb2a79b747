// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/new_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace thrum {

namespace {

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

bool has_no_nameless_files(int error) { return error == EOPNOTSUPP || error == EISDIR || error == EINVAL; }

}  // namespace

OpenFile::~OpenFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

NewFile::NewFile(const std::string& path) : path_(path), name_(path + ".new") {
  unlink(name_.c_str());  // a process that was killed may have left it
  int file = open(folder_of(path).c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
  nameless_ = file >= 0;
  if (file < 0 && has_no_nameless_files(errno))
    file = open(name_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  file_ = std::make_shared<OpenFile>(file);
}

NewFile::~NewFile() {
  if (!done_ && file_->descriptor() >= 0) unlink(name_.c_str());
}

bool NewFile::finish() {
  if (fsync(file_->descriptor()) != 0) return false;
  if (nameless_) {
    const std::string link = "/proc/self/fd/" + std::to_string(file_->descriptor());
    if (linkat(AT_FDCWD, link.c_str(), AT_FDCWD, name_.c_str(), AT_SYMLINK_FOLLOW) != 0) return false;
  }
  if (rename(name_.c_str(), path_.c_str()) != 0) return false;
  done_ = true;
  // Brings the new name to the disk, too. It is no failure if the folder cannot be opened for that.
  OpenFile folder(open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.descriptor() >= 0) fsync(folder.descriptor());
  return true;
}

std::shared_ptr<OpenFile> nameless_file(const std::string& path) {
  int file = open(folder_of(path).c_str(), O_TMPFILE | O_RDWR | O_EXCL, 0600);
  if (file < 0 && has_no_nameless_files(errno)) {
    std::string name = path + ".XXXXXX";
    file = mkstemp(name.data());
    if (file >= 0) unlink(name.c_str());
  }
  return file >= 0 ? std::make_shared<OpenFile>(file) : nullptr;
}

}  // namespace thrum
