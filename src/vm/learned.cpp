// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What executions have shown of the program, and what a report tells of it: it lies outside the program's
// memory, and passes from process to process as bytes.
#include "vm/machine.hpp"

namespace thrum::vm {

namespace {

template <typename Set>
void put_numbers(ByteWriter& out, const Set& numbers) {
  out.put(static_cast<std::uint32_t>(numbers.size()));
  for (const std::uint64_t number : numbers) out.put(number);
}

template <typename Set>
void add_numbers(ByteReader& in, Set& numbers) {
  for (std::uint32_t left = in.get_count(); left > 0 && in.ok(); --left)
    numbers.insert(in.get<std::uint64_t>());
}

}  // namespace

void Machine::write_learned(ByteWriter& out) const {
  spins_.write_learned(out);
  out.put(idle_rounds_.waiting());
  out.put(passed_over_races);
  out.put(inputs.are_drawn);
  out.put(inputs.vectors);
  out.put(tests.has_begun);
  out.put(tests.skipped);
  out.put_string(tests.skip_reason);
  for (const bool flag : {tests.has_parts, tests.saw_end, tests.saw_more}) out.put(flag);
  out.put_string(tests.part_name);
  put_numbers(out, weaker_atomics_);
  put_numbers(out, named_code_);
  put_numbers(out, named_data_);
  out.put(static_cast<std::uint32_t>(named_locals_.size()));
  for (const auto& [key, local] : named_locals_) {
    out.put(local.function);
    out.put(local.distance);
    out.put(local.size);
    out.put_string(local.of);
    out.put_string(local.name);
  }
}

void Machine::add_learned(ByteReader& in) {
  spins_.add_learned(in);
  if (const auto waiting = in.get<Waiting>(); waiting > Waiting::changed) {
    in.fail();
  } else if (waiting != Waiting::spins) {
    idle_rounds_.use(waiting);
  }
  passed_over_races |= in.get<bool>();
  inputs.are_drawn |= in.get<bool>();
  inputs.vectors |= in.get<std::uint64_t>();
  tests.has_begun |= in.get<bool>();
  const auto skipped = in.get<std::uint64_t>();
  const std::string reason = in.get_string();
  if (tests.skipped == 0) tests.skip_reason = reason;
  tests.skipped += skipped;
  for (bool* const flag : {&tests.has_parts, &tests.saw_end, &tests.saw_more}) *flag |= in.get<bool>();
  const std::string part = in.get_string();
  if (tests.part_name.empty()) tests.part_name = part;
  add_numbers(in, weaker_atomics_);
  add_numbers(in, named_code_);
  add_numbers(in, named_data_);
  for (std::uint32_t left = in.get_count(); left > 0 && in.ok(); --left) {
    NamedLocal local;
    local.function = in.get<std::uint64_t>();
    local.distance = in.get<std::uint64_t>();
    local.size = in.get<std::uint64_t>();
    local.of = in.get_string();
    local.name = in.get_string();
    named_locals_[{local.function, local.distance}] = std::move(local);
  }
}

}  // namespace thrum::vm
