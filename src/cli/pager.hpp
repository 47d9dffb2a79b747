// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Long text for people, through their pager.
#pragma once

#include <string>

namespace thrum {

// Writes text to standard output; where that is a terminal, through $PAGER, or less where it is not set (as
// git does: less leaves again where the text fits the screen). PAGER=cat or an empty PAGER: no pager.
void show_paged(const std::string& text);

}  // namespace thrum
