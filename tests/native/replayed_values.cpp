// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "native/replayed_values.hpp"

#include <algorithm>
#include <sstream>

namespace thrum {

namespace {

constexpr std::uint64_t kMost = 8;  // bytes of a value

std::uint8_t byte_of(std::uint64_t value, std::uint64_t i) {
  return static_cast<std::uint8_t>(value >> 8 * i);
}

}  // namespace

std::string ReplayedValues::read(std::uint64_t address, std::uint64_t size, std::uint64_t value) {
  ++reads;
  for (std::uint64_t i = 0; i < std::min(size, kMost); ++i) {
    const auto [at, is_new] = bytes_.emplace(address + i, byte_of(value, i));
    ++(is_new ? unknown : known);
    if (at->second == byte_of(value, i)) continue;
    std::ostringstream text;
    text << std::hex << "byte " << i << " of " << value << " at 0x" << address << " was "
         << unsigned{at->second};
    return text.str();
  }
  return "";
}

void ReplayedValues::write(std::uint64_t address, std::uint64_t size, std::uint64_t value) {
  ++writes;
  for (std::uint64_t i = 0; i < size; ++i) {
    if (i < kMost) {
      bytes_[address + i] = byte_of(value, i);
    } else {
      bytes_.erase(address + i);
    }
  }
}

std::string ReplayedValues::replay(const Event& event) {
  std::string problem;
  switch (event.operation) {
    case Operation::load:
    case Operation::racy_load: return read(event.object, event.size, event.value);
    case Operation::store: write(event.object, event.size, event.operand); return "";
    case Operation::read_modify_write:
    case Operation::compare_exchange:
      problem = read(event.object, event.size, event.value);
      if (event.outcome == Outcome::done) write(event.object, event.size, event.operand);
      return problem;
    default: return "";
  }
}

std::string ReplayedValues::replay(const RecordedAccess& access) {
  const bool is_plain = access.operation == Operation::plain_load ||
                        access.operation == Operation::plain_store ||
                        access.operation == Operation::deallocate;
  if (!is_plain) return access.in_section ? "" : "it is no plain access";
  if (access.size == 0 || access.object / kMost != (access.object + access.size - 1) / kMost)
    return "it is not within one cell";
  if (access.writes != (access.operation != Operation::plain_load)) return "it both reads and writes";
  if (access.operation == Operation::plain_load) return read(access.object, access.size, access.value);
  write(access.object, access.size, access.value);
  if (access.operation == Operation::plain_store) return "";
  for (std::uint64_t i = 0; i < access.size; ++i) bytes_.erase(access.object + i);
  return access.value == 0 ? "" : "the end of memory has a value";
}

std::string ReplayedValues::replay(const Trace& trace) {
  bytes_.clear();
  auto access = trace.accesses.begin();
  for (std::uint32_t i = 0; i <= trace.events.size(); ++i) {
    for (; access != trace.accesses.end() && access->event <= i; ++access) {
      if (access->event != i) return "accesses are not in order";
      const std::string problem = replay(*access);
      if (problem.empty()) continue;
      std::ostringstream text;
      text << "access " << access - trace.accesses.begin() << " by thread " << access->thread
           << " before event " << i << ": " << problem;
      return text.str();
    }
    if (i == trace.events.size()) break;
    const std::string problem = replay(trace.events[i]);
    if (!problem.empty()) return "event " + std::to_string(i) + ": " + problem;
  }
  return access == trace.accesses.end() ? "" : "accesses behind the last event";
}

}  // namespace thrum
