// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/plan.hpp"

#include <cstring>
#include <utility>

namespace thrum {

namespace {

bool names_thread(const Departure& departure) { return departure.key.kind != ChoiceKind::value; }

ThreadId read_thread(ByteReader& in, ThreadNames& names, bool& ok) {
  std::optional<ThreadId> id = names.parse(in.get_string());
  ok = ok && id.has_value();
  return id.value_or(kMainThread);
}

void write_policy(ByteWriter& out, const Policy& policy, const ThreadNames& names) {
  out.put(policy.kind);
  out.put(policy.base);
  out.put(policy.seed);
  out.put(policy.fairness);
  out.put(policy.waiting);
  out.put(policy.rounds);
  out.put_all(policy.parameters);
  out.put(static_cast<std::uint32_t>(policy.counts.size()));
  for (const ThreadCount& entry : policy.counts) {
    out.put_string(names.name(entry.thread));
    out.put(entry.count);
  }
}

Policy read_policy(ByteReader& in, ThreadNames& names, bool& ok) {
  Policy policy;
  policy.kind = in.get<Policy::Kind>();
  policy.base = in.get<Base>();
  policy.seed = in.get<std::uint64_t>();
  policy.fairness = in.get<Fairness>();
  policy.waiting = in.get<Waiting>();
  policy.rounds = in.get<Rounds>();
  in.get_all(policy.parameters);
  std::uint32_t count = in.get_count();
  for (std::uint32_t i = 0; i < count && in.ok() && ok; ++i) {
    ThreadId thread = read_thread(in, names, ok);
    policy.counts.push_back({thread, in.get<std::uint32_t>()});
  }
  ok = ok && is_possible(policy);
  return policy;
}

std::string policy_words(const Policy& policy, const ThreadNames& names) {
  if (policy.kind == Policy::Kind::base) return policy.base == Base::nonpreemptive ? "base" : "round-robin";
  const PolicyRow& row = row_of(policy.kind);
  std::string text = std::string(row.name) + " seed " + std::to_string(policy.seed);
  for (std::size_t i = 0; i < row.parameters.size(); ++i) {
    if (const std::uint64_t number = policy.parameter(i); number != 0)
      text.append(" ").append(row.parameters[i].name).append(" ").append(std::to_string(number));
  }
  for (const ThreadCount& entry : policy.counts)
    text += " " + names.name(entry.thread) + ":" + std::to_string(entry.count);
  return text;
}

// As one number, if it is not too wide.
std::string value_words(const InputValue& input) {
  if (input.bytes.size() > sizeof(std::uint64_t)) return std::to_string(input.bits) + " bits";
  std::uint64_t value = 0;
  std::memcpy(&value, input.bytes.data(), input.bytes.size());
  return std::to_string(value);
}

}  // namespace

void write_plan(ByteWriter& out, const Plan& plan, const ThreadNames& names) {
  write_policy(out, plan.policy, names);
  out.put(static_cast<std::uint32_t>(plan.departures.size()));
  for (const Departure& departure : plan.departures) {
    out.put_string(names.name(departure.key.thread));
    out.put(departure.key.kind);
    out.put(departure.key.index);
    out.put(departure.option.via);
    if (names_thread(departure)) {
      out.put_string(names.name(departure.option.value));
    } else {
      out.put(departure.option.value);
    }
  }
  out.put(static_cast<std::uint32_t>(plan.inputs.size()));
  for (const InputValue& input : plan.inputs) {
    out.put_string(names.name(input.thread));
    out.put(input.number);
    out.put(input.bits);
    out.put_string(input.bytes);
  }
}

Plan read_plan(ByteReader& in, ThreadNames& names) {
  Plan plan;
  bool ok = true;
  plan.policy = read_policy(in, names, ok);
  std::uint32_t count = in.get_count();
  for (std::uint32_t i = 0; i < count && in.ok() && ok; ++i) {
    Departure departure;
    departure.key.thread = read_thread(in, names, ok);
    departure.key.kind = in.get<ChoiceKind>();
    departure.key.index = in.get<std::uint32_t>();
    departure.option.via = in.get<Via>();
    departure.option.value = names_thread(departure) ? read_thread(in, names, ok) : in.get<std::uint16_t>();
    ok = ok && departure.key.kind <= ChoiceKind::value && departure.option.via <= kLastVia;
    plan.departures.push_back(departure);
  }
  count = in.get_count();
  for (std::uint32_t i = 0; i < count && in.ok() && ok; ++i) {
    InputValue input;
    input.thread = read_thread(in, names, ok);
    input.number = in.get<std::uint32_t>();
    input.bits = in.get<std::uint32_t>();
    input.bytes = in.get_string();
    ok = ok && input.bytes.size() == (std::uint64_t{input.bits} + 7) / 8;
    plan.inputs.push_back(std::move(input));
  }
  if (!ok) in.fail();
  return plan;
}

std::string to_string(const Plan& plan, const ThreadNames& names) {
  std::string text = policy_words(plan.policy, names);
  if (plan.policy.fairness == Fairness::on) text += " fair";
  if (waits_when_idle(plan.policy.waiting)) text += " rounds";
  if (plan.policy.waiting == Waiting::values) text += " values";
  if (plan.policy.rounds == Rounds::block) text += " block";
  if (plan.policy.rounds == Rounds::await) text += " await";
  if (plan.policy.rounds == Rounds::merge) text += " merge";
  for (const Departure& departure : plan.departures) {
    text += "; " + names.name(departure.key.thread) + "@" + std::to_string(departure.key.index);
    if (departure.key.kind == ChoiceKind::value) {
      text += " value=" + std::to_string(departure.option.value);
      continue;
    }
    constexpr const char* kWords[] = {
        " thread=", " timeout=", " signal=", " signal-first=", " expiry=", " spurious="};
    text += departure.key.kind == ChoiceKind::waiter ? " waiter="
                                                     : kWords[static_cast<std::size_t>(departure.option.via)];
    text += names.name(departure.option.value);
  }
  for (const InputValue& input : plan.inputs)
    text +=
        "; " + names.name(input.thread) + " input " + std::to_string(input.number) + "=" + value_words(input);
  return text;
}

}  // namespace thrum
