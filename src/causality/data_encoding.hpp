// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What reads of memory give: each gives what the last write before it wrote, or what was there at first.
//
// A truth value says whether a read takes a cell's value from a write: then that write is executed before it,
// and no other one between. What program order decides of that is left out.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "causality/cells.hpp"
#include "causality/node_encoding.hpp"

namespace thrum {

class DataEncoding {
 public:
  using Node = ThreadTrees::Node;
  using Literal = Solver::Literal;
  using Relation = ThreadTrees::Relation;

  // clauses_max: about one cell, of those that are said at once. Where there are more, fill() has to be
  // called.
  DataEncoding(Deciding deciding, NodeEncoding& nodes, Terms& terms, const InitialState& initial,
               double clauses_max = std::numeric_limits<double>::infinity())
      : deciding_(deciding), nodes_(nodes), terms_(terms), initial_(initial), clauses_max_(clauses_max) {}

  // Whether the cells are as they were; if not, all has to be encoded again, with cells() of this.
  bool add_cells_of(Node node);
  const Cells& cells() const { return cells_; }
  void use_cells(Cells cells) { cells_ = std::move(cells); }

  void add_read(Node read);
  void add_write(Node write);
  // What memory holds at first may have become known.
  void learn_initial_values();

  // Adds what the solver's last model violates of what was left out. Whether it violates something; then
  // there is no model any more.
  bool fill();

  // From which writes reads take the values of cells.
  struct Taken {
    Node write = ThreadTrees::kNone;  // kNone: what was there at first
    Literal literal = 0;
    std::uint64_t cell = 0;  // where it begins
  };
  template <typename Visit>  // (Node read, Taken)
  void visit_sources(Visit visit) const {
    for (const Cell& cell : contents_) {
      for (const Read& read : cell.reads) {
        for (const Source& source : read.sources)
          visit(read.node, Taken{source.write == kInitial ? ThreadTrees::kNone : cell.writes[source.write],
                                 source.literal, cell.place.begin});
      }
    }
  }
  // Whether the read gives that value. REQUIRES: Deciding::values
  Literal gives(Node read, std::uint64_t value);
  // The values that it can give, each once; less what memory held at first, where that is not known.
  // REQUIRES: Deciding::values
  std::vector<std::uint64_t> values(Node read) const;
  bool knows_initial(Node read) const;

  // If the literal is true, no other thread writes behind the read what it has read.
  void say_final(Literal literal, Node read);

  // That a read takes a cell's value from a write of another thread, other than one that always comes before
  // it.
  struct Interference {
    Node read = ThreadTrees::kNone;
    Node write = ThreadTrees::kNone;
    std::uint64_t cell = 0;  // where it begins
    Literal literal = 0;
  };
  const std::vector<Interference>& interferences() const { return interferences_; }

 private:
  static constexpr std::uint32_t kInitial = 0xffffffff;

  struct Source {
    std::uint32_t write = kInitial;  // in Cell::writes
    Literal literal = 0;
  };
  struct Read {
    Node node = ThreadTrees::kNone;
    NodeEncoding::Need need = 0;
    std::uint32_t own = kInitial;        // the last write that always comes before it
    std::vector<bool> may_come_between;  // by write: it is of another thread
    std::vector<Source> sources;
    std::map<std::uint64_t, Literal> values;  // Deciding::values: whether it gives that one
    Literal some_value = 0;                   // whether it gives one of these; 0: there is none
    bool knows_initial = true;
  };
  struct Cell {
    Cells::Cell place;
    std::vector<Node> writes;
    std::vector<Read> reads;
    bool has_gaps = false;  // clauses were left out
  };
  // That the other write does not come between the read and its source.
  struct Gap {
    const Cell* cell = nullptr;
    const Read* read = nullptr;
    Source source;
    std::uint32_t other = 0;  // in Cell::writes
  };

  Cell& cell(const Cells::Cell& place);
  void add_source(Cell& cell, Read& read, std::uint32_t write);
  void forbid_between(Cell& cell, const Read& read, const Source& source, std::uint32_t other);
  void say_not_between(const Gap& gap);
  bool is_too_large(const Cell& cell) const;
  void find_gaps(const Cell& cell, std::vector<Gap>& gaps) const;
  void say_value(Cell& cell, Read& read, const Source& source);
  Literal gives(Read& read, std::uint64_t value);
  static std::uint64_t piece(const Cells::Cell& place, const ThreadTrees::Access& access,
                             std::uint64_t value);
  Term piece_of_term(const Cells::Cell& place, const ThreadTrees::Access& access, Term term);

  Deciding deciding_;
  NodeEncoding& nodes_;
  Terms& terms_;
  const InitialState& initial_;
  double clauses_max_;
  Cells cells_;
  std::vector<Cell> contents_;                               // by number of the cell
  std::map<std::pair<Node, std::uint64_t>, Literal> whole_;  // of reads of several cells, by value
  struct Place {
    std::uint32_t cell;
    std::uint32_t read;
  };
  std::vector<Place> unknown_;  // reads of what is not known to be there at first
  std::unordered_map<Node, std::vector<Place>> reads_;
  std::vector<Interference> interferences_;
};

// How many clauses there would be at once, about; clauses_max: as above.
double expected_clauses(const ThreadTrees& trees, double clauses_max);

}  // namespace thrum
