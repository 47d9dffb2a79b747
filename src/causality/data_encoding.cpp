// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "causality/data_encoding.hpp"

#include <algorithm>
#include <utility>

namespace thrum {

bool DataEncoding::add_cells_of(Node node) {
  const ThreadTrees::Access& access = nodes_.trees().access(node);
  return cells_.add(access.object, access.size);
}

DataEncoding::Cell& DataEncoding::cell(const Cells::Cell& place) {
  if (contents_.size() <= place.number) contents_.resize(place.number + std::size_t{1});
  contents_[place.number].place = place;
  return contents_[place.number];
}

std::uint64_t DataEncoding::piece(const Cells::Cell& place, const ThreadTrees::Access& access,
                                  std::uint64_t value) {
  if (place.size == access.size) return value;
  const std::uint64_t bytes = value >> 8 * (place.begin - access.object);
  return bytes & ((std::uint64_t{1} << 8 * place.size) - 1);
}

Term DataEncoding::piece_of_term(const Cells::Cell& place, const ThreadTrees::Access& access, Term term) {
  if (place.size == access.size) return term;
  return terms_.extract(term, static_cast<unsigned>(8 * (place.begin - access.object)), 8 * place.size);
}

void DataEncoding::add_write(Node write) {
  const ThreadTrees::Access& access = nodes_.trees().access(write);
  for (const Cells::Cell& place : cells_.of(access.object, access.size)) {
    Cell& there = cell(place);
    const auto number = static_cast<std::uint32_t>(there.writes.size());
    there.writes.push_back(write);
    for (Read& read : there.reads) {
      const bool is_of_others = nodes_.trees().relation(write, read.node) == Relation::concurrent;
      read.may_come_between.push_back(is_of_others);
      if (!is_of_others) continue;
      for (const Source& source : read.sources) forbid_between(there, read, source, number);
      add_source(there, read, number);
    }
  }
}

void DataEncoding::add_read(Node read) {
  const ThreadTrees& trees = nodes_.trees();
  const ThreadTrees::Access& access = trees.access(read);
  for (const Cells::Cell& place : cells_.of(access.object, access.size)) {
    Cell& there = cell(place);
    reads_[read].push_back({place.number, static_cast<std::uint32_t>(there.reads.size())});
    Read& own = there.reads.emplace_back();
    own.node = read;
    own.need = nodes_.add_need(nodes_.executed(read));
    for (std::uint32_t i = 0; i < there.writes.size(); ++i) {
      const Relation relation = trees.relation(there.writes[i], read);
      own.may_come_between.push_back(relation == Relation::concurrent);
      if (relation != Relation::before) continue;
      if (own.own == kInitial || trees.is_before(there.writes[own.own], there.writes[i])) own.own = i;
    }
    add_source(there, own, own.own);
    for (std::uint32_t i = 0; i < there.writes.size(); ++i) {
      if (own.may_come_between[i]) add_source(there, own, i);
    }
  }
}

// The read takes the value from that write, or what was there at first.
void DataEncoding::add_source(Cell& cell, Read& read, std::uint32_t write) {
  const Source source{write, nodes_.solver().make_literal()};
  read.sources.push_back(source);
  if (write != read.own)
    interferences_.push_back({read.node, cell.writes[write], cell.place.begin, source.literal});
  nodes_.offer(read.need, source.literal);
  if (write != kInitial) {
    nodes_.add({-source.literal, nodes_.executed(cell.writes[write])});
    nodes_.add({-source.literal, nodes_.precedes(cell.writes[write], read.node)});
  }
  for (std::uint32_t other = 0; other < cell.writes.size(); ++other) {
    if (other != write && (read.may_come_between[other] || other == read.own))
      forbid_between(cell, read, source, other);
  }
  say_value(cell, read, source);
}

bool DataEncoding::is_too_large(const Cell& cell) const {
  const auto writes = static_cast<double>(cell.writes.size());
  return static_cast<double>(cell.reads.size()) * writes * writes > clauses_max_;
}

// What another thread has written, if there is too much of that, is left out at first.
void DataEncoding::forbid_between(Cell& cell, const Read& read, const Source& source, std::uint32_t other) {
  if (other == read.own || !is_too_large(cell)) return say_not_between({&cell, &read, source, other});
  cell.has_gaps = true;
}

// If both are executed, the other write comes before the source, or behind the read.
void DataEncoding::say_not_between(const Gap& gap) {
  const Node between = gap.cell->writes[gap.other];
  Literal is_overwritten = -nodes_.truth();
  if (gap.source.write != kInitial) {
    const Node write = gap.cell->writes[gap.source.write];
    if (nodes_.trees().relation(between, write) == Relation::exclusive) return;
    is_overwritten = nodes_.precedes(between, write);
  }
  nodes_.add({-gap.source.literal, -nodes_.executed(between), is_overwritten,
              nodes_.precedes(gap.read->node, between)});
}

bool DataEncoding::fill() {
  std::vector<Gap> gaps;
  for (const Cell& cell : contents_) {
    if (cell.has_gaps) find_gaps(cell, gaps);
  }
  for (const Gap& gap : gaps) say_not_between(gap);
  return !gaps.empty();
}

// Two steps may have one place, and so may two writes of one step, which are in order all the same.
void DataEncoding::find_gaps(const Cell& cell, std::vector<Gap>& gaps) const {
  Solver& solver = nodes_.solver();
  std::vector<std::int64_t> places(cell.writes.size());
  std::vector<std::uint32_t> executed;
  for (std::uint32_t write = 0; write < cell.writes.size(); ++write) {
    if (!solver.is_true(nodes_.executed(cell.writes[write]))) continue;
    places[write] = solver.place(nodes_.step(cell.writes[write]));
    executed.push_back(write);
  }
  const auto place_of = [&](std::uint32_t write) { return places[write]; };
  std::ranges::sort(executed, {}, place_of);
  for (const Read& read : cell.reads) {
    if (!solver.is_true(nodes_.executed(read.node))) continue;
    const std::int64_t to = solver.place(nodes_.step(read.node));
    for (const Source& source : read.sources) {
      if (!solver.is_true(source.literal)) continue;
      auto other = executed.begin();
      if (source.write != kInitial)
        other = std::ranges::lower_bound(executed, places[source.write], {}, place_of);
      for (; other != executed.end() && places[*other] <= to; ++other) {
        const bool is_before = source.write != kInitial &&
                               nodes_.trees().is_before(cell.writes[*other], cell.writes[source.write]);
        if (*other != source.write && !is_before && read.may_come_between[*other])
          gaps.push_back({&cell, &read, source, *other});
      }
    }
  }
}

void DataEncoding::say_value(Cell& cell, Read& read, const Source& source) {
  const ThreadTrees& trees = nodes_.trees();
  const ThreadTrees::Access& reading = trees.access(read.node);
  std::uint64_t value = 0;
  Term term = Terms::kNone;
  if (source.write == kInitial) {
    const std::optional<std::uint64_t> initial = initial_.memory.at(cell.place.begin, cell.place.size);
    if (!initial) {
      read.knows_initial = false;
      unknown_.push_back({cell.place.number, static_cast<std::uint32_t>(&read - cell.reads.data())});
      return;
    }
    value = *initial;
  } else {
    const ThreadTrees::Access& writing = trees.access(cell.writes[source.write]);
    value = piece(cell.place, writing, writing.value);
    if (writing.term != Terms::kNone) term = piece_of_term(cell.place, writing, writing.term);
  }
  if (deciding_ == Deciding::values) return nodes_.add({-source.literal, gives(read, value)});
  const Term given = piece_of_term(cell.place, reading, reading.term);
  if (term == Terms::kNone) term = terms_.constant(value, terms_.width(given));
  const Term condition = terms_.make(TermKind::equal, given, term);
  if (terms_.is_value(condition, 1)) return;
  nodes_.add(
      {-source.literal, terms_.is_constant(condition) ? -nodes_.truth() : nodes_.solver().holds(condition)});
}

void DataEncoding::learn_initial_values() {
  std::vector<Place> unknown;
  unknown.swap(unknown_);
  for (const Place& place : unknown) {
    Cell& there = contents_[place.cell];
    Read& read = there.reads[place.read];
    read.knows_initial = true;
    for (const Source& source : read.sources) {
      if (source.write == kInitial) say_value(there, read, source);
    }
  }
}

// A read gives one value at most. Each new one excludes all that are known, which one literal stands for: so
// there are few clauses for many values (Sinz, Towards an optimal CNF encoding of Boolean cardinality
// constraints, CP 2005).
DataEncoding::Literal DataEncoding::gives(Read& read, std::uint64_t value) {
  const auto [known, is_new] = read.values.try_emplace(value, 0);
  if (!is_new) return known->second;
  const Literal literal = known->second = nodes_.solver().make_literal();
  const Literal others = std::exchange(read.some_value, literal);
  if (others == 0) return literal;
  nodes_.exclude_both(literal, others);
  read.some_value = nodes_.solver().make_literal();
  for (const Literal one : {literal, others}) nodes_.add({-one, read.some_value});
  return literal;
}

DataEncoding::Literal DataEncoding::gives(Node read, std::uint64_t value) {
  const std::vector<Place>& places = reads_.at(read);
  const ThreadTrees::Access& access = nodes_.trees().access(read);
  const auto part = [&](const Place& place) {
    Cell& there = contents_[place.cell];
    return gives(there.reads[place.read], piece(there.place, access, value));
  };
  if (places.size() == 1) return part(places[0]);
  const auto [known, is_new] = whole_.try_emplace({read, value}, 0);
  if (!is_new) return known->second;
  const Literal literal = known->second = nodes_.solver().make_literal();
  std::vector<Literal> clause = {literal};
  for (const Place& place : places) {
    const Literal one = part(place);
    nodes_.add({-literal, one});
    clause.push_back(-one);
  }
  nodes_.add(clause);
  return literal;
}

std::vector<std::uint64_t> DataEncoding::values(Node read) const {
  std::vector<std::uint64_t> values = {0};
  for (const Place& place : reads_.at(read)) {
    const Cell& there = contents_[place.cell];
    const std::uint64_t shift = 8 * (there.place.begin - nodes_.trees().access(read).object);
    std::vector<std::uint64_t> wider;
    for (const auto& [part, literal] : there.reads[place.read].values) {
      for (const std::uint64_t value : values) wider.push_back(value | part << shift);
    }
    values = std::move(wider);
  }
  return values;
}

void DataEncoding::say_final(Literal literal, Node read) {
  for (const Place& place : reads_.at(read)) {
    const Cell& there = contents_[place.cell];
    for (std::uint32_t i = 0; i < there.writes.size(); ++i) {
      const Node write = there.writes[i];
      if (there.reads[place.read].may_come_between[i])
        nodes_.add({-literal, -nodes_.executed(write), nodes_.precedes(write, read)});
    }
  }
}

bool DataEncoding::knows_initial(Node read) const {
  return std::ranges::all_of(reads_.at(read), [&](const Place& place) {
    return contents_[place.cell].reads[place.read].knows_initial;
  });
}

double expected_clauses(const ThreadTrees& trees, double clauses_max) {
  using Kind = ThreadTrees::Kind;
  struct Accesses {
    double reads = 0;
    double writes = 0;
  };
  std::unordered_map<std::uint64_t, Accesses> by_object;
  for (ThreadTrees::Node node = 0; node < trees.size(); ++node) {
    if (trees[node].kind == Kind::read) ++by_object[trees.access(node).object].reads;
    if (trees[node].kind == Kind::write) ++by_object[trees.access(node).object].writes;
  }
  double clauses = 0;
  for (const auto& [object, accesses] : by_object) {
    const double sources = accesses.reads * accesses.writes;
    clauses += std::min(sources * accesses.writes, clauses_max + 4 * sources);
  }
  return clauses;
}

}  // namespace thrum
