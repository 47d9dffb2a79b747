// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "causality/causality_team.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

namespace thrum {

void CausalityCounts::add(const CausalityCounts& other) {
  std::apply(
      [&](auto&... own) { std::apply([&](const auto&... more) { ((own += more), ...); }, members(other)); },
      members(*this));
}

void CausalityTeam::change() {
  ++changes_;
  changed_.notify_all();
}

CausalityTeam::Member CausalityTeam::join(Member same_as) {
  const std::scoped_lock lock(mutex_);
  members_[next_member_].place = members_.at(same_as).place;
  return next_member_++;
}

void CausalityTeam::leave(Member member) {
  const std::scoped_lock lock(mutex_);
  const auto gone = members_.find(member);
  if (member != kLeader) counts_of_gone_.add(gone->second.counts);
  members_.erase(gone);
  forget_learned();
  change();
}

bool CausalityTeam::is_alone() const {
  const std::scoped_lock lock(mutex_);
  return members_.size() == 1;
}

bool CausalityTeam::add(Member member, const Trace& trace) {
  const std::scoped_lock lock(mutex_);
  Doing& own = members_.at(member);
  if (own.place != length()) return false;
  ++own.place;
  own.targets.clear();
  if (members_.size() == 1) {
    ++forgotten_;
  } else {
    traces_.push_back(std::make_shared<const Trace>(trace));
  }
  change();
  return true;
}

std::shared_ptr<const Trace> CausalityTeam::next_trace(Member member) {
  const std::scoped_lock lock(mutex_);
  Doing& own = members_.at(member);
  if (own.place == length()) return nullptr;
  std::shared_ptr<const Trace> next = traces_[own.place - forgotten_];
  ++own.place;
  forget_learned();
  return next;
}

std::uint64_t CausalityTeam::place(Member member) const {
  const std::scoped_lock lock(mutex_);
  return members_.at(member).place;
}

void CausalityTeam::forget_learned() {
  std::uint64_t needed = length();
  for (const auto& [member, doing] : members_) needed = std::min(needed, doing.place);
  for (; forgotten_ < needed; ++forgotten_) traces_.pop_front();
}

void CausalityTeam::offer(std::vector<TreeStates::Found> found) {
  if (found.empty()) return;
  const std::scoped_lock lock(mutex_);
  std::ranges::move(found, std::back_inserter(offers_));
  change();
}

std::optional<TreeStates::Found> CausalityTeam::take_offer(Member member) {
  const std::scoped_lock lock(mutex_);
  if (offers_.empty() || members_.at(member).place != length()) return std::nullopt;
  TreeStates::Found last = std::move(offers_.back());
  offers_.pop_back();
  return last;
}

void CausalityTeam::let_solvers_ask(bool may) {
  const std::scoped_lock lock(mutex_);
  if (std::exchange(may_solvers_ask_, may) != may) change();
}

bool CausalityTeam::may_solvers_ask() const {
  const std::scoped_lock lock(mutex_);
  return may_solvers_ask_;
}

// Who comes first leaves something for those who may come.
CausalityTeam::Share CausalityTeam::share_of(Member member, std::span<const Node> open) {
  const std::scoped_lock lock(mutex_);
  Doing& own = members_.at(member);
  own.asks = false;
  own.targets.clear();
  if (own.place != length()) return {.others_ask = true};
  if (settled_by_ != length()) settled_.clear();
  settled_by_ = length();
  Share share;
  std::size_t resting = 0;
  for (const auto& [other, doing] : members_) resting += doing.asks || !doing.targets.empty() ? 0 : 1;
  for (const Node target : open) {
    if (settled_.contains(target)) continue;
    const bool is_taken = std::ranges::any_of(
        members_, [&](const auto& other) { return other.second.targets.contains(target); });
    if (is_taken) {
      share.others_ask = true;
    } else {
      share.targets.push_back(target);
    }
  }
  share.targets.resize((share.targets.size() + resting - 1) / resting);
  own.asks = !share.targets.empty();
  own.targets.insert(share.targets.begin(), share.targets.end());
  return share;
}

void CausalityTeam::runs_for(Member member, Node target) {
  const std::scoped_lock lock(mutex_);
  Doing& own = members_.at(member);
  own.asks = false;
  own.targets = {target};
  change();
}

void CausalityTeam::settle(Member member, std::span<const Node> targets) {
  const std::scoped_lock lock(mutex_);
  if (members_.at(member).place == length() && settled_by_ == length())
    settled_.insert(targets.begin(), targets.end());
  change();
}

void CausalityTeam::rest(Member member) {
  const std::scoped_lock lock(mutex_);
  Doing& own = members_.at(member);
  if (!own.asks && own.targets.empty()) return;
  own.asks = false;
  own.targets.clear();
  change();
}

void CausalityTeam::miss(Node target) {
  const std::scoped_lock lock(mutex_);
  missed_.insert(target);
  change();
}

std::set<CausalityTeam::Node> CausalityTeam::missed() const {
  const std::scoped_lock lock(mutex_);
  return missed_;
}

void CausalityTeam::begin_again() {
  const std::scoped_lock lock(mutex_);
  offers_.clear();
  settled_.clear();
  missed_.clear();
}

bool CausalityTeam::close() {
  const std::scoped_lock lock(mutex_);
  if (members_.at(kLeader).place != length()) return false;
  is_closed_ = true;
  change();
  return true;
}

bool CausalityTeam::is_closed() const {
  const std::scoped_lock lock(mutex_);
  return is_closed_;
}

std::uint64_t CausalityTeam::changes() const {
  const std::scoped_lock lock(mutex_);
  return changes_;
}

void CausalityTeam::await_change(std::uint64_t from, const Interrupt* interrupt) const {
  constexpr auto kNowAndThen = std::chrono::milliseconds(20);
  std::unique_lock lock(mutex_);
  while (changes_ == from && (interrupt == nullptr || !interrupt->is_raised()))
    changed_.wait_for(lock, kNowAndThen);
}

void CausalityTeam::tell(Member member, const CausalityCounts& counts, std::uint64_t bytes) {
  const std::scoped_lock lock(mutex_);
  Doing& own = members_.at(member);
  own.counts = counts;
  own.bytes = bytes;
}

CausalityCounts CausalityTeam::counts_of_helpers() const {
  const std::scoped_lock lock(mutex_);
  CausalityCounts sum = counts_of_gone_;
  for (const auto& [member, doing] : members_) {
    if (member != kLeader) sum.add(doing.counts);
  }
  return sum;
}

std::uint64_t CausalityTeam::bytes_of_helpers() const {
  const std::scoped_lock lock(mutex_);
  std::uint64_t sum = 0;
  for (const auto& [member, doing] : members_) sum += member != kLeader ? doing.bytes : 0;
  return sum;
}

}  // namespace thrum
