// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "worker/search_state.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include "support/raw_syscall.hpp"

namespace thrum {

namespace {

constexpr long kFilePage = 4096;

// Writes to the file, from an offset on.
class StateWriter final : public ByteWriter::Sink {
 public:
  StateWriter(long file, std::uint64_t offset) : file_(file), offset_(offset) {
    fail(raw_syscall(SYS_ftruncate, file, static_cast<long>(offset)));
  }

  void take(std::string_view bytes) override {
    digest_.add(bytes);
    while (!bytes.empty() && error_ == 0) {
      long result = raw_syscall(SYS_pwrite64, file_, reinterpret_cast<long>(bytes.data()),
                                static_cast<long>(bytes.size()), static_cast<long>(offset_ + size_));
      if (result == -EINTR) continue;
      if (fail(result == 0 ? -EIO : result)) return;
      bytes.remove_prefix(static_cast<std::size_t>(result));
      size_ += static_cast<std::uint64_t>(result);
    }
  }

  Channel::PassedState passed(std::uint64_t executions, double seconds) const {
    return {offset_, error_ == 0 ? size_ : 0, digest_.value(), error_, executions, seconds};
  }

 private:
  bool fail(long result) {
    if (result >= 0) return false;
    error_ = -result;
    return true;
  }

  long file_;
  std::uint64_t offset_;
  std::uint64_t size_ = 0;
  std::int64_t error_ = 0;
  StreamDigest digest_;
};

void put_names(ByteWriter& out, const ThreadNames& names) {
  out.put(static_cast<std::uint32_t>(names.size()));
  for (std::size_t id = 0; id < names.size(); ++id) out.put_string(names.name(static_cast<ThreadId>(id)));
}

void get_names(ByteReader& in, ThreadNames& names) {
  for (std::uint32_t left = in.get_count(); left > 0 && in.ok(); --left) {
    if (!names.parse(in.get_string())) in.fail();
  }
}

}  // namespace

bool SearchState::wants(bool last) {
  last_ = last;
  const Channel& channel = process_.channel();
  return last || channel.state_asked.load(std::memory_order_acquire) !=
                     channel.state_answered.load(std::memory_order_relaxed);
}

bool SearchState::is_there() const { return is_wanted() && process_.board().state_to_take_up != 0; }

void SearchState::put_down(const SearchSoFar& so_far, const SearchResult& before, Strategy& strategy,
                           const Digest& digest, Fairness fairness) {
  Channel& channel = process_.channel();
  const PassingState passing(channel);
  const double begun = process_.seconds();
  // The supervisor may still be reading the state that it asked for last.
  const std::uint64_t used = channel.state_answered != 0 ? channel.state.offset + channel.state.size : 0;
  StateWriter file(file_, last_ ? (used + kFilePage - 1) / kFilePage * kFilePage : 0);
  ByteWriter out(file);
  const ThreadNames& names = process_.names();
  put_names(out, names);
  process_.write_loaded(out);
  process_.write_identity(out);
  out.put(process_.layout());
  ReportSoFar report{before, so_far.result, {}, {}, process_.known_races()};
  process_.add_notes(report);
  write_so_far(out, report, names);
  process_.write_learned(out);
  out.put(digest.state());
  out.put(fairness);
  out.settle();
  so_far.statistics.save(out);
  strategy.durable()->save(out, names);
  out.flush();
  const std::uint64_t executions = before.executions + so_far.result.executions;
  if (last_) {
    channel.last_state = file.passed(executions, process_.seconds() - begun);
    channel.has_last_state.store(1, std::memory_order_release);
  } else {
    channel.state = file.passed(executions, process_.seconds() - begun);
    channel.state_answered.store(channel.state_asked.load(std::memory_order_relaxed),
                                 std::memory_order_release);
  }
}

std::string SearchState::take_up(SearchSoFar& so_far, SearchResult& before, Strategy& strategy,
                                 Digest& digest, Fairness& fairness) {
  const PassingState passing(process_.channel());
  const std::uint64_t size = process_.board().state_to_take_up;
  process_.board().state_to_take_up = 0;
  const long memory = raw_syscall(SYS_mmap, 0, static_cast<long>(size), PROT_READ, MAP_PRIVATE, file_, 0);
  if (memory < 0 && memory > -kFilePage) return "there is no memory for it";
  ByteReader in({reinterpret_cast<const char*>(memory), size});
  std::string problem = read(in, so_far, before, strategy, digest, fairness);
  raw_syscall(SYS_munmap, memory, static_cast<long>(size));
  if (!problem.empty()) return problem;
  process_.watch_warnings(false);
  const bool same = shows_again(before.bugs) && shows_again(so_far.result.bugs);
  process_.watch_warnings(true);
  if (!same) return "the program behaves otherwise than it did then: a bug is not shown again";
  process_.channel().executions.store(before.executions + so_far.result.executions,
                                      std::memory_order_relaxed);
  return {};
}

bool SearchState::shows_again(std::vector<FoundBug>& bugs) {
  const std::size_t known = process_.known_races().size();
  bool same = true;
  for (FoundBug& bug : bugs) {
    process_.use_races(bug.trace.details.known_races.size());
    same = same && !find_divergence(process_.program(), bug.plan, bug.trace) && bug.trace.end == End::bug &&
           bug.trace.failure.kind == bug.failure.kind && !process_.restarts();
    bug.failure = bug.trace.failure;
  }
  process_.use_races(known);
  return same;
}

std::string SearchState::read(ByteReader& in, SearchSoFar& so_far, SearchResult& before, Strategy& strategy,
                              Digest& digest, Fairness& fairness) {
  ThreadNames& names = process_.names();
  get_names(in, names);
  process_.read_loaded(in);
  if (std::string changed = process_.changed_part(in); in.ok() && !changed.empty())
    return changed + " is another one than it was then";
  const bool same_layout = in.get<std::uint64_t>() == process_.layout();
  // What a reduction leaves out depends on which objects are the same.
  if (in.ok() && !same_layout && strategy.durable()->keeps_addresses())
    return "objects have other addresses than then, by randomisation or an environment of another size";
  std::optional<ReportSoFar> report = read_so_far(in, names);
  if (report) {
    before = std::move(report->before);
    so_far.result = std::move(report->result);
    process_.read_learned(in, same_layout, *report);
  }
  digest.set_state(in.get<std::uint64_t>());
  fairness = in.get<Fairness>();
  if (fairness > Fairness::on) in.fail();
  so_far.statistics.load(in);
  if (!same_layout) so_far.statistics.forget_classes();
  const bool whole = report && in.ok() && strategy.durable()->load(in, names) && in.at_end();
  return whole ? "" : "it is not the state of such a search";
}

void SearchState::put_part(ByteWriter& out, const SearchSoFar& so_far, Strategy& strategy) {
  const ThreadNames& names = process_.names();
  out.put(process_.restarts());
  out.put_string(process_.alone());
  process_.write_loaded(out);
  ReportSoFar report{{}, so_far.result, {}, {}, {}};
  process_.add_notes(report);
  write_so_far(out, report, names);
  out.put(so_far.result.starved);
  process_.write_learned(out);
  so_far.statistics.save(out);
  strategy.durable()->save(out, names);
}

bool SearchState::take_part(ByteReader& in, SearchSoFar& so_far, Strategy& strategy) {
  ThreadNames& names = process_.names();
  if (in.get<bool>()) process_.restart();
  if (const std::string alone = in.get_string(); !alone.empty()) process_.stay_alone(alone);
  process_.read_loaded(in);
  std::optional<ReportSoFar> report = read_so_far(in, names);
  if (!report) return false;
  so_far.result = std::move(report->result);
  so_far.result.starved = in.get<bool>();
  process_.merge_learned(in, *report);
  so_far.statistics.load(in);
  return in.ok() && strategy.durable()->load(in, names) && in.at_end();
}

}  // namespace thrum
