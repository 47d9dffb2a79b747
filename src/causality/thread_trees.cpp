// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "causality/thread_trees.hpp"

#include <algorithm>
#include <utility>

#include "support/check.hpp"

namespace thrum {

namespace {

bool ends_a_wait(Operation operation) {
  return operation == Operation::wait_reacquire || operation == Operation::timeout ||
         operation == Operation::spurious_wake || operation == Operation::futex_return;
}

const char* name_of(ThreadTrees::Kind kind) {
  using Kind = ThreadTrees::Kind;
  switch (kind) {
    case Kind::start: return "start";
    case Kind::event: return "event";
    case Kind::read: return "read";
    case Kind::write: return "write";
    case Kind::decision: return "decision";
    case Kind::outcome: return "outcome";
    case Kind::end: return "end";
    case Kind::stop: return "stop";
    case Kind::wait: return "wait";
  }
  return "";
}

}  // namespace

bool can_begin_step(Operation operation) {
  return is_visible(operation) || operation == Operation::thread_join || operation == Operation::others_ended;
}

bool takes_lock(Operation operation) {
  switch (operation) {
    case Operation::lock:
    case Operation::try_lock:
    case Operation::shared_lock:
    case Operation::try_shared_lock:
    case Operation::lock_queue: return true;
    default: return false;
  }
}

bool has_effect(Operation operation) {
  return operation == Operation::once_leave || operation == Operation::futex_wake;
}

bool are_alternatives(const ThreadTrees::Operation& a, const ThreadTrees::Operation& b) {
  if (ends_a_wait(a.operation) && ends_a_wait(b.operation)) return a.operation != b.operation;
  for (const auto& [timeout, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    if (timeout->operation == thrum::Operation::timeout && timeout->operand != 0)
      return timeout->object == other->object && timeout->operand == std::uint64_t(other->operation);
  }
  ThreadTrees::Operation other = b;
  other.way = a.way;
  return a == other && a.way != b.way;
}

ThreadTrees::Node ThreadTrees::add(Node parent, Kind kind, ThreadId thread, std::uint32_t detail) {
  const auto node = static_cast<Node>(entries_.size());
  Entry entry;
  entry.kind = kind;
  entry.thread = thread;
  entry.parent = parent;
  entry.detail = detail;
  const bool begins =
      parent == kNone || (kind == Kind::event && can_begin_step(operations_[detail].operation));
  entry.step = begins ? node : entries_[parent].step;
  const bool counts = kind == Kind::event && is_visible(operations_[detail].operation);
  if (parent != kNone) {
    const Entry& above = entries_[parent];
    entry.events = (kind == Kind::start ? 0 : above.events) + (counts ? 1 : 0);
    entry.depth = above.depth + 1;
    entry.next_sibling = above.first_child;
    // Jumps as long as those of a skew-binary number: any ancestor is found in logarithmic time (Myers, An
    // applicative random-access stack, Information Processing Letters 17, 1983).
    const Node jump = above.jump;
    const bool doubles =
        jump != kNone && entries_[jump].jump != kNone &&
        above.depth - entries_[jump].depth == entries_[jump].depth - entries_[entries_[jump].jump].depth;
    entry.jump = doubles ? entries_[jump].jump : parent;
    entries_[parent].first_child = node;
  }
  entries_.push_back(entry);
  ++changes_;
  return node;
}

ThreadTrees::Node ThreadTrees::mark(Node node) {
  if (!entries_[node].is_executed) {
    entries_[node].is_executed = true;
    ++changes_;
  }
  return node;
}

void ThreadTrees::set_code(Node event, std::uint64_t code) {
  std::uint64_t& known = codes_[entries_[event].detail];
  if (known != 0 || code == 0) return;
  known = code;
  ++changes_;
}

void ThreadTrees::set_place(Node decision, std::uint64_t code) {
  std::uint64_t& known = decisions_[entries_[decision].detail].place;
  if (known == 0) known = code;
}

void ThreadTrees::set_effect(Node event, std::uint64_t effect) { effects_[entries_[event].detail] = effect; }

ThreadTrees::Node ThreadTrees::contradiction(Node at, const char* what) {
  if (problem_.empty()) {
    problem_ = std::string("a thread did one thing in one execution, and ") + what +
               " in another one, where nothing that is known differs (node " + std::to_string(at) + ")";
  }
  return kNone;
}

ThreadTrees::Node ThreadTrees::next_of(Node node) const {
  Node child = entries_[node].first_child;
  while (child != kNone && entries_[child].kind == Kind::start) child = entries_[child].next_sibling;
  return child;
}

ThreadTrees::Node ThreadTrees::start(ThreadId thread, Node creator, std::uint32_t events) {
  Node child = creator != kNone ? entries_[creator].first_child : entries_.empty() ? kNone : Node{0};
  while (child != kNone && entries_[child].kind != Kind::start) child = entries_[child].next_sibling;
  if (child != kNone) return mark(child);
  child = add(creator, Kind::start, thread, 0);
  entries_[child].events = events;
  return mark(child);
}

ThreadTrees::Node ThreadTrees::add_operation(Node at, const Operation& operation, bool is_executed) {
  for (Node child = entries_[at].first_child; child != kNone; child = entries_[child].next_sibling) {
    if (entries_[child].kind == Kind::start) continue;
    if (entries_[child].kind != Kind::event) return contradiction(at, "an operation");
    if (this->operation(child) == operation) return is_executed ? mark(child) : child;
    if (!are_alternatives(this->operation(child), operation)) return contradiction(at, "another operation");
  }
  operations_.push_back(operation);
  codes_.push_back(0);
  effects_.push_back(0);
  const Node node =
      add(at, Kind::event, entries_[at].thread, static_cast<std::uint32_t>(operations_.size() - 1));
  return is_executed ? mark(node) : node;
}

ThreadTrees::Node ThreadTrees::add_access(Node at, Kind kind, const Access& access) {
  if (const Node child = next_of(at); child != kNone) {
    if (entries_[child].kind != kind) return contradiction(at, "an access");
    const Access& known = this->access(child);
    const bool is_same = known.object == access.object && known.size == access.size &&
                         known.term == access.term && known.orders == access.orders &&
                         (kind == Kind::read || access.term != Terms::kNone || known.value == access.value);
    return is_same ? child : contradiction(at, "another access");
  }
  accesses_.push_back(access);
  return mark(add(at, kind, entries_[at].thread, static_cast<std::uint32_t>(accesses_.size() - 1)));
}

ThreadTrees::Node ThreadTrees::decide(Node at, Term term, std::uint64_t code) {
  if (const Node child = next_of(at); child != kNone) {
    const bool is_same = entries_[child].kind == Kind::decision && decision(child).term == term &&
                         decision(child).code == code;
    return is_same ? child : contradiction(at, "a decision");
  }
  decisions_.push_back({term, code});
  return mark(
      add(at, Kind::decision, entries_[at].thread, static_cast<std::uint32_t>(decisions_.size() - 1)));
}

ThreadTrees::Node ThreadTrees::choose_outcome(Node at, std::uint64_t value) {
  const std::uint32_t number = entries_[at].detail;
  for (const Node outcome : decisions_[number].outcomes) {
    if (this->value(outcome) == value) return outcome;
  }
  values_.push_back(value);
  acquires_.push_back(false);
  leaves_value_.push_back(false);
  const Node node =
      add(at, Kind::outcome, entries_[at].thread, static_cast<std::uint32_t>(values_.size() - 1));
  decisions_[number].outcomes.push_back(node);
  return mark(node);
}

ThreadTrees::Node ThreadTrees::add_plain(Node at, Kind kind) {
  if (const Node child = next_of(at); child != kNone)
    return entries_[child].kind == kind ? child : contradiction(at, name_of(kind));
  return mark(add(at, kind, entries_[at].thread, 0));
}

ThreadTrees::Node ThreadTrees::wait(Node at, std::uint64_t code) {
  const Node known = next_of(at);
  const Node node = add_plain(at, Kind::wait);
  if (node == kNone || node == known) return node;
  Round round{kNone, code};
  for (Node up = at; entries_[up].kind != Kind::start && round.begin == kNone; up = entries_[up].parent) {
    if (entries_[up].kind == Kind::event && this->code(up) == code) round.begin = up;
  }
  entries_[node].detail = static_cast<std::uint32_t>(rounds_.size());
  rounds_.push_back(round);
  return node;
}

ThreadTrees::Node ThreadTrees::ancestor_at(Node node, std::uint32_t depth) const {
  while (entries_[node].depth > depth) {
    const Node jump = entries_[node].jump;
    node = entries_[jump].depth >= depth ? jump : entries_[node].parent;
  }
  return node;
}

bool ThreadTrees::is_before(Node a, Node b) const {
  return entries_[a].depth < entries_[b].depth && ancestor_at(b, entries_[a].depth) == a;
}

ThreadTrees::Node ThreadTrees::last_common(Node a, Node b) const {
  const std::uint32_t depth = std::min(entries_[a].depth, entries_[b].depth);
  a = ancestor_at(a, depth);
  b = ancestor_at(b, depth);
  while (a != b) {
    const bool jumps = entries_[a].jump != entries_[b].jump;
    a = jumps ? entries_[a].jump : entries_[a].parent;
    b = jumps ? entries_[b].jump : entries_[b].parent;
  }
  return a;
}

ThreadTrees::Relation ThreadTrees::relation(Node a, Node b) const {
  const Node common = last_common(a, b);
  if (common == a) return Relation::before;
  if (common == b) return Relation::after;
  const std::uint32_t below = entries_[common].depth + 1;
  const bool parts_with_a_start = entries_[ancestor_at(a, below)].kind == Kind::start ||
                                  entries_[ancestor_at(b, below)].kind == Kind::start;
  return parts_with_a_start ? Relation::concurrent : Relation::exclusive;
}

std::uint64_t ThreadTrees::bytes() const {
  const auto of = []<typename T>(const std::vector<T>& all) { return all.capacity() * sizeof(T); };
  std::uint64_t bytes = of(entries_) + of(operations_) + of(codes_) + of(effects_) + of(accesses_) +
                        of(decisions_) + of(rounds_) + of(values_) + of(acquires_);
  for (const Decision& decision : decisions_) bytes += of(decision.outcomes);
  return bytes;
}

std::string ThreadTrees::to_text(const Terms& terms) const {
  const auto name = [](std::uint32_t symbol) { return "s" + std::to_string(symbol); };
  std::string text;
  for (Node node = 0; node < entries_.size(); ++node) {
    const Entry& entry = entries_[node];
    text += std::to_string(node) + ": behind " +
            (entry.parent == kNone ? std::string("nothing") : std::to_string(entry.parent)) + ", thread " +
            std::to_string(entry.thread) + ", " + name_of(entry.kind);
    switch (entry.kind) {
      case Kind::event: {
        const Operation& own = operation(node);
        text += ' ' + std::string(operation_name(own.operation)) + " object " + std::to_string(own.object) +
                (own.operand != 0 ? " and " + std::to_string(own.operand) : "") +
                (own.way != 0 ? " way " + std::to_string(own.way) : "");
        break;
      }
      case Kind::read:
      case Kind::write: {
        const Access& own = access(node);
        text +=
            " object " + std::to_string(own.object) + ": " +
            (own.term != Terms::kNone ? thrum::to_text(terms, own.term, +name) : std::to_string(own.value));
        break;
      }
      case Kind::decision:
        if (decision(node).term != Terms::kNone)
          text += ' ' + thrum::to_text(terms, decision(node).term, +name);
        break;
      case Kind::outcome: text += ' ' + std::to_string(value(node)); break;
      default: break;
    }
    text += entry.is_executed ? "\n" : ", not executed\n";
  }
  return text;
}

}  // namespace thrum
