// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The workers that share a search, as processes: who runs, who is asked for a part of its search and when,
// who gets what was handed in, and who goes on where one has died (protocol/channel.hpp,
// runtime/drive/shared_search.hpp).
//
// One worker is alone at first, since most searches are short. Then, as long as fewer run than may, one that
// runs is asked to split its search. Those that wait for parts do not count. Who has handed in may stay, and
// takes a further part; a process is copied only where nobody has stayed. The first worker is asked to copy
// itself now and then; the less often, the longer nobody has died.
//
// Thread safety: none.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "supervisor/deaths.hpp"
#include "supervisor/launch.hpp"
#include "supervisor/shared_memory.hpp"

namespace thrum {

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

  std::vector<Member>& members() { return members_; }
  Channel& channel(const Member& member) { return memory_.channel(member.slot); }
  Member* find(std::uint32_t slot);

  // Of all workers, and of those whose results are with others by now.
  std::uint64_t executions();
  std::uint64_t steps();

  // Waits for one that has ended: its status, as waitpid() gives it; nothing: none has.
  struct End {
    std::uint32_t slot;
    int status;
  };
  std::optional<End> take_end();
  // Whether the copy goes on for all of them. False: there is none; then all are dead.
  bool revive();

  // Asks who is to be asked, for what it is time for. quiet: for no more parts.
  void direct(bool quiet);
  // So many ran at once at most.
  std::uint32_t workers_max() const { return workers_max_; }

  // In seconds, from now: when to direct at the latest.
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
  // Who has handed in, and stays.
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
};

}  // namespace thrum
