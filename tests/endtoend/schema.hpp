// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// JSON Schema, as much of it as docs/ uses.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

// Where and how the document violates the schema; empty where it does not. A keyword of the schema that is
// not known here is a violation, so that nothing goes unchecked.
std::string schema_violation(const nlohmann::json& schema, const nlohmann::json& document);
