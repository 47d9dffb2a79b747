// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "endtoend.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "schema.hpp"

namespace fs = std::filesystem;

namespace {
constexpr int kTimeoutSeconds = 120;
}

void EndToEnd::SetUp() {
  std::string pattern = (fs::temp_directory_path() / "thrum-endtoend-XXXXXX").string();
  ASSERT_NE(mkdtemp(pattern.data()), nullptr);
  folder_ = pattern;
}

void EndToEnd::TearDown() { fs::remove_all(folder_); }

ChildResult EndToEnd::run(const std::vector<std::string>& command, const std::string& directory,
                          const std::vector<std::string>& environment) {
  std::vector<std::string> words = {"env", "--chdir=" + directory};
  words.insert(words.end(), command.begin(), command.end());
  ChildResult result = run_child(words, environment, kTimeoutSeconds);
  EXPECT_FALSE(result.timed_out);
  EXPECT_FALSE(result.left_processes);
  return result;
}

ChildResult EndToEnd::thrum(const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {THRUM_PROGRAM};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return run(command, folder_);
}

bool EndToEnd::has_solver() {
  return thrum({"doctor"}).output.find("Z3, for --strategy mcr") != std::string::npos;
}

pid_t EndToEnd::start(const std::vector<std::string>& arguments) const {
  std::vector<std::string> words = {THRUM_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const pid_t child = fork();
  if (child != 0) return child;
  setpgid(0, 0);
  if (chdir(folder_.c_str()) != 0) _exit(1);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  if (std::freopen("/dev/null", "w", stdout) == nullptr) _exit(1);
  execv(THRUM_PROGRAM, pointers.data());
  _exit(1);
}

std::vector<pid_t> EndToEnd::children_of(pid_t process) {
  const std::string number = std::to_string(process);
  std::ifstream in("/proc/" + number + "/task/" + number + "/children");
  return {std::istream_iterator<pid_t>(in), {}};
}

std::string EndToEnd::write(const std::string& name, const std::string& text) const {
  std::ofstream(path(name)) << text;
  return path(name);
}

std::string EndToEnd::read(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string EndToEnd::build(const std::string& source) {
  std::string program = path(fs::path(source).stem());
  bool c = source.ends_with(".c");
  ChildResult result =
      thrum({c ? "cc" : "c++", c ? "-std=c11" : "-std=c++20", "-O1", "-g", source, "-o", program});
  EXPECT_EQ(result.exit_code, 0) << result.errors;
  return program;
}

nlohmann::json EndToEnd::check(std::vector<std::string> arguments, int exit_code,
                               const std::vector<std::string>& command) {
  arguments.insert(arguments.begin(), {"--json", "result.json"});
  arguments.insert(arguments.begin(), command.begin(), command.end());
  ChildResult result = thrum(arguments);
  EXPECT_EQ(result.exit_code, exit_code) << result.output << result.errors;
  nlohmann::json document = nlohmann::json::parse(read(path("result.json")), nullptr, false);
  if (document.is_discarded()) {
    ADD_FAILURE() << "no JSON: " << result.output << result.errors;
    return {};
  }
  nlohmann::json schema =
      nlohmann::json::parse(read(std::string(THRUM_SOURCES) + "/docs/result.schema.json"));
  EXPECT_EQ(schema_violation(schema, document), "");
  return document;
}

std::string example(const std::string& name) { return std::string(THRUM_SOURCES) + "/examples/" + name; }
