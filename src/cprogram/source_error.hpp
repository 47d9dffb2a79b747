// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is wrong with a C file, and where. what() is the message alone.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "boolprog/syntax.hpp"

namespace thrum::cprogram {

class SourceError : public std::runtime_error {
 public:
  SourceError(std::string file, bp::Position where, const std::string& message)
      : std::runtime_error(message), file_(std::move(file)), where_(where) {}
  const std::string& file() const { return file_; }
  bp::Position where() const { return where_; }

 private:
  std::string file_;
  bp::Position where_;
};

}  // namespace thrum::cprogram
