// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "worker/shared_search.hpp"

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <span>
#include <utility>

#include "protocol/search_channel.hpp"
#include "support/check.hpp"
#include "support/raw_syscall.hpp"

namespace thrum {

struct SharedSearch::Part {
  SearchState& state;
  std::unique_ptr<Strategy> strategy;
  MakeStrategy make;
  Limits limits;
  double seconds;  // since the beginning of the search
  std::uint64_t executions_before;
};

SharedSearch::Part* SharedSearch::g_part = nullptr;

namespace {

constexpr std::uint32_t kNothing = 0;

std::uint32_t g_search = 0;   // number of searches begun
std::uint32_t g_revived = 0;  // Board::revived when this process was made

void sleep_while(std::atomic<std::uint32_t>& futex, std::uint32_t value) {
  while (futex.load(std::memory_order_acquire) == value)
    raw_syscall(SYS_futex, word(&futex), FUTEX_WAIT, static_cast<long>(value), 0);
}

// While it exists, a forked process finds zeros in the whole pages of that memory. So later writes here do
// not copy these pages.
class WipedOnFork {
 public:
  explicit WipedOnFork(std::span<const std::uint64_t> memory) {
    begin_ = (word(memory.data()) + kPage - 1) / kPage * kPage;
    size_ = word(memory.data() + memory.size()) / kPage * kPage - begin_;
    advise(MADV_WIPEONFORK);
  }
  WipedOnFork(const WipedOnFork&) = delete;
  WipedOnFork& operator=(const WipedOnFork&) = delete;
  ~WipedOnFork() { advise(MADV_KEEPONFORK); }

 private:
  static constexpr long kPage = 4096;

  void advise(int advice) const {
    if (size_ > 0) raw_syscall(SYS_madvise, begin_, size_, advice);
  }

  long begin_;
  long size_;
};

void wake(std::atomic<std::uint32_t>& futex) { raw_syscall(SYS_futex, word(&futex), FUTEX_WAKE, 1, 0); }

void ring(WorkerProcess& process) { raw_syscall(SYS_kill, process.supervisor(), bell_signal()); }

// Like fork(), but the copy is a child of the supervisor, and no handler of the program runs. Less than 0:
// failed.
long copy_process(WorkerProcess& process) {
  constexpr unsigned long kCloneParent = 0x00008000;
  const long copy = raw_syscall(SYS_clone, static_cast<long>(kCloneParent | SIGCHLD), 0, 0, 0, 0);
  if (copy != 0) return copy;
  raw_syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
  if (raw_syscall(SYS_getppid) != process.supervisor()) raw_syscall(SYS_exit_group, 0);
  if (!process.begin_as_copy()) raw_syscall(SYS_exit_group, 0);
  return 0;
}

// Writes the channel's report. The report is complete after finish().
class ReportWriter : public ByteWriter::Sink {
 public:
  explicit ReportWriter(Channel& channel) : channel_(channel) {}

  ByteWriter& out() { return out_; }
  void finish() {
    out_.flush();
    channel_.report_size.store(size_, std::memory_order_release);
  }

 private:
  void take(std::string_view bytes) override {
    THRUM_CHECK(bytes.size() <= kChannelSize - sizeof(Channel) - size_);
    std::memcpy(channel_.report + size_, bytes.data(), bytes.size());
    size_ += bytes.size();
  }

  Channel& channel_;
  std::size_t size_ = 0;
  ByteWriter out_{*this};
};

ByteReader report_of(const Channel& channel) {
  return ByteReader({channel.report, channel.report_size.load(std::memory_order_acquire)});
}

// Another worker's channel, while it exists.
class OpenedChannel {
 public:
  using For = WorkerProcess::OpenedFor;

  OpenedChannel(WorkerProcess& process, std::uint32_t slot, For use)
      : process_(process), channel_(process.open_channel(slot, use)) {}
  OpenedChannel(const OpenedChannel&) = delete;
  OpenedChannel& operator=(const OpenedChannel&) = delete;
  ~OpenedChannel() { process_.close_channel(channel_); }

  Channel& operator*() const { return channel_; }
  Channel* operator->() const { return &channel_; }

 private:
  WorkerProcess& process_;
  Channel& channel_;
};

bool waits(Strategy& strategy) {
  const Divisible* divisible = strategy.divisible();
  return divisible != nullptr && divisible->waits();
}

// The present cost of the plans, if the search goes in order of cost.
std::optional<std::uint32_t> cost_of_now(Strategy& strategy) {
  return strategy.reporting().member().empty() ? strategy.reporting().progress().level : std::nullopt;
}

}  // namespace

// Returns whether the worker stays for another part.
bool SharedSearch::hand_in(SearchSoFar so_far) const {
  SearchEnd& end = so_far.result.end;
  if (end == SearchEnd::time || end == SearchEnd::executions) end = SearchEnd::exhausted;  // of the part
  for (FoundBug& bug : so_far.result.bugs) bug.execution += executions_before_;
  Channel& channel = process_.channel();
  pass_progress(channel, strategy_.reporting().progress());
  ReportWriter report(channel);
  report.out().put_all(delegated_);
  state_.put_part(report.out(), so_far, strategy_);
  report.finish();
  const bool stays = end == SearchEnd::exhausted && !process_.restarts();
  channel.stays = stays ? g_search : 0;
  channel.phase.store(Channel::Phase::reported, std::memory_order_release);
  if (stays) ring(process_);
  return stays;
}

SharedSearch::SharedSearch(SearchState& state, Strategy& strategy, MakeStrategy make, Limits limits,
                           std::uint64_t executions_before, PutDown put_down)
    : state_(state),
      process_(state.process()),
      strategy_(strategy),
      make_(std::move(make)),
      limits_(std::move(limits)),
      executions_before_(executions_before),
      put_down_(std::move(put_down)) {
  limits_.executions_before = executions_before;
  limits_.out_of_time = [this] { return is_called(); };
  limits_.holds_all = [this] { return is_whole_ && delegated_.empty(); };
  limits_.wants_between = [this](bool last) { return wants_between(last); };
  limits_.between = [this](SearchSoFar& so_far) { between(so_far); };
}

SearchSoFar SharedSearch::run_whole(SearchSoFar from) {
  process_.board().found.store(kNothing);
  process_.set_shares(false);
  ++g_search;
  is_whole_ = true;
  SearchSoFar so_far = run(std::move(from));
  const SearchResult& result = so_far.result;
  // The worker that found something has handed in its part.
  const bool is_known = process_.restarts() || result.starved || result.end != SearchEnd::exhausted;
  THRUM_CHECK(process_.board().found == kNothing || is_known);
  return so_far;
}

SearchSoFar SharedSearch::run(SearchSoFar from) {
  SearchSoFar so_far = std::move(from);
  while (true) {
    so_far = explore_part(process_.program(), strategy_, limits_, std::move(so_far));
    SearchEnd& end = so_far.result.end;
    const bool is_called_by_others = end == SearchEnd::time && process_.board().stop == 0;
    if (is_called_by_others) end = SearchEnd::exhausted;
    note_end(so_far.result);
    if (!is_whole_) return so_far;
    if (delegated_.empty()) {
      THRUM_CHECK(end != SearchEnd::exhausted || is_called_by_others || !waits(strategy_));
      return so_far;
    }
    const auto is_open = [&] { return end == SearchEnd::exhausted && !is_called_by_others; };
    if (is_open() && strategy_.divisible()->needs_no_parts()) call_back(so_far);
    while (!delegated_.empty()) {
      await(so_far);
      if (is_open()) break;  // the strategy may have plans again
    }
    // When all parts have been merged, the search meets the same limit again.
    const bool by_limit = end == SearchEnd::time || end == SearchEnd::executions;
    if (!is_open() && !by_limit) return so_far;
    end = SearchEnd::exhausted;
  }
}

// Whether this worker must stop because of other workers. A worker whose search was resumed from a copy ends.
bool SharedSearch::is_called() {
  const Board& board = process_.board();
  if (board.stop.load(std::memory_order_relaxed) != 0) return true;
  if (!limits_.is_part) return false;
  if (board.revived.load(std::memory_order_relaxed) != g_revived) raw_syscall(SYS_exit_group, 0);
  if (board.calls_back.load(std::memory_order_relaxed) != 0) return true;
  const std::uint32_t found = board.found.load(std::memory_order_relaxed);
  if (found == kNothing) return false;
  const std::optional<std::uint32_t> cost = cost_of_now(strategy_);
  return !cost || *cost + 1 >= found;
}

bool SharedSearch::has_to_stop(WorkerProcess& process) {
  const Board& board = process.board();
  if (board.stop.load(std::memory_order_relaxed) != 0) return true;
  return process.shares() && (board.revived.load(std::memory_order_relaxed) != g_revived ||
                              board.calls_back.load(std::memory_order_relaxed) != 0 ||
                              board.found.load(std::memory_order_relaxed) != kNothing);
}

// Tells all workers of a result that ends the search.
void SharedSearch::note_end(const SearchResult& result) {
  const bool ends = process_.restarts() || result.starved || result.end == SearchEnd::bug ||
                    result.end == SearchEnd::lost_control;
  if (!ends || !limits_.is_part) return;
  const bool by_bug = result.end == SearchEnd::bug && !process_.restarts() && !result.starved;
  const std::uint32_t found = (by_bug ? cost_of_now(strategy_).value_or(0) : 0) + 1;
  std::atomic<std::uint32_t>& known = process_.board().found;
  std::uint32_t before = known.load();
  while ((before == kNothing || found < before) && !known.compare_exchange_weak(before, found)) {
  }
}

bool SharedSearch::wants_between(bool last) {
  if (last) return put_down_ && delegated_.empty() && state_.wants(true);
  return is_asked(process_) || is_calling_back_ || (put_down_ && state_.wants(false));
}

void SharedSearch::between(SearchSoFar& so_far) {
  const bool last = so_far.result.end != SearchEnd::exhausted;
  if (!last) {
    if (is_asked(process_)) serve(so_far);
    if (!is_calling_back_ && !(put_down_ && state_.wants(false))) return;
    call_back(so_far);
    if (!put_down_ || !state_.wants(false)) return;
  }
  put_down_(so_far);
}

bool SharedSearch::is_asked(WorkerProcess& process) {
  const Channel& channel = process.channel();
  return channel.requests.load(std::memory_order_acquire) != channel.answers.load(std::memory_order_relaxed);
}

// Sleeps until there is a request.
void SharedSearch::await(SearchSoFar& so_far) {
  Channel& channel = process_.channel();
  const double begun = process_.seconds() - so_far.result.seconds;
  pass_progress(channel, strategy_.reporting().progress());
  channel.waits.store(1, std::memory_order_release);
  ring(process_);
  sleep_while(channel.requests, channel.answers.load(std::memory_order_relaxed));
  channel.waits.store(0, std::memory_order_release);
  serve(so_far);
  so_far.result.seconds = process_.seconds() - begun;
}

void SharedSearch::call_back(SearchSoFar& so_far) {
  process_.board().calls_back.store(1);
  while (!delegated_.empty()) await(so_far);
  process_.board().calls_back.store(0);
  is_calling_back_ = false;
}

void SharedSearch::serve(SearchSoFar& so_far) {
  Channel& channel = process_.channel();
  const PassingState passing(channel);
  channel.copied = 0;
  switch (channel.request) {
    case Channel::Request::split:
    case Channel::Request::give: split(so_far); break;
    case Channel::Request::merge: merge(so_far); break;
    case Channel::Request::copy:
      is_calling_back_ = !delegated_.empty();
      if (delegated_.empty() && process_.can_be_copied()) copy();
      break;
  }
  channel.answers.store(channel.requests.load(std::memory_order_relaxed), std::memory_order_release);
  ring(process_);
}

bool SharedSearch::may_split() const {
  const Board& board = process_.board();
  const bool ends = board.stop != 0 || board.calls_back != 0 || board.found != kNothing;
  return !ends && !is_calling_back_ && process_.alone().empty() && process_.can_be_copied();
}

void SharedSearch::split(const SearchSoFar& so_far) {
  if (!may_split()) return;
  Channel& channel = process_.channel();
  const bool gives = channel.request == Channel::Request::give && channel.search == g_search;
  std::uint64_t executions = 0;
  Divisible* divisible = strategy_.divisible();
  const bool divides = divisible == nullptr || divisible->divides_its_work();
  if (limits_.executions != 0 && !divides) {
    process_.stay_alone("the strategy searches in one worker, which gets all of --executions");
    return;
  }
  if (limits_.executions != 0) {
    executions = (limits_.executions - so_far.result.executions) / 2;
    if (executions == 0) return;
  }
  const std::string problem = process_.shares() ? std::string() : process_.problem_of_sharing();
  if (!problem.empty()) return process_.stay_alone(problem);
  if (divisible == nullptr) return process_.stay_alone("the strategy keeps what it knows in one place");
  std::unique_ptr<Strategy> strategy = divisible->split();
  if (strategy == nullptr) return;
  limits_.is_part = true;
  process_.set_shares(true);
  Part part{state_,  std::move(strategy),   make_,
            limits_, so_far.result.seconds, executions_before_ + so_far.result.executions};
  part.limits.executions = executions;
  long process = Channel::kTaken;
  if (gives && part.strategy->durable()->is_small()) {
    leave(part);
  } else {
    const WipedOnFork classes(so_far.statistics.memory());  // the part counts its own classes
    process = copy_with(part);
    if (process < 0) return divisible->merge(*part.strategy);
  }
  delegated_.push_back({channel.slot, executions});
  limits_.executions -= executions;
  channel.copied = static_cast<std::int32_t>(process);
}

// Copies this process. The copy begins with the part. Returns its number; less than 0: failed.
long SharedSearch::copy_with(Part& part) {
  WorkerProcess& process = process_;
  const std::uint32_t slot = process.channel().slot;  // read now: it may change before the copy reads it
  const long copy = copy_process(process);
  if (copy != 0) return copy;
  g_part = new Part(std::move(part));
  process.enter_channel(slot);
  process.run_on_new_stack(run_parts);
  __builtin_unreachable();
}

// Leaves the part for the worker that waits for it.
void SharedSearch::leave(const Part& part) const {
  const OpenedChannel other(process_, process_.channel().slot, OpenedChannel::For::writing);
  ReportWriter report(*other);
  ByteWriter& out = report.out();
  out.put(part.limits.executions);
  out.put(part.seconds);
  out.put(part.executions_before);
  state_.put_part(out, SearchSoFar(), *part.strategy);
  report.finish();
  other->left.store(1, std::memory_order_release);
  wake(other->left);
}

// Waits for the next part.
void SharedSearch::take(Part& part) {
  Channel& channel = part.state.process().channel();
  sleep_while(channel.left, 0);
  channel.left.store(0, std::memory_order_relaxed);
  ByteReader in = report_of(channel);
  part.limits.executions = in.get<std::uint64_t>();
  part.seconds = in.get<double>();
  part.executions_before = in.get<std::uint64_t>();
  part.strategy = part.make();
  SearchSoFar found_before;
  const bool whole = part.state.take_part(in, found_before, *part.strategy);
  THRUM_CHECK(whole);
}

void SharedSearch::run_parts() {
  while (true) {
    Part& mine = *g_part;
    WorkerProcess& process = mine.state.process();
    process.begin_part();
    process.channel().phase.store(Channel::Phase::searching, std::memory_order_release);
    SharedSearch search(mine.state, *mine.strategy, mine.make, mine.limits, mine.executions_before, {});
    SearchSoFar from;
    from.result.seconds = mine.seconds;
    if (!search.hand_in(search.run(std::move(from)))) raw_syscall(SYS_exit_group, 0);
    take(mine);
  }
}

void SharedSearch::merge(SearchSoFar& so_far) {
  const std::uint32_t slot = process_.channel().slot;
  const auto delegated = std::find_if(delegated_.begin(), delegated_.end(),
                                      [&](const Delegated& one) { return one.slot == slot; });
  THRUM_CHECK(delegated != delegated_.end());
  limits_.executions += delegated->executions;
  delegated_.erase(delegated);
  std::vector<Delegated> delegated_by_it;
  std::unique_ptr<Strategy> strategy = make_();
  const std::size_t shared_cells = process_.shared_cells();
  SearchSoFar part;
  {
    const OpenedChannel other(process_, slot, OpenedChannel::For::reading);
    ByteReader in = report_of(*other);
    in.get_all(delegated_by_it);
    const bool whole = state_.take_part(in, part, *strategy);
    THRUM_CHECK(whole);
  }
  for (const Delegated& one : delegated_by_it) {
    delegated_.push_back(one);
    limits_.executions -= one.executions;
  }
  // Neither has recorded what is done in memory that only both together show to be shared.
  const bool by_bug = so_far.result.end == SearchEnd::bug || part.result.end == SearchEnd::bug;
  const bool have_grown = process_.shared_cells() != shared_cells && runs_outside(process_.job().strategy);
  if (have_grown && !by_bug) process_.restart();
  if (!strategy_.divisible()->divides_its_work()) part.result.claims = {};
  if (part.result.starved || process_.restarts())
    part.result.end = SearchEnd::lost_control;  // ends this search
  thrum::merge(so_far, std::move(part));
  strategy_.divisible()->merge(*strategy);
  process_.channel().executions.store(executions_before_ + so_far.result.executions,
                                      std::memory_order_relaxed);
}

// Makes a copy that sleeps. This process goes on; if the supervisor wakes the copy, the copy goes on from
// here.
void SharedSearch::copy() {
  Channel& channel = process_.channel();
  const std::uint64_t executions = channel.executions.load();
  process_.note_copy();
  strategy_.prepare_copy();
  while (true) {
    const long process = copy_process(process_);
    if (process != 0) {
      channel.copied = static_cast<std::int32_t>(std::max(process, 0L));
      return;
    }
    const auto me = static_cast<std::uint32_t>(raw_syscall(SYS_getpid));
    for (std::uint32_t woken = channel.wake; woken != me; woken = channel.wake)
      sleep_while(channel.wake, woken);
    channel.wake.store(0);
    Board& board = process_.board();
    g_revived = board.revived.load();
    channel.executions.store(executions);
    channel.waits.store(0);
    board.calls_back.store(0);
    board.found.store(kNothing);
    strategy_.go_on_as_copy();
  }
}

}  // namespace thrum
