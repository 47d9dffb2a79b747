// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all pictures as SVG have in common.
//
// Tested by plot_test.cpp and unfolding_picture_test.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace thrum {

// Told apart also by those who see no red or no green (Okabe and Ito).
inline constexpr std::array kSvgColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                           "#e69f00", "#56b4e9", "#444444"};

// The beginning of a document of that size, with a white ground. It ends with "</svg>".
std::string svg_begin(double width, double height);

// What may stand in a document: five characters mean something else there, and most controls are forbidden.
std::string svg_text(const std::string& text);

// The number of characters of a text in UTF-8.
std::size_t characters_of(const std::string& text);

// At most so many characters of it, and dots where it has more.
std::string cut_name(const std::string& text, std::size_t most);

}  // namespace thrum
