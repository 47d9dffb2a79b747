// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/trace_words.hpp"

#include <fmt/format.h>

#include <charconv>

namespace thrum {

std::string to_hex(const std::string& bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

std::string from_hex(const std::string& text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    unsigned char byte = 0;
    const char* end = text.data() + std::min(i + 2, text.size());
    const auto [read, error] = std::from_chars(text.data() + i, end, byte, 16);
    if (error != std::errc() || read != text.data() + i + 2)
      throw std::runtime_error("'" + text + "' is not made of hexadecimal bytes");
    bytes += static_cast<char>(byte);
  }
  return bytes;
}

}  // namespace thrum
