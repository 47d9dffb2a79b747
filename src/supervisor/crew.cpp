// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "supervisor/crew.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <csignal>
#include <utility>

namespace thrum {

void wake_all(std::atomic<std::uint32_t>& futex) {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&futex), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

namespace {

constexpr double kAloneSeconds = 0.02;
constexpr double kSplitPause = 0.001;    // from one part to the next, of the same worker
constexpr double kSplitPauseMax = 0.02;  // where it gave none
constexpr double kCopySeconds = 10;      // from one copy to the next
constexpr double kCopySecondsLeast = 0.05;

int open_process(pid_t process) { return static_cast<int>(syscall(SYS_pidfd_open, process, 0)); }

void close_process(int& descriptor) {
  if (descriptor >= 0) close(descriptor);
  descriptor = -1;
}

void end_process(pid_t process) {
  if (process < 0) return;
  kill(process, SIGKILL);
  waitpid(process, nullptr, 0);
}

}  // namespace

Crew::Crew(SharedMemory& memory, const Launched& first, std::uint32_t jobs, bool may_copy)
    : memory_(memory), jobs_(jobs), may_copy_(may_copy), used_(kChannelsMax), copy_interval_(kCopySeconds) {
  Member& member = members_.emplace_back();
  member.process = first.process;
  member.process_descriptor = first.process_descriptor;
  member.moved = now();
  used_[0] = true;
}

Crew::~Crew() {
  for (Member& member : members_) close_process(member.process_descriptor);
  for (Idle& idle : idle_) close_process(idle.process_descriptor);
  close_process(copy_descriptor_);
}

Crew::Member* Crew::find(std::uint32_t slot) {
  auto found = std::find_if(members_.begin(), members_.end(),
                            [&](const Member& member) { return member.slot == slot; });
  return found == members_.end() ? nullptr : &*found;
}

bool Crew::is_to_split(const Member& member) {
  return member.pending == Channel::Request::split || member.pending == Channel::Request::give;
}

std::uint64_t Crew::executions() {
  std::uint64_t sum = 0;
  for (const Member& member : members_) sum += channel(member).executions;
  return sum;
}

std::uint64_t Crew::steps() {
  std::uint64_t sum = 0;
  for (const Member& member : members_) sum += channel(member).steps - channel(member).steps_left;
  return sum;
}

std::optional<Crew::End> Crew::take_end() {
  if (copy_ > 0 && waitpid(copy_, nullptr, WNOHANG) == copy_) drop_copy();
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (members_[i].handed_in) continue;
    const std::uint32_t slot = members_[i].slot;
    const bool reported = slot != 0 && channel(members_[i]).phase == Channel::Phase::reported;
    if (!reported || channel(members_[i]).stays == 0) {
      int status = 0;
      if (waitpid(members_[i].process, &status, WNOHANG) != members_[i].process) continue;
      members_[i].process = -1;
      if (slot == 0 || channel(members_[i]).phase != Channel::Phase::reported) return End{slot, status};
      close_process(members_[i].process_descriptor);
    }
    members_[i].handed_in = true;
    // What it was asked for last, it may have done or not. By that, members may have come or gone.
    take_answer(members_[i]);
    Member& member = *find(slot);
    if (is_to_split(member)) give_up(member.pending_slot);
    member.pending.reset();
  }
  return std::nullopt;
}

void Crew::drop_copy() {
  close_process(copy_descriptor_);
  copy_ = -1;
}

// What others did since the copy was made is done again by it.
bool Crew::revive() {
  std::vector<Member> all = std::move(members_);
  members_.clear();
  while (!idle_.empty()) {
    free(idle_.back().slot);
    dismiss(idle_.end() - 1);
  }
  for (Member& member : all) {
    end_process(member.process);
    close_process(member.process_descriptor);
    if (member.slot != 0 && notice_.ends) notice_.ends(member.slot);
    if (member.slot != 0) free(member.slot);
    // A worker that was just being split may have left a process there.
    if (is_to_split(member)) used_[member.pending_slot] = true;
  }
  if (copy_ < 0) return false;
  Member& first = members_.emplace_back();
  first.process = copy_;
  first.process_descriptor = copy_descriptor_;
  first.moved = now();
  first.next_split = now() + kSplitPause;
  copy_descriptor_ = -1;
  const pid_t copy = std::exchange(copy_, -1);
  calls_back_ = false;
  copy_interval_ = kCopySecondsLeast;
  memory_.board().revived.fetch_add(1);
  // It makes the next copy at once.
  Channel& shared = channel(first);
  first.pending = shared.request = Channel::Request::copy;
  shared.requests.fetch_add(1);
  shared.wake = static_cast<std::uint32_t>(copy);
  wake_all(shared.wake);
  return true;
}

void Crew::kill_all() {
  for (const Member& member : members_) {
    if (member.process > 0) kill(member.process, SIGKILL);
  }
  for (const Idle& idle : idle_) kill(idle.process, SIGKILL);
  if (copy_ > 0) kill(copy_, SIGKILL);
}

void Crew::ask(Member& member, Channel::Request request, std::uint32_t slot) {
  Channel& shared = channel(member);
  member.pending = shared.request = request;
  member.pending_slot = shared.slot = slot;
  shared.requests.fetch_add(1, std::memory_order_release);
  wake_all(shared.requests);
}

void Crew::take_answer(Member& member) {
  Channel& shared = channel(member);
  if (!member.pending || shared.answers.load(std::memory_order_acquire) != shared.requests) return;
  const Channel::Request answered = *member.pending;
  member.pending.reset();
  const pid_t process = shared.copied;
  switch (answered) {
    case Channel::Request::merge: remove(member.pending_slot); break;
    case Channel::Request::copy:
      calls_back_ = process == 0 && members_.size() > 1;
      if (process == 0) {
        if (!calls_back_) next_copy_ = now() + copy_interval_;  // it cannot be had
        break;
      }
      end_process(copy_);
      drop_copy();
      copy_ = process;
      copy_descriptor_ = open_process(process);
      next_copy_ = now() + copy_interval_;
      copy_interval_ = std::min(copy_interval_ * 1.5, kCopySeconds);
      break;
    case Channel::Request::split:
    case Channel::Request::give: {
      const std::uint32_t slot = member.pending_slot;
      if (process == 0) {
        give_up(slot);
        member.split_pause = std::clamp(member.split_pause * 2, kSplitPause, kSplitPauseMax);
        member.next_split = now() + member.split_pause;
        break;
      }
      member.split_pause = kSplitPause;
      member.next_split = now() + kSplitPause;
      Member part;
      part.slot = slot;
      part.parent = member.slot;
      const auto taker = find_idle(slot);
      if (process == Channel::kTaken) {
        part.process = taker->process;
        part.process_descriptor = taker->process_descriptor;
        idle_.erase(taker);
      } else {
        if (taker != idle_.end()) dismiss(taker);
        part.process = process;
        part.process_descriptor = open_process(process);
      }
      part.moved = now();
      part.next_split = now() + kSplitPause;
      members_.push_back(part);  // and member is gone
      if (notice_.begins) notice_.begins(slot);
      break;
    }
  }
}

// Of a part that did not come about.
void Crew::give_up(std::uint32_t slot) {
  if (find_idle(slot) == idle_.end()) used_[slot] = false;
}

// It was merged. What it has given away is with the one that it was merged into.
void Crew::remove(std::uint32_t slot) {
  const Member gone = *find(slot);
  for (Member& member : members_) {
    if (member.parent == slot) member.parent = gone.parent;
  }
  members_.erase(std::find_if(members_.begin(), members_.end(),
                              [&](const Member& member) { return member.slot == slot; }));
  if (notice_.ends) notice_.ends(slot);
  const std::uint32_t search = channel(gone).stays;
  free(slot);
  if (gone.process < 0) return;
  used_[slot] = true;
  idle_.push_back({slot, gone.process, gone.process_descriptor, search});
}

void Crew::free(std::uint32_t slot) {
  memory_.clear(slot);
  used_[slot] = false;
}

// One that lives, and that nobody is to give a part to; the last that was busy.
const Crew::Idle* Crew::idle_one() {
  for (std::size_t i = idle_.size(); i-- > 0;) {
    const Idle& idle = idle_[i];
    const bool is_to_take = std::any_of(members_.begin(), members_.end(), [&](const Member& member) {
      return is_to_split(member) && member.pending_slot == idle.slot;
    });
    if (is_to_take) continue;
    if (waitpid(idle.process, nullptr, WNOHANG) != idle.process) return &idle;
    free(idle.slot);
    idle_[i].process = -1;
    dismiss(idle_.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return nullptr;
}

std::vector<Crew::Idle>::iterator Crew::find_idle(std::uint32_t slot) {
  return std::find_if(idle_.begin(), idle_.end(), [&](const Idle& one) { return one.slot == slot; });
}

// Its channel may be another's by now.
void Crew::dismiss(std::vector<Idle>::iterator idle) {
  end_process(idle->process);
  close_process(idle->process_descriptor);
  idle_.erase(idle);
}

std::optional<std::uint32_t> Crew::free_slot() const {
  auto free = std::find(used_.begin(), used_.end(), false);
  if (free == used_.end()) return std::nullopt;
  return static_cast<std::uint32_t>(free - used_.begin());
}

void Crew::ask_to_merge(Member& member) {
  auto part = std::find_if(members_.begin(), members_.end(), [&](const Member& other) {
    return other.handed_in && other.slot != 0 && other.parent == member.slot;
  });
  if (part != members_.end()) ask(member, Channel::Request::merge, part->slot);
}

// Not where parts are with others and it has begun to call them back.
bool Crew::ask_to_copy(Member& first) {
  if (!may_copy_ || now() < next_copy_ || (calls_back_ && members_.size() > 1)) return false;
  ask(first, Channel::Request::copy, 0);
  return true;
}

void Crew::ask_to_split() {
  std::uint32_t running = 0;
  std::uint32_t runs = 0;  // or will
  bool stays = false;      // one that has handed in, and is waited for
  Member* best = nullptr;
  for (Member& member : members_) {
    if (member.handed_in && member.process > 0) stays = true;
    if (member.handed_in) continue;
    if (is_to_split(member)) ++runs;
    if (channel(member).waits != 0) continue;
    ++runs;
    ++running;
    const bool may = !member.pending && now() >= member.next_split;
    if (may && (best == nullptr || member.next_split < best->next_split)) best = &member;
  }
  short_of_work_ = runs < jobs_;
  workers_max_ = std::max(workers_max_, std::min(running, jobs_));
  if (!short_of_work_ || best == nullptr) return;
  if (const Idle* idle = idle_one()) {
    channel(*best).search = idle->search;
    ask(*best, Channel::Request::give, idle->slot);
  } else if (const std::optional<std::uint32_t> slot = free_slot(); slot && !stays) {
    used_[*slot] = true;
    ask(*best, Channel::Request::split, *slot);
  }
}

void Crew::direct(bool quiet) {
  for (std::size_t i = 0; i < members_.size(); ++i) take_answer(members_[i]);
  Member& first = members_.front();
  if (channel(first).phase != Channel::Phase::searching) return;
  if (!searching_) {
    searching_ = now();
    next_copy_ = now() + kAloneSeconds;
  }
  // First of all, everybody is to have something to do.
  const bool may_ask = !quiet && now() - *searching_ >= kAloneSeconds;
  if (may_ask && (first.pending || !ask_to_copy(first)) && jobs_ > 1 && !calls_back_) ask_to_split();
  for (Member& member : members_) {
    if (!member.handed_in && !member.pending) ask_to_merge(member);
  }
}

double Crew::patience() const {
  constexpr double kLeast = 0.001;
  constexpr double kMost = 0.05;
  if (jobs_ == 1 || !short_of_work_) return kMost;
  double patience = kMost;
  for (const Member& member : members_) {
    if (!member.pending && !member.handed_in) patience = std::min(patience, member.next_split - now());
  }
  return std::max(patience, kLeast);
}

}  // namespace thrum
