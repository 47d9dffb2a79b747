// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/temporary_folder.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "verdict/error.hpp"

namespace thrum {

namespace {

namespace fs = std::filesystem;

// Folders are called thrum-PID-XXXXXX.
constexpr std::string_view kFolderBegin = "thrum-";

std::string folder_for_temporary_files() {
  std::error_code error;
  fs::path parent = fs::temp_directory_path(error);
  if (error) throw UserError("TMPDIR: names no folder: " + error.message());
  return parent.string();
}

}  // namespace

TemporaryFolder::TemporaryFolder() : TemporaryFolder(folder_for_temporary_files()) {}

TemporaryFolder::TemporaryFolder(const std::string& parent) {
  std::string pattern =
      (fs::path(parent) / (std::string(kFolderBegin) + std::to_string(getpid()) + "-XXXXXX")).string();
  if (mkdtemp(pattern.data()) == nullptr)
    throw UserError(pattern + ": cannot be made: " + std::strerror(errno));
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void sweep_temporary_folders() { sweep_temporary_folders(folder_for_temporary_files()); }

void sweep_temporary_folders(const std::string& parent) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, error)) {
    std::string name = entry.path().filename().string();
    std::size_t dash = name.find('-', kFolderBegin.size());
    if (!name.starts_with(kFolderBegin) || dash == std::string::npos || name.size() != dash + 7) continue;
    int process = 0;
    const char* end = name.data() + dash;
    if (std::from_chars(name.data() + kFolderBegin.size(), end, process).ptr != end || process <= 0) continue;
    struct stat status {};
    bool ours =
        lstat(entry.path().c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid();
    // If there is no process PID, a command that was killed left the folder.
    bool gone = kill(process, 0) != 0 && errno == ESRCH;
    std::error_code ignored;
    if (ours && gone) fs::remove_all(entry.path(), ignored);
  }
}

}  // namespace thrum
