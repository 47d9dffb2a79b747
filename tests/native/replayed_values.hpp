// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The values that a trace says were written, in a map of bytes, against those that it says were read: a check
// of recorded values (Wanted::kAccesses) that shares nothing with what records them.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "model/trace.hpp"

namespace thrum {

class ReplayedValues {
 public:
  // Goes through events and accesses in their order. Returns an empty text, or the first disagreement: a byte
  // that was written or read last with another value than it is read now, or a record that breaks the rules
  // of RecordedAccess.
  std::string replay(const Trace& trace);

  std::uint64_t reads = 0;  // plain ones and those of atomic operations
  std::uint64_t writes = 0;
  std::uint64_t known = 0;    // bytes that were read and known
  std::uint64_t unknown = 0;  // bytes that were read and not known: the first accesses of initial values

 private:
  std::string read(std::uint64_t address, std::uint64_t size, std::uint64_t value);
  void write(std::uint64_t address, std::uint64_t size, std::uint64_t value);
  std::string replay(const Event& event);
  std::string replay(const RecordedAccess& access);

  std::map<std::uint64_t, std::uint8_t> bytes_;
};

}  // namespace thrum
