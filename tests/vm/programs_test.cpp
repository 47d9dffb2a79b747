// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each program of tests/vm/programs, compiled natively and as bitcode: both have the same output and the same
// exit status. The programs use the C library area by area, and have no two threads at a time.
//
// The machine's libraries are those in the folder that THRUM_VM_LIBRARY names, or else those that `thrum
// vm-library` has made for the tests in the build folder; without them there is nothing to run.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <ostream>

#include "programs/child_process.hpp"
#include "vm/machine_run.hpp"

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

struct Case {
  std::string program;  // its file's name
  std::string level;    // of optimisation
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.program << " " << one.level; }

std::string folder() { return std::string(THRUM_SOURCE_DIR) + "/tests/vm/programs"; }

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const auto& entry : fs::directory_iterator(folder())) {
    for (const char* const level : {"-O0", "-O1", "-O2"})
      all.push_back({entry.path().filename().string(), level});
  }
  return all;
}

// Empty: there is none.
std::string libraries_folder() {
  if (const char* const named = std::getenv("THRUM_VM_LIBRARY")) return named;
  std::string newest;
  fs::file_time_type time;
  std::error_code error;
  for (const auto& entry :
       fs::directory_iterator(std::string(THRUM_BUILD_DIR) + "/tests/vm-library/thrum", error)) {
    if (!fs::exists(entry.path() / "libstdc++.bc") || !fs::exists(entry.path() / "thrum-vm.bc")) continue;
    if (!newest.empty() && entry.last_write_time() < time) continue;
    newest = entry.path().string();
    time = entry.last_write_time();
  }
  return newest;
}

class VmPrograms : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (run_child({"clang++-19", "--version"}, {}, kSeconds).exit_code != 0)
      GTEST_SKIP() << "there is no clang++-19";
    libraries_ = libraries_folder();
    if (libraries_.empty()) GTEST_SKIP() << "the machine's libraries were not built: thrum vm-library";
    std::string pattern = fs::temp_directory_path().string() + "/thrum-vm-XXXXXX";
    if (mkdtemp(pattern.data()) != nullptr) work_ = pattern;
    ASSERT_FALSE(work_.empty());
  }
  void TearDown() override {
    if (!work_.empty()) fs::remove_all(work_);
  }

  void compile(const Words& options) {
    const bool is_cpp = GetParam().program.ends_with(".cpp");
    Words command = {is_cpp ? "clang++-19" : "clang-19",
                     is_cpp ? "-std=gnu++20" : "-std=gnu17",
                     GetParam().level,
                     "-g",
                     "-w",
                     folder() + "/" + GetParam().program};
    command.insert(command.end(), options.begin(), options.end());
    const ChildResult result = run_child(command, {}, kSeconds);
    ASSERT_EQ(result.exit_code, 0) << result.errors;
  }
  std::string path(const std::string& name) const { return work_ + "/" + name; }
  std::vector<std::string> libraries() const {
    const std::string c = libraries_ + "/thrum-vm.bc", cpp = libraries_ + "/libstdc++.bc";
    return {c, cpp, c};
  }

  static constexpr int kSeconds = 120;

 private:
  std::string libraries_;
  std::string work_;
};

TEST_P(VmPrograms, DoAsNatively) {
  ASSERT_NO_FATAL_FAILURE(compile({"-pthread", "-o", path("native"), "-lm"}));
  ASSERT_NO_FATAL_FAILURE(compile({"-fsanitize=thread", "-mllvm", "-tsan-distinguish-volatile", "-mllvm",
                                   "-tsan-instrument-read-before-write", "-fno-vectorize",
                                   "-fno-slp-vectorize", "-emit-llvm", "-c", "-o", path("program.bc")}));
  const ChildResult native = run_child({path("native")}, {"TZ=UTC", "LC_ALL=C"}, kSeconds);
  ASSERT_TRUE(native.exit_code) << native.errors;
  const MachineRun machine = run_in_machine({path("program.bc")}, libraries());
  EXPECT_EQ(machine.problem, "");
  EXPECT_EQ(machine.status, *native.exit_code);
  EXPECT_EQ(machine.output, native.output);
  EXPECT_NE(native.output, "");
}

std::string name_of(const testing::TestParamInfo<Case>& one) {
  std::string name = one.param.program + one.param.level;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, VmPrograms, testing::ValuesIn(cases()), name_of);

}  // namespace
