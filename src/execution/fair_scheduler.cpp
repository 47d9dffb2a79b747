// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tested by fair_scheduler_test.cpp.
#include "execution/fair_scheduler.hpp"

#include <algorithm>
#include <utility>

namespace thrum {

namespace {

constexpr unsigned kBits = 64;

}  // namespace

void ThreadSet::add(ThreadId thread) {
  std::size_t word = thread / kBits;
  if (words_.size() <= word) words_.resize(word + 1);
  words_[word] |= std::uint64_t{1} << thread % kBits;
}

void ThreadSet::remove(ThreadId thread) {
  std::size_t word = thread / kBits;
  if (word < words_.size()) words_[word] &= ~(std::uint64_t{1} << thread % kBits);
}

bool ThreadSet::has(ThreadId thread) const {
  std::size_t word = thread / kBits;
  return word < words_.size() && (words_[word] >> thread % kBits & 1) != 0;
}

bool ThreadSet::empty() const {
  return std::all_of(words_.begin(), words_.end(), [](std::uint64_t word) { return word == 0; });
}

bool ThreadSet::meets(const ThreadSet& other) const {
  std::size_t count = std::min(words_.size(), other.words_.size());
  for (std::size_t i = 0; i < count; ++i) {
    if ((words_[i] & other.words_[i]) != 0) return true;
  }
  return false;
}

void ThreadSet::unite(const ThreadSet& other) {
  if (words_.size() < other.words_.size()) words_.resize(other.words_.size());
  for (std::size_t i = 0; i < other.words_.size(); ++i) words_[i] |= other.words_[i];
}

void ThreadSet::intersect(const ThreadSet& other) {
  if (words_.size() > other.words_.size()) words_.resize(other.words_.size());
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
}

void ThreadSet::subtract(const ThreadSet& other) {
  std::size_t count = std::min(words_.size(), other.words_.size());
  for (std::size_t i = 0; i < count; ++i) words_[i] &= ~other.words_[i];
}

void FairScheduler::begin(Fairness mode) {
  mode_ = mode;
  active_ = ordered_ = starves_ = sleeps_ = false;
  last_ = kNoThread;
  yielded_at_ = {kNoThread, ChoiceKind::thread, 0};
  choices_ = 0;
  lasts_.clear();
  for (ThreadId thread : known_) threads_[thread] = {};
  known_.clear();
}

FairScheduler::PerThread& FairScheduler::of(ThreadId thread) {
  if (threads_.size() <= thread) threads_.resize(thread + std::size_t{1});
  return threads_[thread];
}

void FairScheduler::meet(const ChoicePoint& point, std::span<const Option> options, Pending& threads) {
  const bool yields = point.yielded && point.key != yielded_at_;
  if (!active_ && !yields) return;
  std::swap(were_enabled_, enabled_);
  enabled_.clear();
  ++choices_;
  for (const Option& option : options) {
    if (option.via == Via::spurious) continue;
    enabled_.add(option.value);
    if (lasts_.size() <= option.value) lasts_.resize(option.value + std::size_t{1});
    lasts_[option.value].enabled = choices_;
  }
  for (ThreadId thread : known_) {
    PerThread& its = threads_[thread];
    its.enabled.intersect(enabled_);
    if (last_ != kNoThread) its.scheduled.add(last_);
    if (thread != last_) continue;
    scratch_ = were_enabled_;
    scratch_.subtract(enabled_);
    its.disabled.unite(scratch_);
  }
  if (std::exchange(sleeps_, false)) yield(last_, sleep_place_);
  if (!yields) return;
  yielded_at_ = point.key;
  yield(point.key.thread, threads.place(point.key.thread));
}

void FairScheduler::yield(ThreadId thread, std::uint64_t place) {
  PerThread& mine = of(thread);
  if (lasts_.size() <= thread) lasts_.resize(thread + std::size_t{1});
  lasts_[thread].yielded = choices_;
  if (mine.places.empty()) known_.push_back(thread);
  const bool again = std::find(mine.places.begin(), mine.places.end(), place) != mine.places.end();
  if (!again) mine.places.push_back(place);
  if (again) {
    scratch_ = mine.enabled;
    scratch_.unite(mine.disabled);
    scratch_.subtract(mine.scheduled);
    scratch_.remove(thread);
    bool somebody = !scratch_.empty();
    mine.rounds = somebody ? mine.rounds + 1 : 0;
    starves_ = starves_ || mine.rounds > kPatience;
    if (somebody && mode_ == Fairness::on) {
      mine.goes_behind.unite(scratch_);
      ordered_ = true;
    }
  }
  active_ = true;
  mine.enabled = enabled_;
  mine.disabled.clear();
  mine.scheduled.clear();
}

bool FairScheduler::withhold(ChoicePoint& point, std::span<const Option> options, std::vector<Option>& kept,
                             std::vector<std::uint16_t>& from) const {
  if (!ordered_) return false;
  auto may_run = [&](const Option& option) {
    return option.value >= threads_.size() || !threads_[option.value].goes_behind.meets(enabled_);
  };
  if (std::all_of(options.begin(), options.end(), may_run)) return false;
  kept.clear();
  from.clear();
  std::uint16_t enabled = 0;
  std::uint16_t round = 0;
  bool running_kept = false;
  for (std::size_t i = 0; i < options.size(); ++i) {
    if (!may_run(options[i])) continue;
    if (i < point.enabled) {
      ++enabled;
      round = static_cast<std::uint16_t>(round + (i < point.round ? 1 : 0));
      running_kept = running_kept || options[i].value == point.key.thread;
    }
    kept.push_back(options[i]);
    from.push_back(static_cast<std::uint16_t>(i));
  }
  if (kept.empty()) return false;
  point.enabled = enabled;
  point.round = round < enabled ? round : std::uint16_t{0};
  point.running_enabled = point.running_enabled && running_kept;
  return true;
}

bool FairScheduler::is_fair_since(std::uint32_t choices) const {
  return std::all_of(lasts_.begin(), lasts_.end(), [choices](const Last& last) {
    return last.enabled <= choices || (last.taken > choices && last.yielded > choices);
  });
}

void FairScheduler::take(const Option& option, Pending& threads) {
  last_ = option.value;
  if (last_ < lasts_.size()) lasts_[last_].taken = choices_;
  if (option.via == Via::timeout) {
    active_ = sleeps_ = true;
    sleep_place_ = threads.place(last_);
  }
  if (!ordered_) return;
  for (ThreadId thread : known_) threads_[thread].goes_behind.remove(last_);
}

}  // namespace thrum
