// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a search of a polling program reports, against all its states.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "native/polling_states.hpp"

namespace thrum {

// The first disagreement, or an empty text. test: of the result of `thrum check`. ended: whether the search
// says "every schedule", or every failed assertion; then all that is so has to be reported.
std::string compare(const nlohmann::json& test, const PollingFindings& findings, bool& ended);

}  // namespace thrum
