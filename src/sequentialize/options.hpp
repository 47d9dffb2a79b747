// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is asked of a sequentialization, what comes of it, and what may be wrong with the program.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace thrum::seq {

enum class Form : std::uint8_t {
  normal,  // concurrent still: each statement makes one access to what threads may share
  kiss,    // Qadeer and Wu (PLDI 2004): threads run as calls, and end early
  lazy,    // round robin, threads as resumable functions (La Torre, Madhusudan and Parlato, CAV 2009)
  eager,   // round robin, a copy of the shared variables for each round (Lal and Reps, CAV 2008)
};

struct Options {
  Form form = Form::kiss;
  unsigned rounds = 2;   // lazy and eager
  unsigned pending = 2;  // kiss: threads that may wait for their start; a further one runs at once
  unsigned threads = 8;  // started in an execution, main included; those that start more are left out
  std::string race;      // a variable, or TYPE.FIELD: look for races on it; empty: for none
  std::vector<std::string> flags{};  // of the compiler: -I, -D and the like
};

struct Place {
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
};

// What a line of the sequential program is made of; line 0: of the prelude.
using Origin = Place;

struct Sequential {
  std::string text;
  std::vector<Origin> origins{};         // of each line, the first line first
  std::vector<std::string> functions{};  // that run as threads, by number; main is number 0
};

// What is wrong with the program, and where. what() is the message alone.
class SourceError : public std::runtime_error {
 public:
  SourceError(Place where, const std::string& message)
      : std::runtime_error(message), where_(std::move(where)) {}
  const Place& where() const { return where_; }

 private:
  Place where_;
};

}  // namespace thrum::seq
