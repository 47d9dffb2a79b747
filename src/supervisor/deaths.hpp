// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whose fault it is that workers die: the program's, or that of somebody who kills them.
//
// What the program does, it does again: an execution that has killed its worker kills the next one, too. So
// what a worker that was killed by a signal had done is done again first, and the death counts as the
// program's when it comes to the same point again. The search is then told to end that execution just before
// it dies, so that its schedule is known to the end, and all others can still be run.
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
  // A worker has ended with that status, as waitpid() gives it, and without a report. Whether its work is to
  // be done again.
  bool try_again(SharedMemory& memory, std::uint32_t slot, int status);

  // The program is to blame. Whether the search can go on, since the execution will be ended before that.
  bool make_known(SharedMemory& memory, const Death& death);
  // Those that were made known, to a search that begins anew.
  void tell(SharedMemory& memory) const;

  // So often it was, and the program was not to blame as far as is known.
  std::uint64_t count() const { return count_; }

 private:
  std::map<std::string, int> times_;                // by the point
  std::map<std::uint32_t, std::string> killed_at_;  // by the slot: the last point there
  std::uint64_t count_ = 0;
  std::vector<FatalPlan> known_;
};

}  // namespace thrum
