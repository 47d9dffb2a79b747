// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes as text: two hexadecimal digits for each. Tested by hex_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace thrum {

std::string to_hex(std::string_view bytes);

// Nothing if the text is not made of such pairs.
std::optional<std::string> bytes_of_hex(std::string_view text);

}  // namespace thrum
