// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "verdict/text_file.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "verdict/error.hpp"

namespace thrum {

std::string read_file(const std::string& path, const std::string& option) {
  if (std::filesystem::is_directory(path)) throw UserError(option + path + ": is a directory; name a file");
  std::ifstream in(path);
  if (!in) throw UserError(option + path + ": " + std::strerror(errno));
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path);
  out << text;
  out.close();
  if (!out) throw UserError(path + ": cannot be written: " + std::strerror(errno));
}

}  // namespace thrum
