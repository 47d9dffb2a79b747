// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tested by text_report_test.cpp.
#include "report/text_style.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace thrum {

namespace {

constexpr int kWidthMin = 40;
constexpr int kWidthMax = 1000;

// What COLUMNS says; 0 where it says nothing of use.
int columns_wanted() {
  const char* text = std::getenv("COLUMNS");
  std::string_view words = text ? text : "";
  int columns = 0;
  auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), columns);
  bool is_number = error == std::errc() && end == words.data() + words.size();
  return is_number && columns >= kWidthMin && columns <= kWidthMax ? columns : 0;
}

}  // namespace

TextStyle style_for(int descriptor, Colour colour) {
  TextStyle style;
  winsize size{};
  bool terminal = isatty(descriptor) != 0;
  if (int columns = columns_wanted(); columns != 0) {
    style.width = columns;
  } else if (terminal && ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col >= kWidthMin) {
    style.width = size.ws_col;
  }
  const char* no_colour = std::getenv("NO_COLOR");
  bool wanted = terminal && (no_colour == nullptr || *no_colour == '\0');
  style.colours = colour == Colour::automatic ? wanted : colour == Colour::always;
  return style;
}

std::string coloured(const std::string& text, const char* colour, bool colours) {
  if (!colours) return text;
  bool line_end = text.ends_with('\n');  // stays outside, so that the next line is not coloured
  return colour + text.substr(0, text.size() - (line_end ? 1 : 0)) + "\033[0m" + (line_end ? "\n" : "");
}

// Breaks a paragraph into lines that begin with first, then with spaces.
std::string wrap(const std::string& paragraph, const std::string& first, int width) {
  std::string text = first;
  std::string indent(first.size(), ' ');
  std::size_t column = first.size();
  for (std::size_t at = 0; at < paragraph.size();) {
    std::size_t end = std::min(paragraph.find(' ', at), paragraph.size());
    std::string word = paragraph.substr(at, end - at);
    if (column > indent.size() && column + 1 + word.size() > static_cast<std::size_t>(width)) {
      text += "\n" + indent;
      column = indent.size();
    }
    if (column > indent.size()) {
      text += ' ';
      ++column;
    }
    text += word;
    column += word.size();
    at = end + 1;
  }
  return text + "\n";
}

}  // namespace thrum
