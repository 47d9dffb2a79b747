// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm_worker/loading.hpp"

#include <fstream>
#include <iterator>
#include <vector>

#include "bitcode_section/program_bitcode.hpp"

namespace thrum {

namespace {

bitcode::Input read_library(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw vm::Refused{path + ": cannot be read"};
  return {path, std::string(std::istreambuf_iterator<char>(file), {})};
}

bool is_of_cpp_library(const std::string& name) {
  return name.starts_with("_Z") || name.starts_with("__cxa_");
}

}  // namespace

bitcode::Linked load_program(const std::string& program, const Job& job) {
  const ProgramBitcode file(program);
  if (!file.problem().empty()) throw vm::Refused{file.problem()};
  std::vector<bitcode::Input> modules;
  for (const BitcodeRecord& record : file.records())
    modules.push_back({std::string(record.name), std::string(record.bitcode)});
  if (modules.empty()) throw vm::Refused{program + ": has no bitcode; compile with thrum c++ --bitcode"};
  std::vector<bitcode::Input> libraries;
  for (const std::string& path : {job.cpp_bitcode, job.c_bitcode}) {
    if (!path.empty()) libraries.push_back(read_library(path));
  }
  try {
    return bitcode::link(modules, libraries,
                         job.state_cache ? bitcode::CodeUse::states : bitcode::CodeUse::executions);
  } catch (const vm::Refused& refused) {
    if (job.cpp_bitcode.empty() && is_of_cpp_library(refused.missing)) {
      throw vm::Refused{program + ": needs " + refused.missing +
                            ", and the C++ library is not there as bitcode: run thrum vm-library",
                        refused.missing};
    }
    throw vm::Refused{program + ": cannot run on the machine: " + refused.why, refused.missing};
  }
}

}  // namespace thrum
