// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The processes that share a search: which of them run, which is asked for a part of its search and when,
// which receives the results that another handed in, and which goes on when one has died
// (protocol/channel.hpp, worker/shared_search.hpp).
//
// At first there is one worker, since most searches are short. Then, while fewer workers run than are
// allowed, one of them is asked to split its search. Workers that wait for their parts' results do not count.
// A worker that has handed in its results may stay and take another part; a process is copied only if none
// has stayed. The first worker is asked to copy itself from time to time, less often the longer no worker has
// died.
//
// Thread safety: none.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "supervisor/deaths.hpp"
#include "supervisor/launch.hpp"
#include "supervisor/shared_memory.hpp"

namespace thrum {

// Wakes all that wait for a futex in the shared memory.
void wake_all(std::atomic<std::uint32_t>& futex);

// The time of the supervisor's clock, in seconds.
inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class Crew {
 public:
  struct Member {
    std::uint32_t slot = 0;
    std::uint32_t parent = 0;  // whose part it runs, by slot
    pid_t process = -1;        // -1: it has ended
    int process_descriptor = -1;
    bool handed_in = false;
    std::optional<Channel::Request> pending;  // asked, and not answered yet
    std::uint32_t pending_slot = 0;
    double next_split = 0;  // not to be asked before
    double split_pause = 0;
    // How far it was when last looked at.
    std::uint64_t steps = 0;
    double moved = 0;  // when that changed
    double cpu_when_moved = 0;
    bool hang_told = false;
  };

  // first: was launched just now. jobs: workers that may run at once. may_copy: the first worker can be
  // copied.
  Crew(SharedMemory& memory, const Launched& first, std::uint32_t jobs, bool may_copy);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  // Called when a worker has got a part, and when it has none any more.
  struct Notice {
    std::function<void(std::uint32_t slot)> begins{};
    std::function<void(std::uint32_t slot)> ends{};
  };
  void notify(Notice notice) { notice_ = std::move(notice); }

  std::vector<Member>& members() { return members_; }
  Channel& channel(const Member& member) { return memory_.channel(member.slot); }
  Member* find(std::uint32_t slot);

  // Of all workers, including those whose results others have taken over.
  std::uint64_t executions();
  std::uint64_t steps();

  // A worker that has ended, and its status as waitpid() gives it; nothing: none has ended.
  struct End {
    std::uint32_t slot;
    int status;
  };
  std::optional<End> take_end();
  // Lets the copy of the first worker take over for all. False: there is no copy, and all workers are dead.
  bool revive();

  // Sends the requests that are due. quiet: none for further parts.
  void direct(bool quiet);
  // The largest number that ran at once.
  std::uint32_t workers_max() const { return workers_max_; }

  // direct() is to be called within so many seconds.
  double patience() const;

  void kill_all();

 private:
  void ask(Member& member, Channel::Request request, std::uint32_t slot);
  void take_answer(Member& member);
  void ask_to_merge(Member& member);
  bool ask_to_copy(Member& first);
  void ask_to_split();
  void remove(std::uint32_t slot);
  // Whether it is to split its search, and has not answered yet.
  static bool is_to_split(const Member& member);
  void give_up(std::uint32_t slot);
  // A worker that has handed in its results and stays.
  struct Idle {
    std::uint32_t slot = 0;
    pid_t process = -1;
    int process_descriptor = -1;
    std::uint32_t search = 0;  // Channel::stays
  };
  void free(std::uint32_t slot);
  const Idle* idle_one();
  std::vector<Idle>::iterator find_idle(std::uint32_t slot);
  void dismiss(std::vector<Idle>::iterator idle);
  std::optional<std::uint32_t> free_slot() const;
  void drop_copy();

  SharedMemory& memory_;
  std::uint32_t jobs_;
  bool may_copy_;
  std::vector<Member> members_;  // the first worker first
  std::vector<Idle> idle_;
  std::vector<bool> used_;  // slots, for good where a process may be there that nobody knows
  pid_t copy_ = -1;
  int copy_descriptor_ = -1;
  std::optional<double> searching_;  // since when
  bool calls_back_ = false;          // the first worker does, to be copied
  bool short_of_work_ = true;        // more could run
  std::uint32_t workers_max_ = 1;
  double copy_interval_;
  double next_copy_ = 0;
  Notice notice_;
};

}  // namespace thrum
