// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/plan.hpp"

namespace thrum {

namespace {

bool names_thread(const Departure& departure) { return departure.key.kind != ChoiceKind::value; }

ThreadId read_thread(ByteReader& in, ThreadNames& names, bool& ok) {
  std::optional<ThreadId> id = names.parse(in.get_string());
  ok = ok && id.has_value();
  return id.value_or(kMainThread);
}

}  // namespace

void write_plan(ByteWriter& out, const Plan& plan, const ThreadNames& names) {
  out.put(plan.policy.kind);
  out.put(plan.policy.base);
  out.put(plan.policy.seed);
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
}

Plan read_plan(ByteReader& in, ThreadNames& names) {
  Plan plan;
  bool ok = true;
  plan.policy.kind = in.get<Policy::Kind>();
  plan.policy.base = in.get<Base>();
  plan.policy.seed = in.get<std::uint64_t>();
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
  if (!ok || plan.policy.kind > Policy::Kind::random || plan.policy.base > Base::round_robin) in.fail();
  return plan;
}

std::string to_string(const Plan& plan, const ThreadNames& names) {
  std::string text = plan.policy.kind == Policy::Kind::random
                         ? "random seed " + std::to_string(plan.policy.seed)
                     : plan.policy.base == Base::nonpreemptive ? "base"
                                                               : "round-robin";
  for (const Departure& departure : plan.departures) {
    text += "; " + names.name(departure.key.thread) + "@" + std::to_string(departure.key.index);
    if (departure.key.kind == ChoiceKind::value) {
      text += " value=" + std::to_string(departure.option.value);
      continue;
    }
    constexpr const char* kWords[] = {" thread=",       " timeout=", " signal=",
                                      " signal-first=", " expiry=",  " spurious="};
    text += departure.key.kind == ChoiceKind::waiter ? " waiter="
                                                     : kWords[static_cast<std::size_t>(departure.option.via)];
    text += names.name(departure.option.value);
  }
  return text;
}

}  // namespace thrum
