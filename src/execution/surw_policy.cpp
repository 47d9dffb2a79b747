// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "execution/surw_policy.hpp"

#include <algorithm>
#include <cmath>

namespace thrum {

namespace {

constexpr std::uint64_t kRarely = 8;  // one in so many

bool touches(const PendingOperation& pending, std::uint64_t object) {
  return pending.object <= object && object < pending.object + std::max<std::uint32_t>(pending.size, 1);
}

}  // namespace

void SurwPolicy::begin(const Policy& policy) {
  object_ = object_of(policy);
  random_ = Random(policy.seed);
  threads_.clear();
  known_.clear();
  thread(kMainThread);  // the creator if no other is known
  for (const ThreadCount& entry : policy.counts) thread(entry.thread).left += entry.count;
  intended_ = kNoThread;
  looked_ = false;
  exact_ = !policy.counts.empty();
  log_chance_ = 0;
  done_.clear();
  met_.clear();
}

SurwPolicy::Thread& SurwPolicy::thread(ThreadId id) {
  if (threads_.size() <= id) threads_.resize(std::size_t{id} + 1);
  if (!threads_[id].known) known_.push_back(id);
  threads_[id].known = true;
  return threads_[id];
}

ThreadId SurwPolicy::nearest_created(ThreadId id, const Pending& threads) const {
  do {
    id = threads.creator(id);
  } while (id != kMainThread && (id >= threads_.size() || !threads_[id].created));
  return id;
}

void SurwPolicy::weigh(const Pending& threads) {
  for (ThreadId id : known_) threads_[id].weight = threads_[id].created ? threads_[id].left : 0;
  for (ThreadId id : known_) {
    const Thread& one = threads_[id];
    if (!one.created && one.left > 0 && id != kMainThread)
      thread(nearest_created(id, threads)).weight += one.left;
  }
}

// A thread creates another one. If it was the intended thread, it was drawn for both of them.
void SurwPolicy::add(ThreadId id, Pending& threads) {
  ThreadId creator = id == kMainThread ? kMainThread : nearest_created(id, threads);
  weigh(threads);
  std::uint64_t both = thread(creator).weight;
  thread(id).created = true;
  if (id == kMainThread) return;
  weigh(threads);
  if (intended_ == creator && both > 0 && random_.below(both) < thread(id).weight) intended_ = id;
}

// Reads the pending operations.
void SurwPolicy::look(Pending& threads) {
  for (ThreadId id : known_) threads_[id].live = false;
  std::span<const PendingOperation> all = threads.pending();
  for (const PendingOperation& pending : all) {
    if (!thread(pending.thread).created) add(pending.thread, threads);
    Thread& one = threads_[pending.thread];
    bool was_parked = one.parked;
    one.live = true;
    one.enabled = pending.enabled;
    one.parked = pending.operation == Operation::thread_join && !pending.enabled;
    one.in_delta = object_ == 0 || touches(pending, object_);
    one.object = pending.object;
    if (!one.parked && !one.enabled) exact_ = false;  // it is blocked
    if (was_parked && !one.parked) {
      exact_ = exact_ && std::none_of(all.begin(), all.end(), [&](const PendingOperation& other) {
                 return other.thread != pending.thread &&
                        (other.enabled || other.operation != Operation::thread_join);
               });
    }
  }
  weigh(threads);
  auto competing = std::count_if(known_.begin(), known_.end(),
                                 [&](ThreadId id) { return threads_[id].live && !threads_[id].parked; });
  for (ThreadId id : known_) {
    Thread& one = threads_[id];
    if (one.parked && one.competed && one.weight > 0) exact_ = false;  // weighed too soon
    one.competed = !one.parked && (one.competed || (competing > 1 && one.live));
  }
}

// The thread's weight in a draw: at least 1 before an operation in Delta, even if none was expected.
std::uint64_t SurwPolicy::share_of(const Thread& one, bool enabled_only) {
  if (!one.live || one.parked || (enabled_only && !one.enabled)) return 0;
  return std::max<std::uint64_t>(one.weight, one.in_delta ? 1 : 0);
}

std::uint64_t SurwPolicy::sum_of_shares(bool enabled_only) const {
  std::uint64_t sum = 0;
  for (ThreadId id : known_) sum += share_of(threads_[id], enabled_only);
  return sum;
}

ThreadId SurwPolicy::draw(bool enabled_only) {
  std::uint64_t sum = sum_of_shares(enabled_only);
  if (sum == 0) return kNoThread;
  std::uint64_t place = random_.below(sum);
  for (ThreadId id : known_) {
    std::uint64_t share = share_of(threads_[id], enabled_only);
    if (place < share) return id;
    place -= share;
  }
  return kNoThread;
}

std::uint16_t SurwPolicy::choose(const ChoicePoint& point, std::span<const Option> options,
                                 Pending& threads) {
  if (point.key.kind != ChoiceKind::thread) return static_cast<std::uint16_t>(random_.below(options.size()));
  look(threads);
  looked_ = true;
  return choose_thread(point, options, threads);
}

std::uint16_t SurwPolicy::choose_thread(const ChoicePoint& point, std::span<const Option> options,
                                        Pending& threads) {
  const std::uint16_t enabled = point.enabled;
  const std::size_t unasked = options.size() - enabled;
  if (unasked > 0) {
    exact_ = false;
    if (enabled == 0 || random_.below(kRarely) == 0)
      return static_cast<std::uint16_t>(enabled + random_.below(unasked));
  }
  weigh(threads);
  if (intended_ == kNoThread || share_of(threads_[intended_], false) == 0) intended_ = draw(false);
  auto may_go = [&](const Option& option) {
    return option.value == intended_ || !thread(option.value).in_delta;
  };
  auto candidates = std::count_if(options.begin(), options.begin() + enabled, may_go);
  if (candidates == 0) {
    exact_ = false;
    intended_ = draw(true);
    candidates = std::count_if(options.begin(), options.begin() + enabled, may_go);
    if (candidates == 0) return static_cast<std::uint16_t>(random_.below(enabled));
  }
  std::uint64_t place = random_.below(static_cast<std::uint64_t>(candidates));
  for (std::uint16_t i = 0; i < enabled; ++i) {
    if (may_go(options[i]) && place-- == 0) return i;
  }
  return 0;
}

void SurwPolicy::follow(const ChoicePoint& point, std::span<const Option> options, std::uint16_t taken,
                        Pending& threads) {
  if (point.key.kind != ChoiceKind::thread) {
    log_chance_ -= std::log(static_cast<double>(options.size()));
    return;
  }
  if (!looked_) look(threads);
  looked_ = false;
  if (options[taken].via == Via::run && taken < point.enabled) count_step(options[taken].value);
}

void SurwPolicy::count_step(ThreadId id) {
  Thread& one = thread(id);
  std::pair<std::uint64_t, ThreadId> key{done_.size() < kEntriesMax ? one.object : 0, id};
  if (++done_[key] == 1) met_.push_back(key);
  if (!one.in_delta) return;
  double sum = static_cast<double>(sum_of_shares(false));
  log_chance_ += std::log(static_cast<double>(share_of(one, false))) - std::log(sum);
  if (one.left == 0) {
    exact_ = false;
  } else {
    --one.left;
  }
  intended_ = kNoThread;
}

void SurwPolicy::finish(Sampling& sampling) const {
  sampling.as_expected = exact_ && std::all_of(known_.begin(), known_.end(),
                                               [&](ThreadId id) { return threads_[id].left == 0; });
  sampling.log_chance = log_chance_;
  for (const auto& key : met_) sampling.counts.push_back({key.second, key.first, done_.find(key)->second});
}

}  // namespace thrum
