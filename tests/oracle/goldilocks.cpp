// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle/goldilocks.hpp"

#include "support/check.hpp"

namespace thrum {

Goldilocks::Member Goldilocks::member(Kind kind, std::uint64_t name) {
  auto [found, added] = members_.try_emplace({kind, name}, members_.size());
  THRUM_CHECK(found->second < kMembersMax);
  return found->second;
}

// Who knows from's past: to does so, too, beside its own.
void Goldilocks::tell(Member from, Member to) {
  for (Past& past : accesses_) {
    if (past.knowers[from]) past.knowers[to] = true;
  }
}

// Likewise, in place of its own.
void Goldilocks::tell_anew(Member from, Member to) {
  for (Past& past : accesses_) past.knowers[to] = past.knowers[from];
}

void Goldilocks::forget(Member who) {
  for (Past& past : accesses_) past.knowers[who] = false;
}

void Goldilocks::read(const RaceStep& step) {
  Kind learner = acquires(step.order) ? Kind::thread : Kind::has_read;
  tell(member(Kind::object, step.address), member(learner, step.thread));
}

void Goldilocks::write(const RaceStep& step, bool keep) {
  Member source = member(releases(step.order) ? Kind::thread : Kind::last_fence, step.thread);
  Member value = member(Kind::object, step.address);
  if (keep) {
    tell(source, value);
  } else {
    tell_anew(source, value);
  }
}

void Goldilocks::fence(const RaceStep& step) {
  Member thread = member(Kind::thread, step.thread);
  if (acquires(step.order)) tell(member(Kind::has_read, step.thread), thread);
  if (releases(step.order)) tell(thread, member(Kind::last_fence, step.thread));
}

void Goldilocks::synchronise(const RaceStep& step) {
  Member thread = member(Kind::thread, step.thread);
  switch (step.what) {
    case RaceStep::What::acquire: return tell(member(Kind::object, step.address), thread);
    case RaceStep::What::release: return tell_anew(thread, member(Kind::object, step.address));
    case RaceStep::What::release_more: return tell(thread, member(Kind::object, step.address));
    case RaceStep::What::create: return tell(thread, member(Kind::thread, step.address));
    case RaceStep::What::join: return tell(member(Kind::thread, step.address), thread);
    default: return;
  }
}

// C++20 [intro.races]/21: one of them writes, one of them is not atomic, and they have a byte in common.
std::vector<std::size_t> Goldilocks::judge(const RaceStep& step) const {
  std::vector<std::size_t> racing;
  auto me = members_.find({Kind::thread, step.thread});
  for (const Past& past : accesses_) {
    const RaceStep& other = past.access;
    bool apart = other.address + other.size <= step.address || step.address + step.size <= other.address;
    if (apart || (!other.writes() && !step.writes()) || (!other.is_plain() && !step.is_plain())) continue;
    bool known = me != members_.end() && past.knowers[me->second];
    if (!known) racing.push_back(past.place);
  }
  return racing;
}

std::vector<std::size_t> Goldilocks::step(const RaceStep& step) {
  std::size_t place = steps_++;
  if (step.what == RaceStep::What::fence) fence(step);
  if (!step.is_access()) {
    synchronise(step);
    return {};
  }
  // A read with acquire knows what it reads.
  if (step.what == RaceStep::What::load || step.what == RaceStep::What::read_modify_write ||
      step.what == RaceStep::What::read_modify_nothing)
    read(step);
  std::vector<std::size_t> racing = judge(step);
  Past& fresh = accesses_.emplace_back(Past{step, place, {}});
  fresh.knowers[member(Kind::thread, step.thread)] = true;
  if (step.what == RaceStep::What::store) write(step, false);
  if (step.what == RaceStep::What::read_modify_write) write(step, true);
  if (step.what == RaceStep::What::plain_write) {
    // It is no read-modify-write, and so ends the release sequences of what lies there.
    for (const auto& [name, number] : members_) {
      if (name.first == Kind::object && step.touches(name.second)) forget(number);
    }
  }
  return racing;
}

}  // namespace thrum
