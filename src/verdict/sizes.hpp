// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes of memory, as users say and read them.
#pragma once

#include <cstdint>
#include <string>

namespace thrum {

// The bytes of a size such as 500M: K, M, G and T count in powers of 1024. Throws UserError, with the
// option's name.
std::uint64_t read_size(const std::string& option, const std::string& text);

// In the largest unit of which there is one at least, such as "1.5G"; read_size() understands whole ones.
std::string size_words(std::uint64_t bytes);

}  // namespace thrum
