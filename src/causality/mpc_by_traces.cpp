// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "causality/mpc_by_traces.hpp"

#include <algorithm>

namespace thrum {

namespace {

const ThreadWay& way_at(const Ways& ways, ThreadId thread) {
  static const ThreadWay kEmpty;
  return thread < ways.size() ? ways[thread] : kEmpty;
}

bool has_other_outcome(const TracePath::Prefix& prefix) {
  return std::ranges::any_of(prefix, [](const TracePath::Cut& cut) { return !cut.excluded.empty(); });
}

// Calls take with each combination of one option of each thread.
template <typename Take>
void combine(const std::vector<std::vector<TracePath::Cut>>& options, const Take& take) {
  std::vector<std::size_t> chosen(options.size(), 0);
  for (;;) {
    TracePath::Prefix prefix;
    for (std::size_t i = 0; i < options.size(); ++i) prefix.push_back(options[i][chosen[i]]);
    take(prefix);
    std::size_t i = options.size();
    while (i > 0 && ++chosen[i - 1] == options[i - 1].size()) chosen[--i] = 0;
    if (i == 0) return;
  }
}

// The sets of some of them, the largest first.
std::vector<std::set<ThreadId>> subsets_of(const std::set<ThreadId>& threads) {
  const std::vector<ThreadId> all(threads.begin(), threads.end());
  std::vector<std::set<ThreadId>> sets;
  for (std::uint64_t bits = 1; bits < std::uint64_t{1} << all.size(); ++bits) {
    std::set<ThreadId>& set = sets.emplace_back();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if ((bits >> i & 1) != 0) set.insert(all[i]);
    }
  }
  std::ranges::stable_sort(sets, std::ranges::greater{}, &std::set<ThreadId>::size);
  return sets;
}

}  // namespace

Wanted MpcByTraces::wanted() const {
  return {Wanted::kChoices | Wanted::kEvents | Wanted::kAccesses | Wanted::kTerms | Wanted::kDecisions,
          Wanted::From::start, 0};
}

std::string MpcByTraces::problem() const {
  if (!not_covered_.empty()) return not_covered_;
  return "the published algorithm may miss paths (docs/causality.md)";
}

bool MpcByTraces::next(Plan& plan) {
  if (!begun_) {
    begun_ = true;
    running_ = {};
    plan = {};
    return true;
  }
  if (work_.empty()) return false;
  running_ = std::move(work_.back());
  work_.pop_back();
  plan = running_.plan;
  return true;
}

std::unique_ptr<TraceEncoding> MpcByTraces::encode(const TracePath& path) {
  return std::make_unique<TraceEncoding>(Deciding::terms, path, *settings_.terms, initial_,
                                         settings_.make_solver(*settings_.terms));
}

void MpcByTraces::learn(const Plan&, const Trace& trace) {
  const auto path = std::make_shared<const TracePath>(Deciding::terms, initial_, *settings_.terms, trace);
  if (not_covered_.empty()) not_covered_ = path->not_covered();
  std::vector<Question> questions;
  if (path->goes(running_.expected)) {
    for (Prefix& prefix : split(*path, running_))
      questions.push_back({path, running_.before, std::move(prefix)});
  } else {
    ++counts_.missed;
    if (running_.extension) tried_.erase(*running_.extension);
    if (running_.question.path && initial_.size() != running_.known) questions.push_back(running_.question);
  }
  if (questions.empty() || !not_covered_.empty()) return;
  const std::unique_ptr<TraceEncoding> encoding = encode(*questions[0].path);
  not_covered_ = encoding->not_covered();
  if (!not_covered_.empty()) work_.clear();
  for (const Question& question : questions) {
    if (not_covered_.empty()) ask(question, *encoding);
  }
  counts_.queries += encoding->queries();
}

// All its way, or up to a branch behind there that ends in another way.
MpcByTraces::Options MpcByTraces::options_behind(const TracePath& path, ThreadId thread,
                                                 const ThreadWay& way) const {
  const std::size_t branches = path.branches(thread).size();
  Options options = {path.up_to(thread, branches)};
  for (std::size_t branch = way.values.size(); branch < branches; ++branch) {
    const bool is_first = branch == way.values.size();
    std::optional<Cut> cut =
        path.other_at(thread, branch, is_first ? way.excluded : std::vector<std::uint64_t>());
    if (cut) options.push_back(std::move(*cut));
  }
  return options;
}

// That way, or the part of it that the execution can say. None: it says nothing of it.
MpcByTraces::Options MpcByTraces::options_of_kept(const TracePath& path, ThreadId thread,
                                                  const ThreadWay& way) const {
  const std::span<const TracePath::Branch> own = path.branches(thread);
  std::size_t same = 0;
  while (same < way.values.size() && same < own.size() && way.values[same] == own[same].value) ++same;
  if (same < way.values.size()) {
    if (same == own.size()) return {};
    std::optional<Cut> cut = path.other_at(thread, same, {});
    return cut ? Options{*cut} : Options{};
  }
  Cut cut = path.up_to(thread, same);
  if (!way.excluded.empty() && same == own.size()) return {};
  cut.excluded = way.excluded;
  return {cut};
}

std::vector<MpcByTraces::Prefix> MpcByTraces::split(const TracePath& path, const Work& work) const {
  std::vector<Options> options;
  for (ThreadId thread = 0; thread < path.threads(); ++thread) {
    if (path.last(thread) == ThreadTrees::kNone) {
      options.push_back({Cut{}});
    } else if (!work.extension) {
      options.push_back(options_behind(path, thread, way_at(work.before, thread)));
    } else {
      const ThreadWay& way = way_at(work.extension->prefix, thread);
      options.push_back(work.extension->kept.contains(thread) ? options_of_kept(path, thread, way)
                                                              : options_behind(path, thread, way));
    }
    if (options.back().empty()) return {};
  }
  std::vector<Prefix> prefixes;
  std::set<Prefix> known;
  combine(options, [&](const Prefix& prefix) {
    if (!has_other_outcome(prefix) && !work.extension) return;
    Prefix closed = path.closed(prefix);
    const bool is_new = work.extension || has_other_outcome(closed);
    if (is_new && known.insert(closed).second) prefixes.push_back(std::move(closed));
  });
  return prefixes;
}

void MpcByTraces::ask(const Question& question, TraceEncoding& encoding) {
  switch (encoding.solve(question.prefix, settings_.limit)) {
    case Solver::Answer::unknown: ++counts_.unknown; return;
    case Solver::Answer::unsatisfiable: return extend(question, encoding);
    case Solver::Answer::satisfiable: break;
  }
  const Ways ways = question.path->ways_of(question.prefix);
  push({.before = ways, .expected = ways, .question = question}, encoding);
}

void MpcByTraces::push(Work work, TraceEncoding& encoding) {
  work.plan = encoding.plan_of(encoding.steps());
  work.known = initial_.size();
  work_.push_back(std::move(work));
}

void MpcByTraces::extend(const Question& question, TraceEncoding& encoding) {
  const Threads core = encoding.core();
  if (settings_.retrying == Retrying::none || core.empty()) return;
  const Ways ways = question.path->ways_of(question.prefix);
  if (settings_.retrying == Retrying::core) {
    extend(question, encoding, {ways, core});
    return;
  }
  for (const Threads& kept : subsets_of(core)) {
    if (extend(question, encoding, {ways, kept})) return;
  }
}

// Whether that can be executed.
bool MpcByTraces::extend(const Question& question, TraceEncoding& encoding, const Extension& extension) {
  if (tried_.contains(extension)) return false;
  Prefix prefix = question.prefix;
  for (const ThreadId thread : extension.kept) prefix[thread] = cut_before(question, thread);
  prefix = question.path->closed(std::move(prefix));
  if (!has_other_outcome(prefix)) return false;
  tried_.insert(extension);
  const Solver::Answer answer = encoding.solve(prefix, settings_.limit);
  counts_.unknown += answer == Solver::Answer::unknown ? 1 : 0;
  if (answer != Solver::Answer::satisfiable) return false;
  push({.before = question.before,
        .expected = question.path->ways_of(prefix),
        .extension = extension,
        .question = question},
       encoding);
  return true;
}

// Where the thread was before, if the prefix goes that far.
MpcByTraces::Cut MpcByTraces::cut_before(const Question& question, ThreadId thread) const {
  const ThreadWay& way = way_at(question.before, thread);
  const Cut& own = question.prefix[thread];
  if (own.branches < way.values.size()) {
    Cut cut = own;
    cut.excluded.clear();
    return cut;
  }
  Cut cut = question.path->up_to(thread, way.values.size());
  if (own.stop != cut.stop && question.path->trees().is_before(own.stop, cut.stop)) cut.stop = own.stop;
  return cut;
}

}  // namespace thrum
