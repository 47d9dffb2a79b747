// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plan: what to run. It consists of a policy, the departures from it, and the fixed inputs; everything else
// follows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/choice.hpp"
#include "model/policy.hpp"
#include "support/bytes.hpp"

namespace thrum {

struct Departure {
  ChoiceKey key;
  Option option;

  friend bool operator==(const Departure&, const Departure&) = default;
};

// A value that the program requests from its environment, such as by __VERIFIER_nondet_int(). What a thread
// does decides how wide its inputs are: a plan may have several of one number, of which each is for its
// width.
struct InputValue {
  ThreadId thread = kMainThread;  // the thread that requests it
  std::uint32_t number = 0;       // the number of the thread's inputs before this one
  std::uint32_t bits = 0;         // its width
  std::string bytes;              // (bits + 7) / 8 of them, the lowest first

  friend bool operator==(const InputValue&, const InputValue&) = default;
};

struct Plan {
  Policy policy;
  std::vector<Departure> departures;  // in the order in which the execution meets them
  std::vector<InputValue> inputs{};   // other inputs are as without a plan

  friend bool operator==(const Plan&, const Plan&) = default;
};

// The bytes hold names and no ids, so they mean the same to any table of names.
void write_plan(ByteWriter& out, const Plan& plan, const ThreadNames& names);
// Sets in.ok() to false if the bytes are no plan.
Plan read_plan(ByteReader& in, ThreadNames& names);

// One line for people: "base; 0.1@3 thread=0.2; 0.2@5 timeout=0.1; 0.1 input 0=7".
std::string to_string(const Plan& plan, const ThreadNames& names);

}  // namespace thrum
