// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How text for people looks: width, colours, line breaks.
#pragma once

#include <cstdint>
#include <string>

namespace thrum {

inline constexpr char kRed[] = "\033[1;31m";
inline constexpr char kGreen[] = "\033[1;32m";
inline constexpr char kYellow[] = "\033[1;33m";
inline constexpr char kDim[] = "\033[2m";

enum class Colour : std::uint8_t { automatic, always, never };

struct TextStyle {
  int width = 100;
  bool colours = false;
  bool unfolded = false;     // show stretches without a switch in full
  bool assumptions = false;  // the full text of those that hold for every check, too
  bool statistics = false;   // what each search did, in numbers
  std::string directory{};   // paths below it are shown without it
};

// The width and colours for a descriptor. The width: COLUMNS, else the terminal's. Colours, where it is left
// to us: only on a terminal, and not where NO_COLOR is set.
TextStyle style_for(int descriptor, Colour colour = Colour::automatic);

// text in a colour, or as it is.
std::string coloured(const std::string& text, const char* colour, bool colours);

// Breaks a paragraph into lines that begin with first, then with spaces.
std::string wrap(const std::string& paragraph, const std::string& first, int width);

inline const char* plural(std::uint64_t count) { return count == 1 ? "" : "s"; }

}  // namespace thrum
