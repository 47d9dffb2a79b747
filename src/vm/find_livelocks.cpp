// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/livelocks.hpp"

#include <algorithm>

#include "vm/machine.hpp"

namespace thrum::vm {

void Livelocks::add_outline(const Thread& running, std::vector<std::uint64_t>& state) const {
  state.push_back(hidden_changes_);
  state.push_back(running.id);
  for (const std::uint16_t slot : Machine::live()) {
    const Thread& one = Machine::thread(slot);
    const std::uint64_t object = one.wait == Wait::deadline ? 0 : one.object;
    for (const std::uint64_t number : {std::uint64_t{one.id}, static_cast<std::uint64_t>(one.operation),
                                       static_cast<std::uint64_t>(one.wait), object, one.code})
      state.push_back(number);
  }
}

// False: the state depends on something that is not looked at.
bool Livelocks::add_threads(std::vector<std::uint64_t>& state) {
  LoopStates::Registers registers;
  for (const std::uint16_t slot : Machine::live()) {
    const Thread& one = Machine::thread(slot);
    const bool stands = one.life == Life::standing || one.wait == Wait::join;
    if (one.is_timer || one.handlers != 0 || !stands || !states_.take(one, registers)) return false;
    const bool runs_out = one.timed && !machine_.is_endless(one);
    const std::uint64_t left = runs_out ? one.deadline_ns - Machine::course().now_ns : 0;
    const bool is_enabled = machine_.is_enabled(one);
    for (const std::uint64_t number :
         {std::uint64_t{one.size}, one.lock, left, std::uint64_t{one.woken}, std::uint64_t{one.forced},
          std::uint64_t{is_enabled}, std::uint64_t{one.joined}, std::uint64_t{one.children},
          std::uint64_t{one.random_draws}, std::uint64_t{one.destructors}, std::uint64_t{one.detached},
          static_cast<std::uint64_t>(registers.size())})
      state.push_back(number);
    state.insert(state.end(), registers.begin(), registers.end());
  }
  return true;
}

Livelocks::Arrival Livelocks::arrive(const Thread& running, const FairScheduler& fair, const Trace& trace) {
  if (is_given_up_) return Arrival::ordinary;
  if (is_watching_ && trace.events.size() > kEventsMax) {
    is_watching_ = false;
    is_given_up_ = true;
    return Arrival::ordinary;
  }
  Visit now{{}, fair.choices(), static_cast<std::uint32_t>(trace.events.size()), machine_.memory.mark()};
  add_outline(running, now.state);
  if (is_watching_ && !add_threads(now.state)) return Arrival::ordinary;
  const auto before = std::find_if(visits_.rbegin(), visits_.rend(), [&](const Visit& visit) {
    return visit.state == now.state && fair.is_fair_since(visit.choices) &&
           (!is_watching_ || !states_.has_any_changed_memory(visit.mark));
  });
  if (before == visits_.rend()) {
    if (visits_.size() == kVisitsMax) visits_.clear();
    visits_.push_back(std::move(now));
    return Arrival::ordinary;
  }
  if (!is_watching_) {
    is_watching_ = true;
    return Arrival::watch;
  }
  cycle_ = {before->events, now.events};
  return Arrival::livelock;
}

}  // namespace thrum::vm
