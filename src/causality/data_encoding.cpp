// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "causality/data_encoding.hpp"

#include <algorithm>

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

// If both are executed, the other write comes before the source, or behind the read.
void DataEncoding::forbid_between(const Cell& cell, const Read& read, const Source& source,
                                  std::uint32_t other) {
  const Node between = cell.writes[other];
  Literal is_overwritten = -nodes_.truth();
  if (source.write != kInitial) {
    const Node write = cell.writes[source.write];
    if (nodes_.trees().relation(between, write) == Relation::exclusive) return;
    is_overwritten = nodes_.precedes(between, write);
  }
  nodes_.add(
      {-source.literal, -nodes_.executed(between), is_overwritten, nodes_.precedes(read.node, between)});
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

DataEncoding::Literal DataEncoding::gives(Read& read, std::uint64_t value) {
  const auto [known, is_new] = read.values.try_emplace(value, 0);
  if (is_new) {
    const Literal literal = nodes_.solver().make_literal();
    for (const auto& [other, its_literal] : read.values) {
      if (other != value) nodes_.exclude_both(literal, its_literal);
    }
    known->second = literal;
  }
  return known->second;
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

double expected_clauses(const ThreadTrees& trees) {
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
  for (const auto& [object, accesses] : by_object)
    clauses += accesses.reads * accesses.writes * accesses.writes;
  return clauses;
}

}  // namespace thrum
