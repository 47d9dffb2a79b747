// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/suite_schedule.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include "model/words.hpp"
#include "support/check.hpp"
#include "support/digest.hpp"
#include "support/hex.hpp"

namespace thrum {

namespace {

constexpr std::size_t kDigestDigits = 16;
constexpr std::string_view kFairnessMark = "fairness=";
constexpr std::string_view kWaitingMark = "waiting=";
constexpr std::string_view kRoundsMark = "rounds=";

std::string sixteen_digits(std::uint64_t number) {
  std::array<char, kDigestDigits> text{};
  const char* end = std::to_chars(text.data(), text.data() + text.size(), number, 16).ptr;
  const auto size = static_cast<std::size_t>(end - text.data());
  return std::string(kDigestDigits - size, '0').append(text.data(), size);
}

void add_departure(std::string& line, const Departure& departure, const ThreadNames& names) {
  line += " " + names.name(departure.key.thread) + "@" + std::to_string(departure.key.index);
  const Option& option = departure.option;
  switch (departure.key.kind) {
    case ChoiceKind::value: line += "#" + std::to_string(option.value); return;
    case ChoiceKind::waiter: line += "!" + names.name(option.value); break;
    case ChoiceKind::thread: line += "=" + names.name(option.value); break;
  }
  if (option.via != Via::run) line.append(":").append(name_of(option.via, kVias));
}

void add_input(std::string& line, const InputValue& input, const ThreadNames& names) {
  line += " " + names.name(input.thread) + "?" + std::to_string(input.number) + ":" +
          std::to_string(input.bits) + "=" + to_hex(input.bytes);
}

// Reads a line from its beginning. What is wrong makes ok() false, as with ByteReader.
class LineReader {
 public:
  LineReader(std::string_view line, ThreadNames& names) : rest_(line), names_(names) {}

  std::optional<SuiteSchedule> read() {
    SuiteSchedule schedule;
    take(schedule.end, named<End>(word(), kEnds));
    const std::string_view digest = word();
    schedule.events = number<std::uint64_t>(digest, 16);
    if (digest.size() != kDigestDigits) ok_ = false;
    while (ok_ && !rest_.empty()) read_part(word(), schedule.plan);
    if (!ok_) return std::nullopt;
    return schedule;
  }

 private:
  // Up to the next space, which is taken away, or to the end.
  std::string_view word() {
    const std::size_t end = std::min(rest_.find(' '), rest_.size());
    const std::string_view text = rest_.substr(0, end);
    if (text.empty() || end + 1 == rest_.size()) ok_ = false;  // a space stands between two words
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return text;
  }

  template <typename T>
  void take(T& to, const std::optional<T>& value) {
    if (value) to = *value;
    ok_ = ok_ && value.has_value();
  }

  template <typename T>
  T number(std::string_view text, int base = 10) {
    T value = 0;
    const char* end = text.data() + text.size();
    const auto [read, error] = std::from_chars(text.data(), end, value, base);
    if (text.empty() || error != std::errc() || read != end) ok_ = false;
    return value;
  }

  ThreadId thread(std::string_view text) {
    ThreadId id = kMainThread;
    // A name adds at most half as many threads to the table as it has characters.
    take(id, names_.size() + text.size() < kNoThread ? names_.parse(text) : std::nullopt);
    return id;
  }

  void read_part(std::string_view text, Plan& plan) {
    if (text.starts_with(kFairnessMark))
      return take(plan.policy.fairness, named<Fairness>(text.substr(kFairnessMark.size()), kFairness));
    if (text.starts_with(kWaitingMark))
      return take(plan.policy.waiting, named<Waiting>(text.substr(kWaitingMark.size()), kWaiting));
    if (text.starts_with(kRoundsMark))
      return take(plan.policy.rounds, named<Rounds>(text.substr(kRoundsMark.size()), kRounds));
    if (text.find('?') != std::string_view::npos) return read_input(text, plan);
    read_departure(text, plan);
  }

  void read_departure(std::string_view text, Plan& plan) {
    const std::size_t at = text.find('@');
    const std::size_t mark = text.find_first_of("=!#", at == std::string_view::npos ? 0 : at);
    if (at == std::string_view::npos || mark == std::string_view::npos) {
      ok_ = false;
      return;
    }
    Departure departure;
    departure.key.thread = thread(text.substr(0, at));
    departure.key.index = number<std::uint32_t>(text.substr(at + 1, mark - at - 1));
    std::string_view option = text.substr(mark + 1);
    if (text[mark] == '#') {
      departure.key.kind = ChoiceKind::value;
      departure.option.value = number<std::uint16_t>(option);
    } else {
      departure.key.kind = text[mark] == '=' ? ChoiceKind::thread : ChoiceKind::waiter;
      const std::size_t via = option.find(':');
      if (via != std::string_view::npos)
        take(departure.option.via, named<Via>(option.substr(via + 1), kVias));
      departure.option.value = thread(option.substr(0, via));
    }
    plan.departures.push_back(departure);
  }

  void read_input(std::string_view text, Plan& plan) {
    const std::size_t mark = text.find('?');
    const std::size_t colon = text.find(':', mark);
    const std::size_t equals = text.find('=', mark);
    if (colon == std::string_view::npos || equals == std::string_view::npos || equals < colon) {
      ok_ = false;
      return;
    }
    InputValue input;
    input.thread = thread(text.substr(0, mark));
    input.number = number<std::uint32_t>(text.substr(mark + 1, colon - mark - 1));
    input.bits = number<std::uint32_t>(text.substr(colon + 1, equals - colon - 1));
    take(input.bytes, bytes_of_hex(text.substr(equals + 1)));
    ok_ = ok_ && input.bytes.size() == (std::uint64_t{input.bits} + 7) / 8;
    plan.inputs.push_back(std::move(input));
  }

  std::string_view rest_;
  ThreadNames& names_;
  bool ok_ = true;
};

}  // namespace

std::string to_line(const SuiteSchedule& schedule, const ThreadNames& names) {
  const Policy& policy = schedule.plan.policy;
  THRUM_CHECK(policy.kind == Policy::Kind::base && policy.base == Base::nonpreemptive);
  std::string line = name_of(schedule.end, kEnds);
  line += " " + sixteen_digits(schedule.events);
  const auto add = [&](std::string_view mark, const char* word) {
    line.append(" ").append(mark).append(word);
  };
  if (policy.fairness != Fairness::off) add(kFairnessMark, name_of(policy.fairness, kFairness));
  if (policy.waiting != Waiting::spins) add(kWaitingMark, name_of(policy.waiting, kWaiting));
  if (policy.rounds != Rounds::repeat) add(kRoundsMark, name_of(policy.rounds, kRounds));
  for (const Departure& departure : schedule.plan.departures) add_departure(line, departure, names);
  for (const InputValue& input : schedule.plan.inputs) add_input(line, input, names);
  return line;
}

std::optional<SuiteSchedule> schedule_of_line(std::string_view line, ThreadNames& names) {
  return LineReader(line, names).read();
}

std::uint64_t digest_of_events(const Trace& trace, const ThreadNames& names) {
  StreamDigest digest;
  std::vector<std::string> known;  // names, by thread
  for (const Event& event : trace.events) {
    if (known.size() <= event.thread) known.resize(event.thread + std::size_t{1});
    std::string& name = known[event.thread];
    if (name.empty()) name = names.name(event.thread) + " ";
    digest.add(name);
    digest.add(operation_name(event.operation));
    digest.add(event.outcome == Outcome::done ? "\n" : event.outcome == Outcome::failed ? "-\n" : "+\n");
  }
  return digest.value();
}

}  // namespace thrum
