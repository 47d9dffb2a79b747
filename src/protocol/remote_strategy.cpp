// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/remote_strategy.hpp"

#include <chrono>
#include <thread>
#include <utility>

#include "protocol/job.hpp"
#include "support/check.hpp"
#include "support/members.hpp"

namespace thrum {

namespace {

using Turn = Channel::Turn;

enum class Question : std::uint8_t {
  begin,  // there is to be a new strategy
  help,   // there is to be one that helps with the first worker's
  next,
  learn,  // the trace follows
  save,   // the answer is the strategy's state, and nothing else
  load,   // such a state follows; the answer is whether it is one, and nothing else
};

constexpr char kYes[] = "yes";
constexpr char kNo[] = "no";

// What other answers begin with.
struct Said {
  bool can_be_helped = false;
  Guarantee guarantee;
  std::string problem;
  Progress progress;
  SearchStatistics statistics;
  Effort effort;
};

Said read_said(ByteReader& in) {
  Said said;
  said.can_be_helped = in.get<bool>();
  said.guarantee.complete = in.get<bool>();
  said.guarantee.exhausted = in.get<bool>();
  said.guarantee.covers = in.get<Covers>();
  said.problem = in.get_string();
  said.progress.waiting = in.get<std::uint64_t>();
  const auto done = in.get<double>();
  if (done >= 0) said.progress.done = done;
  load_member(in, said.progress.open);
  load_member(in, said.progress.questions);
  load_member(in, said.statistics.causality.emplace());
  said.effort.done = in.get<std::uint64_t>();
  said.effort.next = in.get<std::uint64_t>();
  load_member(in, said.effort.left);
  return said;
}

}  // namespace

RemoteStrategy::RemoteStrategy(OwnChannel channel, Futex futex, ThreadNames& names,
                               std::function<bool()> is_over, std::function<bool()> is_called)
    : channel_(std::move(channel)),
      futex_(futex),
      is_over_(std::move(is_over)),
      is_called_(std::move(is_called)),
      names_(names) {}

Conversation& RemoteStrategy::leader() const {
  if (leader_) return *leader_;
  leader_.emplace(channel_(), Turn::worker, futex_, [this] {
    if (is_at_ease_) return false;
    was_called_ = is_called_();
    return was_called_ || is_over_();
  });
  ByteWriter question;
  question.put(helps_ ? Question::help : Question::begin);
  ask(question);
  return *leader_;
}

std::string RemoteStrategy::ask(const ByteWriter& question) const {
  Conversation& own = leader();
  was_called_ = false;
  if (!own.await_turn() || !own.send(question.bytes())) return "";
  return own.receive().value_or("");
}

std::string RemoteStrategy::ask_at_ease(const ByteWriter& question) const {
  is_at_ease_ = true;
  std::string answer = ask(question);
  is_at_ease_ = false;
  return answer;
}

// The other one talks from another process. It has the same names.
std::unique_ptr<Strategy> RemoteStrategy::split() {
  auto part = std::make_unique<RemoteStrategy>(channel_, futex_, names_, is_over_, is_called_);
  part->helps_ = part->can_be_helped_ = true;
  return part;
}

std::string RemoteStrategy::state() const {
  ByteWriter question;
  question.put(Question::save);
  return ask_at_ease(question);
}

bool RemoteStrategy::load_state(std::string_view state) {
  ByteWriter question;
  question.put(Question::load);
  for (const char byte : state) question.put(byte);
  return ask_at_ease(question) == kYes;
}

// The one that has died may have learned from executions of whose results this process knows nothing.
void RemoteStrategy::prepare_copy() { state_at_copy_ = leader_ ? state() : ""; }

void RemoteStrategy::go_on_as_copy() {
  if (!state_at_copy_.empty() && !load_state(state_at_copy_)) leader_.reset();  // it begins again
}

void RemoteStrategy::save(ByteWriter& out, const ThreadNames&) const {
  out.put(helps_);
  if (helps_) return;
  const std::string bytes = state();
  out.put(std::uint64_t{bytes.size()});
  for (const char byte : bytes) out.put(byte);
}

bool RemoteStrategy::load(ByteReader& in, ThreadNames&) {
  helps_ = can_be_helped_ = in.get<bool>();
  if (helps_) return in.ok();
  const auto size = in.get<std::uint64_t>();
  if (size > in.left()) return false;
  std::string bytes;
  for (std::uint64_t i = 0; i < size; ++i) bytes.push_back(in.get<char>());
  return load_state(bytes);
}

bool RemoteStrategy::next(Plan& plan) {
  ByteWriter question;
  question.put(Question::next);
  const std::string answer = ask(question);
  // Who called may be content by now.
  is_put_off_ = answer.empty() && was_called_ && !is_over_();
  if (is_put_off_) return false;
  if (answer.empty()) {
    guarantee_ = {};
    problem_ = "the time ended while the solver was at work";
    return false;
  }
  ByteReader in(answer);
  take(in);
  wanted_.what = in.get<Wanted::Set>();
  wanted_.from = in.get<Wanted::From>();
  wanted_.known_departures = in.get<std::uint64_t>();
  if (!in.get<bool>()) {
    // Whoever gives no reason has nothing left, and is taken at its word. One that helps claims nothing.
    if (helps_) problem_.clear();
    if (!helps_ && !guarantee_.exhausted && problem_.empty()) problem_ = "something was left undecided";
    return false;
  }
  plan = read_plan(in, names_);
  THRUM_CHECK(in.ok());
  return true;
}

void RemoteStrategy::learn(const Plan&, const Trace& trace) {
  ByteWriter question;
  question.put(Question::learn);
  write_trace(question, trace, names_);
  const std::string answer = ask_at_ease(question);
  ByteReader in(answer);
  if (!answer.empty()) take(in);
}

void RemoteStrategy::take(ByteReader& in) {
  Said said = read_said(in);
  can_be_helped_ = said.can_be_helped;
  guarantee_ = said.guarantee;
  problem_ = std::move(said.problem);
  progress_ = said.progress;
  statistics_ = std::move(said.statistics);
  effort_ = said.effort;
}

void StrategyServer::write_said(ByteWriter& out, Strategy& strategy) const {
  out.put(kind_.can_be_helped);
  const Guarantee guarantee = strategy.guarantee();
  out.put(guarantee.complete);
  out.put(guarantee.exhausted);
  out.put(guarantee.covers);
  Reporting& reporting = strategy.reporting();
  out.put_string(reporting.problem());
  const Progress progress = reporting.progress();
  out.put(progress.waiting);
  out.put(progress.done.value_or(-1));
  save_member(out, progress.open);
  save_member(out, progress.questions);
  save_member(out, reporting.statistics().causality.value_or(CausalityStatistics()));
  const Effort effort = reporting.effort();
  out.put(effort.done);
  out.put(effort.next);
  save_member(out, effort.left);
}

void StrategyServer::make(std::uint32_t slot) {
  Seat& seat = seats_[slot];
  const std::scoped_lock lock(first_mutex_);
  Strategy* const first = seats_[0].strategy.get();
  if (slot == 0) {
    const std::scoped_lock names_lock(names_mutex_);
    names_ = ThreadNames();
    seat.strategy = kind_.make(seat.interrupt, nullptr);
  } else if (seat.is_open && kind_.can_be_helped && first != nullptr) {
    seat.strategy = kind_.make(seat.interrupt, first);
  }
}

std::string StrategyServer::answer(std::uint32_t slot, const std::string& message) {
  Seat& seat = seats_[slot];
  const std::scoped_lock lock(seat.busy);
  seat.interrupt.lower();
  ByteReader in(message);
  const auto question = in.get<Question>();
  std::string late = std::exchange(seat.answer, {});
  const bool begins = question == Question::begin || question == Question::load || question == Question::help;
  if (begins) make(slot);
  if (!seat.strategy) return "";
  ByteWriter out;
  switch (question) {
    case Question::begin:
    case Question::help: write_said(out, *seat.strategy); break;
    case Question::next:
      if (!late.empty()) return late;
      next(seat, out);
      break;
    case Question::learn: learn(seat, in, out); break;
    case Question::save:
      seat.answer = std::move(late);
      if (const Durable* durable = seat.strategy->durable()) {
        const std::scoped_lock names_lock(names_mutex_);
        durable->save(out, names_);
      }
      break;
    case Question::load: return load(seat, in) ? kYes : kNo;
  }
  return out.take();
}

void StrategyServer::next(Seat& seat, ByteWriter& out) {
  const bool has_plan = seat.strategy->next(seat.plan);
  write_said(out, *seat.strategy);
  const Wanted wanted = seat.strategy->wanted();
  out.put(wanted.what);
  out.put(wanted.from);
  out.put(std::uint64_t{wanted.known_departures});
  out.put(has_plan);
  if (!has_plan) return;
  const std::scoped_lock names_lock(names_mutex_);
  write_plan(out, seat.plan, names_);
}

void StrategyServer::learn(Seat& seat, ByteReader& in, ByteWriter& out) {
  std::optional<Trace> trace;
  {
    const std::scoped_lock names_lock(names_mutex_);
    trace = read_trace(in, names_);
  }
  if (trace) seat.strategy->learn(seat.plan, *trace);
  write_said(out, *seat.strategy);
}

bool StrategyServer::load(Seat& seat, ByteReader& in) {
  const std::scoped_lock names_lock(names_mutex_);
  Durable* durable = seat.strategy->durable();
  return durable != nullptr && durable->load(in, names_) && in.at_end();
}

void StrategyServer::serve(std::uint32_t slot, Channel& channel, const std::function<bool()>& is_over) {
  Conversation worker(channel, Turn::leader, futex_of_libc, is_over);
  while (const std::optional<std::string> message = worker.receive()) {
    const auto question = ByteReader(*message).get<Question>();
    // A worker may ask before it is known that it has a part.
    while (question == Question::help && !is_open(slot) && !is_over())
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::string said = answer(slot, *message);
    if (worker.send(said) || question != Question::next) continue;
    const std::scoped_lock lock(seats_[slot].busy);
    if (seats_[slot].strategy) seats_[slot].answer = std::move(said);
  }
}

void StrategyServer::open(std::uint32_t slot) {
  const std::scoped_lock lock(seats_[slot].busy);
  seats_[slot].is_open = true;
}

bool StrategyServer::is_open(std::uint32_t slot) {
  const std::scoped_lock lock(seats_[slot].busy);
  return seats_[slot].is_open;
}

void StrategyServer::drop(std::uint32_t slot) {
  constexpr auto kNowAndThen = std::chrono::milliseconds(20);
  Seat& seat = seats_[slot];
  std::unique_lock lock(seat.busy, std::defer_lock);
  do {
    seat.interrupt.raise();
  } while (!lock.try_lock_for(kNowAndThen));
  seat.is_open = false;
  seat.strategy.reset();
  seat.answer.clear();
}

void StrategyServer::interrupt_all() {
  for (Seat& seat : seats_) seat.interrupt.raise();
}

}  // namespace thrum
