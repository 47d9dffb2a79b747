// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "worker/warnings.hpp"

#include <algorithm>

namespace thrum {

// ---- Threads that are blocked at exit ------------------------------------------------------------

void Warnings::note_blocked(Operation operation, std::uint64_t code) {
  take({operation, code, 1, executions_, *plan_});
}

void Warnings::take(Blocked blocked) {
  auto known = std::find_if(blocked_.begin(), blocked_.end(), [&](const Blocked& other) {
    return other.operation == blocked.operation && other.code == blocked.code;
  });
  if (known != blocked_.end()) {
    if (known->last != blocked.last) known->executions += blocked.executions;
    known->last = blocked.last;
  } else if (blocked_.size() < kBlockedMax) {
    blocked_.push_back(std::move(blocked));
  }
}

std::vector<Warning> Warnings::explain_blocked(Program& program) {
  std::vector<Warning> all;
  for (const Blocked& blocked : blocked_) {
    Trace trace;
    program.run(blocked.plan, nullptr, Wanted::everything(), trace);
    if (trace.end != End::finished) continue;
    Warning warning{"blocked-at-exit", blocked.executions, {}};
    Trace& evidence = warning.evidence.emplace_back();
    for (std::size_t i = 0; i < std::min(trace.details.others.size(), trace.details.other_places.size());
         ++i) {
      if (trace.details.others[i].operation != blocked.operation ||
          trace.details.others[i].code != blocked.code)
        continue;
      evidence.details.others.push_back(trace.details.others[i]);
      evidence.details.other_places.push_back(trace.details.other_places[i]);
    }
    evidence.details.frames = std::move(trace.details.frames);
    evidence.details.blocks = std::move(trace.details.blocks);
    if (!evidence.details.others.empty()) all.push_back(std::move(warning));
  }
  return all;
}

// ---- From one process to another -----------------------------------------------------------------

void Warnings::save(ByteWriter& out, const ThreadNames& names, PutCode put_code) const {
  out.put(executions_);
  out.put(steps_);
  out.put(next_);
  out.put(static_cast<std::uint32_t>(blocked_.size()));
  for (const Blocked& blocked : blocked_) {
    out.put(blocked.operation);
    put_code(out, blocked.code);
    out.put(blocked.executions);
    out.put(blocked.last);
    write_plan(out, blocked.plan, names);
  }
  out.put(static_cast<std::uint32_t>(edges_.size()));
  for (const Edge& edge : edges_) {
    for (const Acquired* acquired : {&edge.held, &edge.wanted}) {
      out.put(acquired->lock);
      out.put(acquired->shared);
      out.put(acquired->event);
    }
    out.put_string(names.name(edge.thread));
    out.put(static_cast<std::uint32_t>(edge.gates.size()));
    for (std::uint64_t gate : edge.gates) out.put(gate);
    out.put(edge.executions);
    write_plan(out, edge.plan, names);
  }
}

void Warnings::load(ByteReader& in, ThreadNames& names, bool same_layout, GetCode get_code) {
  executions_ = in.get<std::uint64_t>();
  steps_ = in.get<std::uint64_t>();
  next_ = in.get<std::uint64_t>();
  for (std::uint32_t left = in.get_count(); left > 0 && in.ok(); --left) {
    Blocked& blocked = blocked_.emplace_back();
    blocked.operation = in.get<Operation>();
    blocked.code = get_code(in);
    blocked.executions = in.get<std::uint64_t>();
    blocked.last = in.get<std::uint64_t>();
    blocked.plan = read_plan(in, names);
  }
  for (std::uint32_t left = in.get_count(); left > 0 && in.ok(); --left) {
    Edge& edge = edges_.emplace_back();
    for (Acquired* acquired : {&edge.held, &edge.wanted}) {
      acquired->lock = in.get<std::uint64_t>();
      acquired->shared = in.get<bool>();
      acquired->event = in.get<std::uint32_t>();
    }
    edge.thread = names.parse(in.get_string()).value_or(kMainThread);
    for (std::uint32_t gates = in.get_count(); gates > 0 && in.ok(); --gates)
      edge.gates.push_back(in.get<std::uint64_t>());
    edge.executions = in.get<std::uint64_t>();
    edge.plan = read_plan(in, names);
  }
  if (!same_layout) edges_.clear();
}

void Warnings::begin_part() {
  blocked_.clear();
  edges_.clear();
}

void Warnings::merge(ByteReader& in, ThreadNames& names, GetCode get_code) {
  Warnings part;
  part.load(in, names, true, get_code);
  for (Blocked& blocked : part.blocked_) {
    blocked.last = 0;  // of an execution of the other process
    take(std::move(blocked));
  }
  for (Edge& edge : part.edges_) take(std::move(edge));
}

// ---- Orders of locks -----------------------------------------------------------------------------

void Warnings::learn(const Trace& trace) {
  const std::uint64_t steps = trace.counts.steps;
  steps_ += steps;
  if (executions_ + kEachOf == next_) next_ += kEachOf * (steps / kStepsOfEach);  // it was sampled
  Held held;
  for (const Event& event : trace.events) {
    auto release = [&](std::uint64_t lock) {
      auto mine = held.find(event.thread);
      if (mine == held.end()) return;
      auto last = std::find_if(mine->second.rbegin(), mine->second.rend(),
                               [lock](const Acquired& other) { return other.lock == lock; });
      if (last != mine->second.rend()) mine->second.erase(std::next(last).base());
    };
    bool shared = event.operation == Operation::shared_lock || event.operation == Operation::try_shared_lock;
    switch (event.operation) {
      case Operation::lock_queue:  // value: the number of waiting writers; 0: it has the lock
        if (event.value != 0) break;
        [[fallthrough]];
      case Operation::lock:
      case Operation::shared_lock:
      case Operation::try_lock:
      case Operation::try_shared_lock:
        if (event.outcome != Outcome::done) break;
        acquire(held[event.thread], event.thread, {event.object, shared, event.index},
                event.operation != Operation::try_lock && event.operation != Operation::try_shared_lock);
        break;
      case Operation::wait_reacquire:
        acquire(held[event.thread], event.thread, {event.operand, false, event.index}, true);
        break;
      case Operation::unlock:
      case Operation::shared_unlock: release(event.object); break;
      case Operation::wait_release: release(event.operand); break;
      default: break;
    }
  }
}

void Warnings::acquire(std::vector<Acquired>& mine, ThreadId thread, Acquired lock, bool blocks) {
  bool again =
      std::any_of(mine.begin(), mine.end(), [&](const Acquired& other) { return other.lock == lock.lock; });
  if (blocks && !again) {
    for (const Acquired& held : mine) add_edge(held, lock, thread, mine);
  }
  mine.push_back(lock);
}

void Warnings::add_edge(const Acquired& held, const Acquired& wanted, ThreadId thread,
                        const std::vector<Acquired>& all) {
  std::vector<std::uint64_t> gates;
  for (const Acquired& other : all) {
    if (other.lock != held.lock) gates.push_back(other.lock);
  }
  std::sort(gates.begin(), gates.end());
  Edge edge{held, wanted, thread, std::move(gates), 1, *plan_};
  take(std::move(edge));
}

void Warnings::take(Edge edge) {
  auto known = std::find_if(edges_.begin(), edges_.end(), [&](const Edge& other) {
    return other.thread == edge.thread && other.held.lock == edge.held.lock &&
           other.wanted.lock == edge.wanted.lock && other.held.shared == edge.held.shared &&
           other.wanted.shared == edge.wanted.shared && other.gates == edge.gates;
  });
  if (known != edges_.end()) {
    known->executions += edge.executions;
  } else if (edges_.size() < kEdgesMax) {
    edges_.push_back(std::move(edge));
  }
}

bool Warnings::may_follow(const std::vector<Edge*>& way, const Edge& next) {
  const Edge& last = *way.back();
  if (next.held.lock != last.wanted.lock || (next.held.shared && last.wanted.shared)) return false;
  return std::none_of(way.begin(), way.end(), [&](const Edge* edge) {
    bool gated = std::any_of(edge->gates.begin(), edge->gates.end(), [&](std::uint64_t gate) {
      return std::binary_search(next.gates.begin(), next.gates.end(), gate);
    });
    return gated || edge->thread == next.thread || edge->held.lock == next.held.lock;
  });
}

// The cycles that begin with the edges of the path. Its first lock is the lowest lock of all.
void Warnings::find_circles(std::vector<Edge*>& way, std::vector<std::vector<Edge*>>& circles) {
  std::uint64_t first = way.front()->held.lock;
  if (way.back()->wanted.lock == first) {
    bool both_shared = way.front()->held.shared && way.back()->wanted.shared;
    bool known = std::any_of(circles.begin(), circles.end(), [&](const std::vector<Edge*>& other) {
      return std::equal(way.begin(), way.end(), other.begin(), other.end(), [](const Edge* a, const Edge* b) {
        return a->held.lock == b->held.lock && a->wanted.lock == b->wanted.lock;
      });
    });
    if (way.size() > 1 && !both_shared && !known) circles.push_back(way);
    return;
  }
  for (Edge& next : edges_) {
    if (way.size() == kCircleLengthMax || circles.size() == kCirclesMax) return;
    if (next.held.lock <= first || !may_follow(way, next)) continue;
    way.push_back(&next);
    find_circles(way, circles);
    way.pop_back();
  }
}

void Warnings::add_evidence(Program& program, Edge& edge) {
  if (!edge.evidence.events.empty()) return;
  Trace trace;
  program.run(edge.plan, nullptr, Wanted::everything(), trace);
  for (std::uint32_t index : {edge.held.event, edge.wanted.event}) {
    for (std::size_t i = 0; i < std::min(trace.events.size(), trace.details.places.size()); ++i) {
      const Event& event = trace.events[i];
      if (event.thread != edge.thread || event.index != index || !is_visible(event.operation)) continue;
      edge.evidence.events.push_back(event);
      edge.evidence.details.places.push_back(trace.details.places[i]);
    }
  }
  edge.evidence.details.frames = std::move(trace.details.frames);
  edge.evidence.details.blocks = std::move(trace.details.blocks);
}

std::vector<Warning> Warnings::explain_circles(Program& program) {
  std::vector<std::vector<Edge*>> circles;
  for (Edge& edge : edges_) {
    std::vector<Edge*> way{&edge};
    find_circles(way, circles);
  }
  auto lock_of = [](const Edge& edge, std::size_t which) {
    const EventPlaces& places = edge.evidence.details.places[which];
    bool by_wait = edge.evidence.events[which].operation == Operation::wait_reacquire;
    return by_wait ? places.operand : places.object;
  };
  std::vector<Warning> all;
  for (const std::vector<Edge*>& circle : circles) {
    Warning warning{"lock-order", 0, {}};
    bool is_one = true;
    for (Edge* edge : circle) {
      add_evidence(program, *edge);
      is_one = is_one && edge->evidence.events.size() == 2;
      warning.count = std::max(warning.count, edge->executions);
      warning.evidence.push_back(edge->evidence);
    }
    for (std::size_t i = 0; is_one && i < circle.size(); ++i) {
      Place wanted = lock_of(*circle[i], 1);
      Place held = lock_of(*circle[(i + 1) % circle.size()], 0);
      bool same_stack = wanted.space == Place::Space::stack && held.space == wanted.space &&
                        held.owner == wanted.owner && held.offset == wanted.offset;
      is_one = same_stack || held == wanted;
    }
    if (is_one) all.push_back(std::move(warning));
  }
  return all;
}

std::vector<Warning> Warnings::explain(Program& program, const std::vector<FoundBug>& bugs) {
  std::vector<Warning> all = explain_blocked(program);
  // Then a bug has reported the locks.
  bool deadlocks = std::any_of(bugs.begin(), bugs.end(),
                               [](const FoundBug& bug) { return bug.failure.kind == BugKind::deadlock; });
  if (deadlocks) return all;
  for (Warning& warning : explain_circles(program)) all.push_back(std::move(warning));
  return all;
}

}  // namespace thrum
