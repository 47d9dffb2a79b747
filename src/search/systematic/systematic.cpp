// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/systematic/systematic.hpp"

#include <algorithm>

namespace thrum {

Systematic::Systematic(Settings settings) : settings_(settings), fringe_(settings.fringe) {
  fringe_.push_plan({}, 0, 0);
}

bool Systematic::next(Plan& plan) {
  if (fringe_.size() != 0 && is_level_over()) begin_level();
  if (!fringe_.pop(running_)) return false;
  estimate_.take();
  plan.policy = Policy{Policy::Kind::base, settings_.base, 0};
  if (settings_.cheapest_first && settings_.base == Base::nonpreemptive)
    plan.policy.waiting = Waiting::values;
  fringe_.path(running_, plan.departures);
  return true;
}

void Systematic::learn(const Plan&, const Trace& trace) {
  const bool full = fringe_.size() >= settings_.fringe_max;
  fringe_.note_length(trace.counts.points);
  std::optional<std::uint32_t>
      later;  // the least cost of what departs from this execution and is left for another run
  // The deepest choice is pushed last and so served first; of one choice's options the first. Where a limit
  // has cut the execution, whose end may lie far away, the first choice is served first.
  const bool backward = is_cut_by_limit(trace.end);
  for (std::size_t n = 0; n < trace.choices.size(); ++n) {
    const ChoicePoint& point = trace.choices[backward ? trace.choices.size() - 1 - n : n];
    std::span<const Option> options = trace.options_of(point);
    std::size_t beside = 0;  // options of the level that is being served
    for (std::size_t i = options.size(); i-- > 0;) {
      if (i == point.taken) continue;
      std::uint32_t cost =
          point.cost_before + option_cost(point, options, static_cast<std::uint16_t>(i), settings_.base);
      if (running_.again && cost < running_.cost) continue;  // was pushed before
      if (settings_.limit && cost > *settings_.limit) {
        fringe_.exclude();
      } else if (full && key_of(cost) > key_of(running_.cost)) {
        later = std::min(later.value_or(cost), cost);
      } else {
        fringe_.push(running_.node, {point.key, options[i]}, point.step, key_of(cost), cost);
        if (key_of(cost) == key_of(running_.cost)) ++beside;
      }
    }
    estimate_.branch(beside);
  }
  estimate_.finish();
  if (later) {
    fringe_.push_again(running_, key_of(*later), *later);
  } else {
    fringe_.release(running_);
  }
  fringe_.settle();
}

void Systematic::begin_level() {
  level_ = fringe_.first_key();
  estimate_.begin(fringe_.first_size());
}

std::unique_ptr<Strategy> Systematic::split() {
  if (fringe_size() < 2) return nullptr;
  if (is_level_over()) begin_level();
  auto other = std::make_unique<Systematic>(settings_);
  other->fringe_ = Fringe(settings_.fringe);
  fringe_.split(other->fringe_);
  if (other->fringe_.size() == 0) return nullptr;
  other->level_ = level_;
  estimate_.give(other->estimate_, other->waiting_of_level(), waiting_of_level());
  return other;
}

void Systematic::merge(Strategy& other) {
  auto& part = dynamic_cast<Systematic&>(other);
  const bool is_over = part.level_ != level_ || part.is_level_over();
  fringe_.merge(part.fringe_);
  estimate_.take_back(part.estimate_, is_over, waiting_of_level());
}

std::size_t Systematic::waiting_of_level() const { return is_level_over() ? 0 : fringe_.first_size(); }

bool Systematic::is_level_over() const { return fringe_.size() == 0 || fringe_.first_key() != level_; }

void Systematic::save(ByteWriter& out, const ThreadNames& names) const {
  out.put(level_.has_value());
  out.put(level_.value_or(0));
  out.put(estimate_.done_so_far());
  out.put(estimate_.whole());
  fringe_.save(out, names);
}

bool Systematic::load(ByteReader& in, ThreadNames& names) {
  level_.reset();
  const bool has_level = in.get<bool>();
  const auto level = in.get<Fringe::Key>();
  const auto done = in.get<double>();
  const auto whole = in.get<double>();
  if (!(done >= 0 && done <= 2 && whole >= 0 && whole <= 2)) in.fail();
  if (has_level) level_ = level;
  fringe_ = Fringe(settings_.fringe);
  fringe_.load(in, names);
  estimate_ = LevelEstimate();
  estimate_.resume(done, whole, waiting_of_level());
  return in.ok();
}

Guarantee Systematic::guarantee() const { return fringe_.guarantee(settings_.base, settings_.limit); }

Progress Systematic::progress() {
  Progress progress;
  progress.waiting = fringe_.size();
  if (settings_.cheapest_first) progress.level = static_cast<std::uint32_t>(level_.value_or(0));
  progress.done = estimate_.done(is_level_over());
  progress.share = estimate_.whole();
  return progress;
}

}  // namespace thrum
