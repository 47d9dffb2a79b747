// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/surw.hpp"

#include <algorithm>
#include <cmath>

namespace thrum {

namespace {

constexpr std::uint64_t kRarely = 8;          // one in so many
constexpr std::size_t kEntriesMax = 1 << 14;  // of a profile; further objects are not told apart

bool touches(const PendingOperation& pending, std::uint64_t object) {
  return pending.object <= object && object < pending.object + std::max<std::uint32_t>(pending.size, 1);
}

}  // namespace

void SurwPolicy::begin(const Policy& policy) {
  policy_ = &policy;
  random_ = Random(policy.seed);
  threads_.clear();
  known_.clear();
  thread(kMainThread);  // the creator of last resort
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

// The draw of a thread that creates another was one for both of them.
void SurwPolicy::add(ThreadId id, Pending& threads) {
  ThreadId creator = id == kMainThread ? kMainThread : nearest_created(id, threads);
  weigh(threads);
  std::uint64_t both = thread(creator).weight;
  thread(id).created = true;
  if (id == kMainThread) return;
  weigh(threads);
  if (intended_ == creator && both > 0 && random_.below(both) < thread(id).weight) intended_ = id;
}

// What the threads stand before, now.
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
    one.in_delta = policy_->object == 0 || touches(pending, policy_->object);
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
    if (one.parked && one.competed && one.weight > 0) exact_ = false;  // that was weighed too soon
    one.competed = !one.parked && (one.competed || (competing > 1 && one.live));
  }
}

// In a draw: at least 1 where it stands before an operation in Delta, whatever was expected of it.
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

bool Surw::next(Plan& plan) {
  plan.departures.clear();
  plan.policy = Policy{Policy::Kind::surw, Base::nonpreemptive, random_.next()};
  if (!everything_ && !shared_.empty()) plan.policy.object = shared_[random_.below(shared_.size())];
  plan.policy.counts = counts_of(plan.policy.object);
  return true;
}

std::uint32_t Surw::mean(ThreadId thread, std::uint64_t total) const {
  auto executions = appeared_.find(thread);
  if (executions == appeared_.end() || executions->second == 0) return 0;
  std::uint64_t rounded = (total + executions->second / 2) / executions->second;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(rounded, UINT32_MAX));
}

// 0: of everything.
std::vector<ThreadCount> Surw::counts_of(std::uint64_t object) const {
  std::map<ThreadId, std::uint64_t> totals;
  auto first = object == 0 ? done_.begin() : done_.lower_bound({object, 0});
  for (auto entry = first; entry != done_.end(); ++entry) {
    if (object != 0 && entry->first.first != object) break;
    totals[entry->first.second] += entry->second;
  }
  std::vector<ThreadCount> counts;
  for (auto [thread, total] : totals) counts.push_back({thread, mean(thread, total)});
  return counts;
}

void Surw::add(std::uint64_t object, ThreadId thread, std::uint64_t count) {
  auto first = done_.lower_bound({object, 0});
  bool is_new = first == done_.end() || first->first.first != object;
  if (is_new && done_.size() >= kEntriesMax) object = 0;
  if (is_new && object != 0) objects_.push_back(object);
  done_[{object, thread}] += count;
}

void Surw::find_shared() {
  shared_.clear();
  for (std::uint64_t object : objects_) {
    auto second = std::next(done_.lower_bound({object, 0}));
    if (second != done_.end() && second->first.first == object) shared_.push_back(object);
  }
}

void Surw::learn(const Plan& plan, const Trace& trace) {
  bool finished = trace.end == End::finished;
  if (is_cut_by_limit(trace.end)) unfit_ = true;
  if (finished && !plan.policy.counts.empty() && !trace.sampling.as_expected) unfit_ = true;
  if (finished && trace.sampling.as_expected) {
    double chance = trace.sampling.log_chance;
    if (plan.policy.object != 0) chance -= std::log(static_cast<double>(shared_.size()));
    if (executions_++ == 0 || chance < log_least_) {
      log_least_ = chance;
      steps_ = 0;
      for (const ThreadCount& entry : plan.policy.counts) steps_ += entry.count;
    }
  }
  // One that failed may have been stopped early. Better than nothing, and only than that.
  if (!finished && (trace.end != End::bug || !appeared_.empty())) return;
  if (from_failed_) {
    done_.clear();
    appeared_.clear();
    objects_.clear();
  }
  from_failed_ = !finished;
  std::size_t known = done_.size();
  std::map<ThreadId, bool> here;
  for (const Sampling::Count& one : trace.sampling.counts) {
    add(one.object, one.thread, one.count);
    here[one.thread] = true;
  }
  for (auto [thread, yes] : here) ++appeared_[thread];
  if (done_.size() != known || from_failed_) find_shared();
}

std::unique_ptr<Strategy> Surw::split() {
  auto other = std::make_unique<Surw>(random_.next(), everything_);
  other->done_ = done_;
  other->appeared_ = appeared_;
  other->from_failed_ = from_failed_;
  other->objects_ = objects_;
  other->shared_ = shared_;
  other->unfit_ = unfit_;
  return other;
}

// What the other one learned is not taken over: the two may have learned the half of it from the same
// executions, and each knows enough.
void Surw::merge(Strategy& other_strategy) {
  auto& other = dynamic_cast<Surw&>(other_strategy);
  if (other.executions_ > 0 && (executions_ == 0 || other.log_least_ < log_least_)) {
    log_least_ = other.log_least_;
    steps_ = other.steps_;
  }
  executions_ += other.executions_;
  unfit_ = unfit_ || other.unfit_;
  if (!appeared_.empty()) return;
  done_ = std::move(other.done_);
  appeared_ = std::move(other.appeared_);
  objects_ = std::move(other.objects_);
  from_failed_ = other.from_failed_;
  find_shared();
}

void Surw::save(ByteWriter& out, const ThreadNames& names) const {
  out.put(random_.state());
  out.put(from_failed_);
  out.put(executions_);
  out.put(unfit_);
  out.put(log_least_);
  out.put(steps_);
  out.put(static_cast<std::uint32_t>(done_.size()));
  auto put_object = [&](std::uint64_t object) {
    for (auto entry = done_.lower_bound({object, 0}); entry != done_.end(); ++entry) {
      if (entry->first.first != object) break;
      out.put(object);
      out.put_string(names.name(entry->first.second));
      out.put(entry->second);
    }
  };
  put_object(0);
  for (std::uint64_t object : objects_) put_object(object);
  out.put(static_cast<std::uint32_t>(appeared_.size()));
  for (const auto& [thread, count] : appeared_) {
    out.put_string(names.name(thread));
    out.put(count);
  }
}

bool Surw::load(ByteReader& in, ThreadNames& names) {
  auto read_thread = [&] {
    std::optional<ThreadId> id = names.parse(in.get_string());
    if (!id) in.fail();
    return id.value_or(kMainThread);
  };
  random_ = Random(in.get<std::uint64_t>());
  from_failed_ = in.get<bool>();
  executions_ = in.get<std::uint64_t>();
  unfit_ = in.get<bool>();
  log_least_ = in.get<double>();
  steps_ = in.get<std::uint64_t>();
  done_.clear();
  appeared_.clear();
  objects_.clear();
  std::uint32_t entries = in.get_count();
  for (std::uint32_t i = 0; i < entries && in.ok(); ++i) {
    auto object = in.get<std::uint64_t>();
    ThreadId thread = read_thread();
    add(object, thread, in.get<std::uint64_t>());
  }
  std::uint32_t threads = in.get_count();
  for (std::uint32_t i = 0; i < threads && in.ok(); ++i) {
    ThreadId thread = read_thread();
    appeared_[thread] = in.get<std::uint64_t>();
  }
  find_shared();
  return in.ok();
}

Guarantee Surw::guarantee() const {
  Chance chance;
  chance.of = everything_ ? Chance::Of::interleaving : Chance::Of::object_order;
  chance.steps = steps_;
  chance.objects = shared_.size();
  chance.executions = executions_;
  chance.unfit = unfit_;
  if (!unfit_ && executions_ > 0) chance.log_least = log_least_;
  Guarantee guarantee;
  guarantee.chance = chance;
  return guarantee;
}

}  // namespace thrum
