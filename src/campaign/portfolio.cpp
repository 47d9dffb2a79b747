// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "campaign/portfolio.hpp"

#include <algorithm>
#include <utility>

namespace thrum {

Portfolio::Portfolio(std::vector<Member> members) : members_(std::move(members)) {
  left_ = unit_ * members_[0].share;
}

bool Portfolio::next(Plan& plan) {
  waits_ = false;
  if (left_ > 0) look_aside();
  while (!is_covered_ && (left_ > 0 || pass_on())) {
    if (running().next(plan)) {
      --left_;
      ++members_[turn_].executions;
      return true;
    }
    std::string problem = running().reporting().problem();
    if (problem.empty() && waits(members_[turn_])) {
      waits_ = all_wait();
      if (waits_) return false;
      left_ = 0;
      continue;
    }
    if (problem.empty() && members_[turn_].covers_all) {
      problem_.clear();  // even if another member failed to cover it
      is_covered_ = true;
      return false;
    }
    if (!problem.empty() && !members_[turn_].nearly_all_after) problem_ = std::move(problem);
    // It stays, since what it has covered counts.
    members_[turn_].share = 0;
    left_ = 0;
  }
  if (is_covered_) return false;
  // No member can go on, and none has covered all.
  if (problem_.empty()) problem_ = "none of the strategies that take turns can go on";
  return false;
}

void Portfolio::learn(const Plan& plan, const Trace& trace) {
  running().learn(plan, trace);
  if (members_[turn_].is_dear) left_ = owed_to(members_[turn_]);
  if (is_cut_by_limit(trace.end)) left_ -= std::min(left_, kOfACut - 1);
}

void Portfolio::prepare_copy() {
  for (const Member& member : members_) member.strategy->prepare_copy();
}

void Portfolio::go_on_as_copy() {
  for (const Member& member : members_) member.strategy->go_on_as_copy();
}

// Moves to the next member that can go on; false if none can.
bool Portfolio::pass_on() {
  is_covered_ = is_nearly_covered();
  if (is_covered_) {
    problem_.clear();
    return false;
  }
  if (aside_) {
    turn_ = aside_->turn;
    left_ = aside_->left;
    aside_.reset();
    if (left_ > 0) return true;
  }
  for (std::size_t left = members_.size(); left > 0; --left) {
    turn_ = (turn_ + 1) % members_.size();
    if (turn_ == 0) {
      unit_ = std::min(unit_ * 2, kLastTurn);
      for (std::size_t i = members_.size(); i-- > 1;) {
        if (members_[i].strategy->reporting().statistics().nodes > members_[i].nodes_max)
          members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
    const bool is_dear = members_[turn_].is_dear;
    if (members_[turn_].share == 0 || is_dear || !is_worth_a_turn(members_[turn_])) continue;
    left_ = turn_of(members_[turn_]);
    return true;
  }
  // What it is owed does not matter if nobody else can go on.
  const std::optional<std::size_t> dear = dear_one();
  if (!dear) return false;
  turn_ = *dear;
  left_ = unit_;
  return true;
}

// The member whose plans are dear, if it is worth a turn.
std::optional<std::size_t> Portfolio::dear_one() const {
  const auto found = std::ranges::find_if(members_, [](const Member& member) { return member.is_dear; });
  if (found == members_.end() || found->share == 0 || !is_worth_a_turn(*found)) return std::nullopt;
  return static_cast<std::size_t>(found - members_.begin());
}

// Now and then that one has what it is owed, and then the turn goes on that was interrupted.
void Portfolio::look_aside() {
  if (aside_ || --until_look_ > 0) return;
  until_look_ = std::max(kLook, executions() / kLooks);
  const std::optional<std::size_t> dear = dear_one();
  const std::uint64_t owed = dear && turn_ != *dear ? owed_to(members_[*dear]) : 0;
  if (owed == 0) return;
  aside_ = {turn_, left_};
  turn_ = *dear;
  left_ = owed;
}

// In executions. It hangs on nothing but executions that were run: neither on time nor on who asks how far
// the search is.
std::uint64_t Portfolio::turn_of(Member& member) const {
  const std::uint64_t turn = unit_ * member.share;
  if (unit_ <= kUnitBefore || !ends_soon(member)) return turn;
  return std::max(turn, std::min(kNearEnd * turn, kSoon - member.executions));
}

// Of all members.
std::uint64_t Portfolio::executions() const {
  std::uint64_t all = 0;
  for (const Member& member : members_) all += member.executions;
  return all;
}

// What a member whose plans are dear may have still; 0 where that is not enough for its next plan.
std::uint64_t Portfolio::owed_to(const Member& member) const {
  const std::uint64_t all = executions();
  const Effort effort = member.strategy->reporting().effort();
  const std::uint64_t had = member.executions + effort.done;
  const std::uint64_t owed = all / kOfDear - std::min(all / kOfDear, had);
  return owed < effort.next ? 0 : owed;
}

// Whether the member covers all and is about to end.
bool Portfolio::ends_soon(Member& member) {
  if (!member.covers_all || member.executions >= kSoon) return false;
  const std::optional<double> done = member.strategy->reporting().estimate();
  // It stays so: estimates also go back, and what was begun is worth ending.
  member.ends_soon = member.ends_soon ||
                     (done && static_cast<double>(member.executions) <= *done * static_cast<double>(kSoon));
  return member.ends_soon;
}

// How many executions a member that covers all has to run still, by its own estimate.
std::optional<double> Portfolio::left_of(const Member& member) {
  const std::optional<double> done =
      member.covers_all && member.share > 0 ? member.strategy->reporting().estimate() : std::nullopt;
  if (!done || *done <= 0) return std::nullopt;
  return static_cast<double>(member.executions) * (1 - *done) / *done;
}

// Whether some member that covers all is.
bool Portfolio::is_to_end_within(double executions) const {
  return std::ranges::any_of(members_, [&](const Member& member) {
    const std::optional<double> left = left_of(member);
    return left && *left <= executions;
  });
}

// Not so before a member that covers nearly all may begin, nor when it will cover nothing any more, nor where
// it is not the first to end.
bool Portfolio::is_worth_a_turn(const Member& member) const {
  if (!member.nearly_all_after) return true;
  std::uint64_t executions = 0;
  for (const Member& other : members_) executions += other.covers_all ? other.executions : 0;
  if (executions < *member.nearly_all_after || !member.strategy->reporting().problem().empty()) return false;
  const std::optional<double> left =
      member.is_dear ? member.strategy->reporting().effort().left : std::nullopt;
  return !left || !is_to_end_within(*left);
}

// Whether a member has covered nearly all, and none that covers all is about to end.
bool Portfolio::is_nearly_covered() {
  const auto so_far = static_cast<double>(executions());
  return std::ranges::any_of(members_, [&](const Member& member) {
    if (!member.nearly_all_after) return false;
    const Guarantee guarantee = member.strategy->guarantee();
    if (!guarantee.exhausted || guarantee.covers != Covers::deadlocks_and_races) return false;
    return member.is_dear ? !is_to_end_within(so_far) : std::ranges::none_of(members_, ends_soon);
  });
}

bool Portfolio::waits(const Member& member) {
  const Divisible* divisible = member.strategy->divisible();
  return member.parts > 0 || (divisible != nullptr && divisible->waits());
}

// Whether no member can go on before something is merged.
bool Portfolio::all_wait() const {
  return std::all_of(members_.begin(), members_.end(), [](const Member& member) {
    return member.share == 0 || member.is_dear || waits(member);
  });
}

std::unique_ptr<Strategy> Portfolio::split() {
  for (std::size_t i = members_.size(); i-- > 0;) {
    Member& member = members_[i];
    if (!member.covers_all || member.share == 0 || member.nodes_max != ~std::uint64_t{0}) continue;
    Divisible* divisible = member.strategy->divisible();
    std::unique_ptr<Strategy> part = divisible != nullptr ? divisible->split() : nullptr;
    if (part == nullptr) continue;
    ++member.parts;
    std::vector<Member> alone;
    alone.push_back({member.name, std::move(part), 1, true, member.nodes_max});
    return std::make_unique<Portfolio>(std::move(alone));
  }
  return nullptr;
}

void Portfolio::merge(Strategy& other) {
  waits_ = false;
  for (Member& part : dynamic_cast<Portfolio&>(other).members_) {
    for (Member& member : members_) {
      if (member.name != part.name) continue;
      member.strategy->divisible()->merge(*part.strategy);
      member.parts += part.parts - 1;
    }
  }
}

bool Portfolio::is_small() const {
  return std::all_of(members_.begin(), members_.end(), [](const Member& member) {
    return member.nearly_all_after || member.strategy->durable()->is_small();
  });
}

bool Portfolio::keeps_addresses() const {
  return std::any_of(members_.begin(), members_.end(), [](const Member& member) {
    return !member.nearly_all_after && member.strategy->durable()->keeps_addresses();
  });
}

void Portfolio::save(ByteWriter& out, const ThreadNames& names) const {
  names.save(out);  // before any member reads a name
  out.put(std::uint64_t{members_.size()});
  for (const Member& member : members_) {
    out.put_string(member.name);
    out.put(member.share);
    out.put(member.parts);
    out.put(member.executions);
    out.put(member.ends_soon);
    if (member.nearly_all_after) continue;
    member.strategy->durable()->save(out, names);
  }
  out.put(std::uint64_t{aside_ ? aside_->turn : turn_});
  out.put(unit_);
  out.put(aside_ ? aside_->left : left_);
  out.put(until_look_);
  out.put_string(problem_);
}

bool Portfolio::load(ByteReader& in, ThreadNames& names) {
  if (!names.load(in)) return false;
  // Members missing in the saved state were given up.
  std::vector<Member> all = std::move(members_);
  members_.clear();
  for (auto count = in.get<std::uint64_t>(); count > 0; --count) {
    const std::string name = in.get_string();
    auto member = std::find_if(all.begin(), all.end(), [&](const Member& one) { return one.name == name; });
    if (member == all.end() || !member->strategy) return false;
    const auto share = in.get<std::uint32_t>();
    if (!member->nearly_all_after) member->share = share;
    member->parts = in.get<std::uint32_t>();
    member->executions = in.get<std::uint64_t>();
    member->ends_soon = in.get<bool>();
    if (!member->nearly_all_after && !member->strategy->durable()->load(in, names)) return false;
    members_.push_back(std::move(*member));
  }
  turn_ = in.get<std::uint64_t>();
  unit_ = in.get<std::uint64_t>();
  left_ = in.get<std::uint64_t>();
  until_look_ = in.get<std::uint64_t>();
  problem_ = in.get_string();
  return in.ok() && turn_ < members_.size();
}

Guarantee Portfolio::guarantee() const {
  Guarantee all;
  for (const Member& member : members_) {
    const Guarantee one = member.strategy->guarantee();
    all.complete = all.complete || one.complete;
    all.exhausted = all.exhausted || one.complete || (one.exhausted && member.covers_all);
    if (one.exhausted && member.nearly_all_after && one.covers == Covers::deadlocks_and_races) {
      all.exhausted = true;
      all.covers = one.covers;
    }
    // Each of its own executions has that chance, whatever the other members do.
    const bool has_chance = one.chance && one.chance->of == Chance::Of::bug_of_depth && one.chance->log_least;
    if (has_chance && !all.chance) all.chance = one.chance;
    for (const Bound& bound : one.bounds) {
      auto same = std::find_if(all.bounds.begin(), all.bounds.end(), [&](const Bound& other) {
        return other.base == bound.base && other.covers == bound.covers;
      });
      if (same == all.bounds.end()) {
        all.bounds.push_back(bound);
      } else if (bound.completed && (!same->completed || *bound.completed > *same->completed)) {
        same->completed = bound.completed;
      }
    }
  }
  return all;
}

SearchStatistics Portfolio::statistics() const {
  SearchStatistics all;
  for (const Member& member : members_) {
    const SearchStatistics one = member.strategy->reporting().statistics();
    all.waiting += one.waiting;
    all.nodes += one.nodes;
    all.nodes_max += one.nodes_max;
    all.spilled += one.spilled;
    all.uncompressed += one.uncompressed;
    all.apart += one.apart;
    all.complete += one.complete;
    all.remembered += one.remembered;
    if (one.causality) all.causality = one.causality;
  }
  return all;
}

// The progress of the member that is closest to covering all.
Progress Portfolio::progress() {
  Progress all;
  all.share = 0;
  for (const Member& member : members_) {
    if (!member.covers_all) continue;
    Progress one = member.strategy->reporting().progress();
    if (one.level || !one.done || (all.done && *all.done >= *one.done)) continue;
    all = one;
  }
  return all;
}

}  // namespace thrum
