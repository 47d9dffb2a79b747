// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/random/surw.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace thrum {

bool Surw::next(Plan& plan) {
  plan.departures.clear();
  plan.policy = {.kind = Policy::Kind::surw, .seed = random_.next(), .waiting = Waiting::values};
  const std::uint64_t object = everything_ || shared_.empty() ? 0 : shared_[random_.below(shared_.size())];
  plan.policy.parameters = {object};
  plan.policy.counts = counts_of(object);
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
  if (is_new && done_.size() >= SurwPolicy::kEntriesMax) object = 0;
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
    if (SurwPolicy::object_of(plan.policy) != 0) chance -= std::log(static_cast<double>(shared_.size()));
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
