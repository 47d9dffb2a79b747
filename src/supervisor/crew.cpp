// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "supervisor/crew.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <csignal>
#include <utility>

namespace thrum {

namespace {

constexpr double kAloneSeconds = 0.02;
constexpr double kSplitPause = 0.001;    // from one part to the next, of the same worker
constexpr double kSplitPauseMax = 0.02;  // where it gave none
constexpr double kCopySeconds = 10;      // from one copy to the next
constexpr double kCopySecondsLeast = 0.05;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void wake_all(std::atomic<std::uint32_t>& futex) {
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&futex), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

int open_process(pid_t process) { return static_cast<int>(syscall(SYS_pidfd_open, process, 0)); }

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
  for (const Member& member : members_) {
    if (member.process_descriptor >= 0) close(member.process_descriptor);
  }
  if (copy_descriptor_ >= 0) close(copy_descriptor_);
}

Crew::Member* Crew::find(std::uint32_t slot) {
  auto found = std::find_if(members_.begin(), members_.end(),
                            [&](const Member& member) { return member.slot == slot; });
  return found == members_.end() ? nullptr : &*found;
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
    int status = 0;
    if (waitpid(members_[i].process, &status, WNOHANG) != members_[i].process) continue;
    const std::uint32_t slot = members_[i].slot;
    if (slot == 0 || channel(members_[i]).phase != Channel::Phase::reported) return End{slot, status};
    members_[i].handed_in = true;
    if (members_[i].process_descriptor >= 0) close(members_[i].process_descriptor);
    members_[i].process_descriptor = -1;
    // What it was asked for last, it may have done or not.
    take_answer(members_[i]);
    if (members_[i].pending == Channel::Request::split) used_[members_[i].pending_slot] = false;
    members_[i].pending.reset();
  }
  return std::nullopt;
}

void Crew::drop_copy() {
  if (copy_descriptor_ >= 0) close(copy_descriptor_);
  copy_ = copy_descriptor_ = -1;
}

// What others did since the copy was made is done again by it.
bool Crew::revive() {
  std::vector<Member> all = std::move(members_);
  members_.clear();
  for (const Member& member : all) {
    if (!member.handed_in) {
      kill(member.process, SIGKILL);
      waitpid(member.process, nullptr, 0);
    }
    if (member.process_descriptor >= 0) close(member.process_descriptor);
    // A worker that was just being split may have left a process there.
    const bool unsure = member.pending == Channel::Request::split;
    if (member.slot != 0) {
      memory_.clear(member.slot);
      used_[member.slot] = false;
    }
    if (unsure) used_[member.pending_slot] = true;
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
    if (!member.handed_in) kill(member.process, SIGKILL);
  }
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
      if (copy_ > 0) {
        kill(copy_, SIGKILL);
        waitpid(copy_, nullptr, 0);
      }
      drop_copy();
      copy_ = process;
      copy_descriptor_ = open_process(process);
      next_copy_ = now() + copy_interval_;
      copy_interval_ = std::min(copy_interval_ * 1.5, kCopySeconds);
      break;
    case Channel::Request::split: {
      const std::uint32_t slot = member.pending_slot;
      if (process == 0) {
        used_[slot] = false;
        member.split_pause = std::clamp(member.split_pause * 2, kSplitPause, kSplitPauseMax);
        member.next_split = now() + member.split_pause;
        break;
      }
      member.split_pause = kSplitPause;
      member.next_split = now() + kSplitPause;
      Member part;
      part.slot = slot;
      part.parent = member.slot;
      part.process = process;
      part.process_descriptor = open_process(process);
      part.moved = now();
      part.next_split = now() + kSplitPause;
      members_.push_back(part);  // and member is gone
      break;
    }
  }
}

// It was merged. What it has given away is with the one that it was merged into.
void Crew::remove(std::uint32_t slot) {
  const std::uint32_t parent = find(slot)->parent;
  for (Member& member : members_) {
    if (member.parent == slot) member.parent = parent;
  }
  members_.erase(std::find_if(members_.begin(), members_.end(),
                              [&](const Member& member) { return member.slot == slot; }));
  memory_.clear(slot);
  used_[slot] = false;
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
  Member* best = nullptr;
  for (Member& member : members_) {
    if (member.handed_in) continue;
    if (member.pending == Channel::Request::split) ++runs;
    if (channel(member).waits != 0) continue;
    ++runs;
    ++running;
    const bool may = !member.pending && now() >= member.next_split;
    if (may && (best == nullptr || member.next_split < best->next_split)) best = &member;
  }
  short_of_work_ = runs < jobs_;
  workers_max_ = std::max(workers_max_, std::min(running, jobs_));
  const std::optional<std::uint32_t> slot = free_slot();
  if (!short_of_work_ || best == nullptr || !slot) return;
  used_[*slot] = true;
  ask(*best, Channel::Request::split, *slot);
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
