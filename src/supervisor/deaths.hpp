// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides whether the program killed a worker, or somebody outside did.
//
// A program repeats what it does: an execution that has killed its worker kills the next one, too. So the
// work of a worker that a signal killed is first done again. If a worker dies at the same point again, the
// death counts as the program's. The search is then told to end that execution just before the death, so that
// the whole schedule is known, and all other schedules can still be run.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "supervisor/post_mortem.hpp"
#include "supervisor/shared_memory.hpp"

namespace thrum {

class Deaths {
 public:
  // A worker has ended without a report, with that status of waitpid(). Returns whether its work is to be
  // done again.
  bool try_again(SharedMemory& memory, std::uint32_t slot, int status);

  // The program caused the death. Returns whether the search can go on, because the execution will be ended
  // before that point.
  bool make_known(SharedMemory& memory, const Death& death);
  // Tells a search that begins again of the deaths that were made known.
  void tell(SharedMemory& memory) const;

  // The number of deaths that the program did not cause, as far as is known.
  std::uint64_t count() const { return count_; }

 private:
  std::map<std::string, int> times_;                // by the point
  std::map<std::uint32_t, std::string> killed_at_;  // by the slot: the last point there
  std::uint64_t count_ = 0;
  std::vector<FatalPlan> known_;
};

}  // namespace thrum
