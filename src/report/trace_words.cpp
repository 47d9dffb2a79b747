// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/trace_words.hpp"

#include <optional>
#include <utility>

#include "support/hex.hpp"

namespace thrum {

std::string from_hex(const std::string& text) {
  std::optional<std::string> bytes = bytes_of_hex(text);
  if (!bytes) throw std::runtime_error("'" + text + "' is not made of hexadecimal bytes");
  return std::move(*bytes);
}

}  // namespace thrum
