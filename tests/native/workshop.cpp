// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "native/workshop.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "programs/child_process.hpp"

namespace thrum {

namespace {

namespace fs = std::filesystem;

constexpr int kTimeoutSeconds = 120;

ChildResult thrum(std::vector<std::string> command) {
  command.insert(command.begin(), THRUM_PROGRAM);
  ChildResult result = run_child(command, {}, kTimeoutSeconds);
  if (result.timed_out) throw std::runtime_error("thrum does not end");
  if (result.left_processes) throw std::runtime_error("thrum leaves a process behind");
  return result;
}

}  // namespace

bool is_machine() {
  const char* engine = std::getenv("THRUM_NATIVE_ENGINE");
  return engine != nullptr && std::string_view(engine) == "vm";
}

Workshop::Workshop() {
  std::string pattern = (fs::temp_directory_path() / "thrum-native-XXXXXX").string();
  if (!mkdtemp(pattern.data())) throw std::runtime_error("cannot make " + pattern);
  folder_ = pattern;
}

Workshop::~Workshop() {
  std::error_code ignored;
  if (!kept_) fs::remove_all(folder_, ignored);
}

std::string Workshop::compile(const std::string& name, const std::string& source,
                              const std::string& flag) const {
  std::ofstream(path(name + ".cpp")) << source;
  const char* flags = flag.empty() ? std::getenv("THRUM_NATIVE_FLAGS") : flag.c_str();
  // Line numbers take time, and places are in the messages.
  std::vector<std::string> command = {"c++", "-std=c++20", flags ? flags : "-O1", "-g0", path(name + ".cpp"),
                                      "-o",  path(name)};
  if (is_machine()) command.insert(command.begin() + 1, "--bitcode");
  ChildResult result = thrum(std::move(command));
  return result.exit_code == 0 ? "" : "it does not compile: " + result.errors;
}

nlohmann::json Workshop::check(const std::string& name, std::size_t number,
                               const std::vector<std::string>& options) const {
  std::vector<std::string> command = {"check", path(name), "--keep-going", "--json",
                                      "-",     "--out",    path("out")};
  if (is_machine()) {
    command.insert(command.end(), {"--engine", "vm"});
    if (std::find(options.begin(), options.end(), "--jobs") == options.end())
      command.insert(command.end(), {"--jobs", "1"});
  }
  command.insert(command.end(), options.begin(), options.end());
  command.insert(command.end(), {"--", std::to_string(number)});
  ChildResult result = thrum(command);
  nlohmann::json document = nlohmann::json::parse(result.output, nullptr, false);
  if (document.is_discarded()) throw std::runtime_error("no result: " + result.output + result.errors);
  return document;
}

}  // namespace thrum
