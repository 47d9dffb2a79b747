// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "causality/causality_team.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "support/check.hpp"

namespace thrum {

namespace {

constexpr auto kNowAndThen = std::chrono::milliseconds(20);

std::uint64_t bytes_of(const Trace& trace) {
  return sizeof trace + trace.events.size() * sizeof trace.events[0] +
         trace.accesses.size() * sizeof trace.accesses[0] + trace.choices.size() * sizeof trace.choices[0];
}

}  // namespace

void CausalityCounts::add(const CausalityCounts& other) {
  std::apply(
      [&](auto&... own) { std::apply([&](const auto&... more) { ((own += more), ...); }, members(other)); },
      members(*this));
}

void CausalityTeam::change() {
  ++changes_;
  changed_.notify_all();
}

CausalityTeam::Member CausalityTeam::join(Interrupt* interrupt) {
  const std::scoped_lock lock(mutex_);
  members_[next_member_].interrupt = interrupt;
  return next_member_++;
}

void CausalityTeam::leave(Member member) {
  const std::scoped_lock lock(mutex_);
  const auto gone = members_.find(member);
  if (member != kLeader) counts_of_gone_.add(gone->second.counts);
  rest(gone->second);
  members_.erase(gone);
  change();
}

bool CausalityTeam::add(Member member, const Trace& trace) {
  const std::scoped_lock lock(mutex_);
  Doing& own = members_.at(member);
  if (own.place != traces_.size()) return false;
  ++own.place;
  own.offer.reset();
  rest(own);
  traces_.push_back(keeps_traces_ ? std::make_shared<const Trace>(trace) : nullptr);
  bytes_of_traces_ += keeps_traces_ ? bytes_of(trace) : 0;
  change();
  return true;
}

std::shared_ptr<const Trace> CausalityTeam::next_trace(Member member) {
  const std::scoped_lock lock(mutex_);
  Doing& own = members_.at(member);
  return own.place == traces_.size() ? nullptr : traces_[own.place++];
}

void CausalityTeam::note_news(Member member) {
  const std::scoped_lock lock(mutex_);
  news_ = std::max(news_, members_.at(member).place);
}

std::uint64_t CausalityTeam::place(Member member) const {
  const std::scoped_lock lock(mutex_);
  return members_.at(member).place;
}

void CausalityTeam::begin_again() {
  const std::scoped_lock lock(mutex_);
  THRUM_CHECK(members_.size() == 1);
  traces_.erase(traces_.begin(), traces_.end() - 1);
  bytes_of_traces_ = traces_[0] == nullptr ? 0 : bytes_of(*traces_[0]);
  members_.at(kLeader).place = 1;
  news_ = 1;
  beginning_.clear();
  offers_.clear();
  settled_.clear();
  missed_.clear();
}

void CausalityTeam::begin_with(std::string saved) {
  const std::scoped_lock lock(mutex_);
  beginning_ = std::move(saved);
}

std::string CausalityTeam::beginning() const {
  const std::scoped_lock lock(mutex_);
  return beginning_;
}

void CausalityTeam::offer(std::vector<TreeStates::Found> found) {
  if (found.empty()) return;
  const std::scoped_lock lock(mutex_);
  std::ranges::move(found, std::back_inserter(offers_));
  change();
}

std::optional<TreeStates::Found> CausalityTeam::take_offer(Member member) {
  const std::scoped_lock lock(mutex_);
  Doing& own = members_.at(member);
  if (offers_.empty() || own.place != traces_.size()) return std::nullopt;
  TreeStates::Found last = std::move(offers_.back());
  offers_.pop_back();
  own.asks = false;
  own.runs = true;
  own.targets = {last.node};
  own.offer = last;
  return last;
}

void CausalityTeam::drop_offer(Member member) {
  const std::scoped_lock lock(mutex_);
  Doing& own = members_.at(member);
  own.offer.reset();
  rest(own);
}

void CausalityTeam::let_solvers_ask() {
  const std::scoped_lock lock(mutex_);
  if (!std::exchange(may_solvers_ask_, true)) change();
}

bool CausalityTeam::may_solvers_ask() const {
  const std::scoped_lock lock(mutex_);
  return may_solvers_ask_;
}

// Who comes first leaves something for those who may come.
CausalityTeam::Share CausalityTeam::share_of(Member member, std::span<const Node> open) {
  const std::scoped_lock lock(mutex_);
  Doing& own = members_.at(member);
  rest(own);
  if (own.place != traces_.size()) return {.others_ask = true};
  if (settled_by_ != news_) settled_.clear();
  settled_by_ = news_;
  Share share;
  std::size_t resting = 0;
  for (const auto& [other, doing] : members_) resting += doing.asks || doing.runs ? 0 : 1;
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
  own.runs = true;
  own.targets.clear();
  if (target != ThreadTrees::kNone) own.targets.insert(target);
  change();
}

bool CausalityTeam::others_are_ahead(Member member) const {
  const std::scoped_lock lock(mutex_);
  if (members_.at(member).place != traces_.size()) return true;
  return others_run(member);
}

bool CausalityTeam::others_run(Member member) const {
  return std::ranges::any_of(members_,
                             [&](const auto& other) { return other.first != member && other.second.runs; });
}

void CausalityTeam::settle(Member member, std::span<const Node> targets) {
  const std::scoped_lock lock(mutex_);
  if (members_.at(member).place == traces_.size() && settled_by_ == news_)
    settled_.insert(targets.begin(), targets.end());
  change();
}

void CausalityTeam::rest(Member member) {
  const std::scoped_lock lock(mutex_);
  Doing& own = members_.at(member);
  if (!own.asks && !own.runs) return;
  rest(own);
  change();
}

void CausalityTeam::rest(Doing& doing) {
  if (doing.offer) offers_.push_back(std::move(*doing.offer));
  doing.offer.reset();
  doing.asks = doing.runs = false;
  doing.targets.clear();
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

bool CausalityTeam::close() {
  const std::scoped_lock lock(mutex_);
  if (members_.at(kLeader).place != traces_.size() || others_run(kLeader)) return false;
  is_closed_ = true;
  change();
  return true;
}

bool CausalityTeam::is_closed() const {
  const std::scoped_lock lock(mutex_);
  return is_closed_;
}

void CausalityTeam::end_questions() {
  std::unique_lock lock(mutex_);
  const auto asks = [](const auto& member) { return member.first != kLeader && member.second.asks; };
  while (std::ranges::any_of(members_, asks)) {
    for (const auto& [member, doing] : members_) {
      if (member != kLeader && doing.asks && doing.interrupt != nullptr) doing.interrupt->raise();
    }
    changed_.wait_for(lock, kNowAndThen);
  }
}

std::uint64_t CausalityTeam::changes() const {
  const std::scoped_lock lock(mutex_);
  return changes_;
}

void CausalityTeam::await_change(std::uint64_t from, const Interrupt* interrupt) const {
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

std::uint64_t CausalityTeam::bytes_besides() const {
  const std::scoped_lock lock(mutex_);
  std::uint64_t sum = bytes_of_traces_;
  for (const auto& [member, doing] : members_) sum += member != kLeader ? doing.bytes : 0;
  return sum;
}

}  // namespace thrum
