// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a machine cannot do has something in its place, or is said; `thrum doctor` knows.
#include "endtoend.hpp"

namespace {

class Machine : public EndToEnd {
 protected:
  ChildResult doctor_without(const std::string& call) {
    return run({DENY_CALL, call, THRUM_PROGRAM, "doctor"}, path(""), {"THRUM_CXX=g++"});
  }
};

bool says(const ChildResult& result, const std::string& text) {
  return result.output.find(text) != std::string::npos;
}

TEST_F(Machine, DoctorTriesTheCompilers) {
  ChildResult result = thrum({"doctor"});
  EXPECT_EQ(result.exit_code, 0) << result.output << result.errors;
  EXPECT_TRUE(says(result, "ok g++ ")) << result.output;
  EXPECT_TRUE(says(result, "ok clang++-19 ")) << result.output;
  EXPECT_TRUE(says(result, "works: a trial program's bug was found")) << result.output;
  EXPECT_TRUE(says(result, " vm-library ")) << result.output;
  EXPECT_TRUE(says(result, "This machine can check programs.")) << result.output;
}

TEST_F(Machine, DoctorFindsThatACompilerDoesNotWork) {
  ChildResult result = run({THRUM_PROGRAM, "doctor"}, path(""), {"THRUM_CXX=false"});
  EXPECT_EQ(result.exit_code, 2) << result.output;
  EXPECT_TRUE(says(result, "!! false")) << result.output;
}

TEST_F(Machine, DoctorFindsWhatIsRefused) {
  ChildResult fixed = doctor_without("personality");
  EXPECT_EQ(fixed.exit_code, 0) << fixed.output << fixed.errors;
  EXPECT_TRUE(says(fixed, "-- address randomisation")) << fixed.output;
  ChildResult unwatched = doctor_without("prctl");
  EXPECT_EQ(unwatched.exit_code, 0) << unwatched.output << unwatched.errors;
  EXPECT_TRUE(says(unwatched, "-- syscall user dispatch")) << unwatched.output;
}

TEST_F(Machine, SystemCallsThatAreNotWatchedLeaveNothingProved) {
  std::string program = build(example("bluetooth_fixed.cpp"));
  ChildResult result = run({DENY_CALL, "prctl", THRUM_PROGRAM, "check", "--json", "-", program}, path(""));
  EXPECT_EQ(result.exit_code, 3) << result.output << result.errors;
  EXPECT_TRUE(says(result, "system-calls-not-watched")) << result.output;
}

TEST_F(Machine, TooLittleAddressSpaceIsSaid) {
  std::string program = build(example("bluetooth_fixed.cpp"));
  std::string command = "ulimit -v 4000000; exec " THRUM_PROGRAM " check " + program;
  ChildResult result = run({"bash", "-c", command}, path(""));
  EXPECT_EQ(result.exit_code, 2) << result.output << result.errors;
  EXPECT_NE(result.errors.find("ulimit -v"), std::string::npos) << result.errors;
  // A limit that may be lifted is.
  std::string soft = "ulimit -S -v 4000000; exec " THRUM_PROGRAM " check " + program;
  EXPECT_EQ(run({"bash", "-c", soft}, path("")).exit_code, 0);
}

}  // namespace
