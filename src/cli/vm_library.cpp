// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/vm_library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <vector>

#include "cli/driver.hpp"
#include "cli/process.hpp"
#include "cli/temporary_folder.hpp"
#include "cli/vm_recipe.hpp"
#include "report/result.hpp"
#include "supervisor/signals.hpp"
#include "support/digest.hpp"
#include "verdict/error.hpp"
#include "verdict/text_file.hpp"

namespace thrum {

namespace {

namespace fs = std::filesystem;

constexpr const char* kClang = "clang-19";
constexpr const char* kClangCpp = "clang++-19";
constexpr const char* kLink = "llvm-link-19";
constexpr int kExitNotThere = 1;  // of --where

// The recipes, and what lies beside them.
std::string recipes_folder() { return installation_prefix() + "/share/thrum/libraries"; }

// The folder of Thrum in the user's cache. https://specifications.freedesktop.org/basedir-spec: a relative
// path is ignored.
std::string cache_folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr || value[0] != '/' ? "" : value);
  };
  const std::string cache = variable("XDG_CACHE_HOME");
  if (!cache.empty()) return cache + "/thrum";
  const std::string home = variable("HOME");
  if (home.empty()) throw UserError("vm-library: there is no cache: set XDG_CACHE_HOME or HOME");
  return home + "/.cache/thrum";
}

void make_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw UserError(path + ": cannot be made: " + error.message());
}

// The value of a macro among the lines of `clang -dM`; empty: it is not defined.
std::string macro(const std::string& lines, const std::string& name) {
  const std::string begin = "#define " + name + " ";
  std::size_t at = lines.starts_with(begin) ? 0 : lines.find("\n" + begin);
  if (at == std::string::npos) return "";
  at = lines.find(begin, at) + begin.size();
  return lines.substr(at, lines.find('\n', at) - at);
}

std::string macros(const Command& headers) {
  Command command = {kClangCpp, "-dM", "-E", "-x", "c++"};
  command.insert(command.end(), headers.begin(), headers.end());
  command.emplace_back("/dev/null");
  return output_of(command).value_or("");
}

// All files below the folder, with their names, in the order of these.
std::string contents_of(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (auto it = fs::recursive_directory_iterator(folder, error); it != fs::recursive_directory_iterator();
       it.increment(error)) {
    if (error) break;
    if (it->is_regular_file(error)) paths.push_back(it->path().string());
  }
  if (error || paths.empty()) throw UserError(folder + ": is not there: build or install Thrum completely");
  std::sort(paths.begin(), paths.end());
  std::string contents;
  for (const std::string& path : paths)
    contents += path.substr(folder.size()) + '\n' + read_file(path) + '\n';
  return contents;
}

bool is_file(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

std::size_t processors(int jobs) {
  if (jobs > 0) return static_cast<std::size_t>(jobs);
  return std::max(1U, std::thread::hardware_concurrency());
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// Brings the archive's files, or those among them that the recipe needs, into the folder.
void unpack(const std::string& archive, const std::vector<std::string>& patterns, const std::string& folder) {
  Command command = {"tar", "-x", "-f", archive, "-C", folder, "--wildcards", "--strip-components=1"};
  for (const std::string& pattern : patterns) command.push_back("*/" + pattern);
  const std::string messages = folder + "/messages";
  if (run_all({{command, folder, messages}}, 1))
    throw UserError(fmt::format("{}: cannot be unpacked: {}", archive, first_line(read_file(messages))));
}

// A library that is being built, in a folder of its own, so that nothing is left of one that fails.
class Build {
 public:
  // name: of the result, such as libstdc++.bc.
  Build(const std::string& recipe, std::string name)
      : name_(std::move(name)), cache_(made(cache_folder())), folder_(cache_) {
    const std::string recipes = recipes_folder();
    recipe_ = parse_recipe(read_file(recipes + "/" + recipe), recipes, recipe);
  }

  const Recipe& recipe() const { return recipe_; }
  const std::string& folder() const { return folder_.path(); }

  // Compiles and links, and gives the result its place.
  void run(const std::string& place, int jobs) {
    const auto begin = std::chrono::steady_clock::now();
    std::vector<Task> tasks;
    Command link = {kLink, "-o", name_};
    for (const RecipeFile& file : recipe_.files) {
      const std::string base = fmt::format("{}/{:03}", folder(), tasks.size());
      Command command = {file.source.ends_with(".c") ? kClang : kClangCpp};
      command.insert(command.end(), file.flags.begin(), file.flags.end());
      command.insert(command.end(), {"-emit-llvm", "-c", file.source, "-o", base + ".bc"});
      tasks.push_back({command, folder(), base + ".messages"});
      link.push_back(base + ".bc");
    }
    fmt::print(stderr, "{}: compiling {} files\n", name_, tasks.size());
    if (const auto failed = run_all(tasks, processors(jobs))) {
      refuse_interrupted();
      throw UserError(fmt::format("{}: {} does not compile: see the messages of {} in {}", name_,
                                  recipe_.files[*failed].source, tasks[*failed].command[0],
                                  kept(tasks[*failed].output)));
    }
    const std::string messages = folder() + "/messages";
    if (run_all({{link, folder(), messages}}, 1)) {
      refuse_interrupted();
      throw UserError(
          fmt::format("{}: cannot be linked: see the messages of {} in {}", name_, kLink, kept(messages)));
    }
    move_to(place);
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    fmt::print(stderr, "{}: built in {:.1f} s\n", name_, time.count());
  }

  void refuse_interrupted() const {
    if (interrupt_count() != 0) throw UserError(name_ + ": interrupted; nothing was built");
  }

 private:
  static std::string made(std::string folder) {
    make_folder(folder);
    sweep_temporary_folders(folder);
    return folder;
  }

  // The messages survive the folder that they lie in.
  std::string kept(const std::string& messages) const {
    const std::string path = cache_ + "/vm-library.messages";
    std::error_code error;
    fs::rename(messages, path, error);
    return error ? messages : path;
  }

  // Another process may do the same at the same time, with the same result.
  void move_to(const std::string& place) const {
    make_folder(place);
    std::error_code error;
    fs::rename(folder() + "/" + name_, place + "/" + name_, error);
    if (error) throw UserError(fmt::format("{}/{}: cannot be written: {}", place, name_, error.message()));
  }

  std::string name_;
  std::string cache_;
  TemporaryFolder folder_;
  Recipe recipe_;
};

// The archive of GCC's sources as the Debian package has it, such as gcc-12/gcc-12.2.0-dfsg.tar.xz; empty:
// not there.
std::string archive_of(const std::string& gcc, const std::string& sources) {
  std::error_code error;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(fmt::format("{}/gcc-{}", sources, gcc), error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("gcc-" + gcc + ".") && name.find(".tar.") != std::string::npos)
      return entry.path().string();
  }
  return "";
}

std::string advice(const std::string& gcc) {
  return fmt::format("install gcc-{}-source, and run thrum vm-library", gcc);
}

}  // namespace

bool VmLibrary::has_c() const { return is_file(c()); }
bool VmLibrary::has_cpp() const { return is_file(cpp()); }

VmLibrary find_vm_library() {
  const std::string headers = macros({"-include", "bits/c++config.h"});
  std::string clang = macro(headers, "__clang_version__");
  if (clang.empty()) clang = macro(macros({}), "__clang_version__");  // there are no such headers
  if (clang.empty())
    throw UserError(fmt::format("vm-library: {} cannot be run: install {}", kClangCpp, kClang));
  VmLibrary library;
  library.gcc = macro(headers, "_GLIBCXX_RELEASE");
  Digest digest;
  for (const std::string& part : {std::string(kVersion), clang, library.gcc, macro(headers, "__GLIBCXX__"),
                                  contents_of(recipes_folder())}) {
    digest.add(part.data(), part.size());
  }
  library.folder = fmt::format("{}/vm-library-{}-{:016x}", cache_folder(),
                               library.gcc.empty() ? "c" : library.gcc, digest.value());
  return library;
}

void build_vm_functions(const VmLibrary& library, int jobs) {
  if (library.has_c()) return;
  InterruptHandler handler;  // nothing must be left behind
  Build("machine.recipe", "thrum-vm.bc").run(library.folder, jobs);
}

void build_vm_libstdcpp(const VmLibrary& library, const VmLibraryOptions& options) {
  if (library.has_cpp()) return;
  if (library.gcc.empty()) {
    throw UserError(fmt::format(
        "libstdc++.bc: {} finds no headers of libstdc++: install libstdc++-N-dev and gcc-N-source",
        kClangCpp));
  }
  const std::string archive = archive_of(library.gcc, options.sources);
  if (archive.empty()) {
    throw UserError(fmt::format("libstdc++.bc: the sources of GCC are not in {}/gcc-{}: {}", options.sources,
                                library.gcc, advice(library.gcc)));
  }
  InterruptHandler handler;
  Build build("libstdc++.recipe", "libstdc++.bc");
  unpack(archive, build.recipe().unpack, build.folder());
  build.refuse_interrupted();
  build.run(library.folder, options.jobs);
}

Finding examine_vm_library() {
  try {
    const VmLibrary library = find_vm_library();
    if (library.has_cpp() && library.has_c()) return {"vm-library", State::good, library.cpp()};
    if (library.gcc.empty())
      return {"vm-library", State::fallback, "for --engine vm only: there are no headers of libstdc++"};
    const bool can_build = !archive_of(library.gcc, VmLibraryOptions().sources).empty();
    return {"vm-library", State::fallback,
            "not there, for --engine vm only: " +
                (can_build ? std::string("run thrum vm-library") : advice(library.gcc))};
  } catch (const UserError& error) {
    return {"vm-library", State::fallback, std::string("for --engine vm only: ") + error.what()};
  }
}

int vm_library_command(const VmLibraryOptions& options) {
  const VmLibrary library = find_vm_library();
  if (options.where && !library.has_cpp()) return kExitNotThere;
  if (!options.where) {
    build_vm_functions(library, options.jobs);
    build_vm_libstdcpp(library, options);
  }
  fmt::print("{}\n", library.cpp());
  return kExitDone;
}

}  // namespace thrum
