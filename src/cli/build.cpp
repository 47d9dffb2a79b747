// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/build.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "cli/driver.hpp"
#include "cli/process.hpp"
#include "verdict/error.hpp"

namespace thrum {

namespace {

namespace fs = std::filesystem;

constexpr std::array kCppEndings = {".cpp", ".cc", ".cxx", ".C", ".c++", ".cp", ".CPP"};

bool is_c(const std::string& file) { return fs::path(file).extension() == ".c"; }

// The user's flags come last, so that they overrule ours.
void run_compiler(const Toolchain& toolchain, std::vector<std::string> arguments, const std::string& what) {
  if (run(driver_command(toolchain, arguments)) != 0)
    throw UserError(what + ": does not compile; see the compiler's messages");
}

}  // namespace

bool is_source(const std::string& file) {
  std::string ending = fs::path(file).extension().string();
  return ending == ".c" || std::find(kCppEndings.begin(), kCppEndings.end(), ending) != kCppEndings.end();
}

namespace {

// Folders are called thrum-PID-XXXXXX. If there is no process PID, a check that was killed left the folder.
void sweep_folders(const fs::path& parent) {
  constexpr std::string_view kBegin = "thrum-";
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(parent, error)) {
    std::string name = entry.path().filename().string();
    std::size_t dash = name.find('-', kBegin.size());
    if (!name.starts_with(kBegin) || dash == std::string::npos || name.size() != dash + 7) continue;
    int process = 0;
    const char* end = name.data() + dash;
    if (std::from_chars(name.data() + kBegin.size(), end, process).ptr != end || process <= 0) continue;
    struct stat status {};
    bool ours =
        lstat(entry.path().c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid();
    bool gone = kill(process, 0) != 0 && errno == ESRCH;
    std::error_code ignored;
    if (ours && gone) fs::remove_all(entry.path(), ignored);
  }
}

}  // namespace

TemporaryBuild::TemporaryBuild(const std::vector<std::string>& sources, const std::string& compile_flags) {
  sweep_folders(fs::temp_directory_path());
  std::string pattern =
      (fs::temp_directory_path() / ("thrum-" + std::to_string(getpid()) + "-XXXXXX")).string();
  if (mkdtemp(pattern.data()) == nullptr)
    throw UserError(pattern + ": cannot be made: " + std::strerror(errno));
  folder_ = pattern;
  try {
    compile(sources, compile_flags);
  } catch (...) {
    remove();
    throw;
  }
}

TemporaryBuild::~TemporaryBuild() { remove(); }

void TemporaryBuild::remove() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void TemporaryBuild::compile(const std::vector<std::string>& sources, const std::string& compile_flags) {
  std::vector<std::string> flags = split_words(compile_flags);
  bool all_c = std::all_of(sources.begin(), sources.end(), is_c);
  Toolchain linker = find_toolchain(all_c ? Language::c : Language::cpp);
  Command link = {"-o", program()};
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (!fs::exists(sources[i])) throw UserError(sources[i] + ": " + std::strerror(ENOENT));
    bool c = is_c(sources[i]);
    std::string object = folder_ + "/" + std::to_string(i) + ".o";
    Command command = {c ? "-std=gnu17" : "-std=gnu++20", "-O1", "-g"};
    command.insert(command.end(), flags.begin(), flags.end());
    command.insert(command.end(), {"-c", sources[i], "-o", object});
    run_compiler(c == all_c ? linker : find_toolchain(c ? Language::c : Language::cpp), command, sources[i]);
    link.push_back(object);
  }
  link.insert(link.end(), flags.begin(), flags.end());
  run_compiler(linker, link, sources[0]);
}

}  // namespace thrum
