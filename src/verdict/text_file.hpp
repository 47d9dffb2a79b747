// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files that the user names.
#pragma once

#include <string>

namespace thrum {

// The content. option: what stands before the path in the error, such as "--baseline ". Throws UserError
// where the file cannot be read.
std::string read_file(const std::string& path, const std::string& option = "");

// Throws UserError where the file cannot be written.
void write_file(const std::string& path, const std::string& text);

}  // namespace thrum
