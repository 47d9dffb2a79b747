// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An advisor is asked at each choice of an execution after the plan's last departure. A strategy that decides
// while its execution runs is an advisor, or has one. A Program knows nothing else of strategies.
//
// Thread safety: none.
#pragma once

#include <cstdint>
#include <span>

#include "model/choice.hpp"
#include "model/trace.hpp"

namespace thrum {

// The pending operation of every live thread, in order of their names; computed when asked.
class Pending {
 public:
  virtual std::span<const PendingOperation> pending() = 0;

  // The thread that creates this one, which need not exist yet. REQUIRES: it is not main.
  virtual ThreadId creator(ThreadId) const { return kMainThread; }

  // Where in its code a thread stands: a different number for each place.
  virtual std::uint64_t place(ThreadId) const { return 0; }

 protected:
  ~Pending() = default;
};

// What an advisor sees at a choice.
struct View {
  const ChoicePoint& point;
  std::span<const Option> options;
  std::uint16_t default_option;  // by the plan's base
  Pending& threads;
  const Trace& trace;  // of the execution so far, as far as it is recorded
};

struct Advice {
  enum class Kind : std::uint8_t {
    follow,  // the plan's policy decides
    take,    // take `option`
    stop,    // end the execution here, as stopped
    leave,   // follow, and do not ask again in this execution
  };
  Kind kind = Kind::follow;
  std::uint16_t option = 0;
};

class Advisor {
 public:
  // An execution of the plan begins. A Program may begin the same plan again, and leave no trace of the
  // attempt before: the answers must not depend on what was seen in that one.
  virtual void begin() {}

  // Called at each choice after the plan's last departure, until it answers `leave` or `stop`.
  virtual Advice at_point(const View&) = 0;

 protected:
  ~Advisor() = default;
};

}  // namespace thrum
