// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints long text for people through their pager.
#pragma once

#include <string>

namespace thrum {

// Writes text to standard output. On a terminal it goes through $PAGER, or through less if PAGER is not set;
// like git's, less ends by itself if the text fits the screen. PAGER=cat or an empty PAGER: no pager.
void show_paged(const std::string& text);

}  // namespace thrum
