// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A strategy: says which plan is next, may speak at each choice while it runs, and learns from its trace.
//
// Protocol: next() and learn() alternate, beginning with next(); learn() is given each trace, of cut
// executions too. Between the two, and only where online() is true, at_point() is called at each choice
// behind the plan's last departure, until it says that it need not be.
// split(), merge(), save(), load() and guarantee() are called between a learn() and the next next().
//
// Thread safety: none; each worker has its own.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/plan.hpp"
#include "model/trace.hpp"
#include "search/progress.hpp"

namespace thrum {

// Whether the order of what two threads will do next may matter, by the table of dependent(). True also where
// that depends on more than is published: a wait's mutex, a signal's receiver, whom a cancel is for. False
// for operations of one thread.
bool may_race(const PendingOperation& a, const PendingOperation& b);

// The pending operation of every live thread, in order of their ids; computed when asked.
class Pending {
 public:
  virtual std::span<const PendingOperation> pending() = 0;

  // Who creates the thread, which may not be there yet. REQUIRES: it is not main.
  virtual ThreadId creator(ThreadId) const { return kMainThread; }

  // Where in its code a thread stands: a number for each place.
  virtual std::uint64_t place(ThreadId) const { return 0; }

 protected:
  ~Pending() = default;
};

// What a strategy sees at a choice.
struct View {
  const ChoicePoint& point;
  std::span<const Option> options;
  std::uint16_t default_option;  // by the plan's base
  Pending& threads;
  const Trace& trace;  // so far, as much of it as is written down
};

struct Advice {
  enum class Kind : std::uint8_t {
    follow,
    take,
    stop,
    leave,  // follow, and do not ask again in this execution
  };
  Kind kind = Kind::follow;
  std::uint16_t option = 0;  // take
};

// How far a search got. A search whose strategy leaves `bounds` empty and `complete` false claims nothing.
enum class Covers : std::uint8_t {
  executions,
  // What each thread can see and do by itself, failed assertions among it; no deadlocks.
  local_states,
};
struct Bound {
  Base base = Base::nonpreemptive;
  std::optional<std::uint32_t> limit;  // nothing: no limit
  // All executions up to this cost were run, or all that they can show; nothing: not even at cost 0.
  std::optional<std::uint32_t> completed;
  Covers covers = Covers::executions;
};

// What the theorem behind a randomised search says of each execution by itself.
struct Chance {
  enum class Of : std::uint8_t {
    bug_of_depth,  // that it shows a given bug of that depth (PCT)
    interleaving,  // that it is a given order of all operations (URW)
    object_order,  // that it has a given order of the operations on a given shared object (SURW)
  };
  Of of = Of::bug_of_depth;
  // So large at least, as a natural logarithm; nothing: no number can be given, since the program is not one
  // that the theorem is about, or since not enough of it was seen.
  std::optional<double> log_least;
  std::uint32_t depth = 0;       // bug_of_depth
  std::uint32_t threads = 0;     // bug_of_depth: as many at most, what may end waits counted
  std::uint64_t steps = 0;       // bug_of_depth: scheduling points at most; else: operations that are ordered
  std::uint64_t objects = 0;     // object_order: shared objects
  std::uint64_t executions = 0;  // those that this was so for
  bool unfit = false;            // the program is none that the theorem is about
};

struct Guarantee {
  bool complete = false;   // no bound excluded anything and nothing is left
  bool exhausted = false;  // nothing is left within the bounds
  std::vector<Bound> bounds;
  std::optional<Chance> chance;
};

// What a search keeps in order to go on.
struct SearchStatistics {
  std::uint64_t waiting = 0;    // plans, those in a file too
  std::uint64_t nodes = 0;      // that live in the execution tree, its root too
  std::uint64_t nodes_max = 0;  // at once, so far; 0: there is no tree
  std::uint64_t spilled = 0;    // plans that were written to a file so far
  // What the tree would be if it held steps (ExecutionTree::uncompressed); 0: not measured.
  std::uint64_t uncompressed = 0;
  std::uint64_t apart = 0;
  std::uint64_t complete = 0;
  std::uint64_t remembered = 0;  // bytes for what was put down at points that may be passed again
};

class PartialOrder;

class Strategy {
 public:
  virtual ~Strategy() = default;

  // Writes the next plan to run; false where none is left.
  virtual bool next(Plan& plan) = 0;

  // Why next() gave no plan though some are left, in one line; empty where none is left.
  virtual std::string problem() const { return {}; }

  // Whether the plan that next() wrote has run before, and runs again only to learn more from it. It is not
  // counted again.
  virtual bool repeats() const { return false; }

  // What learn() has to see of a trace.
  virtual Recording recording() const = 0;

  // So many departures of the plan that next() wrote have been followed before, in that order. Those behind
  // them are tried: one that cannot be followed ends the execution as stopped, and not as diverged.
  virtual std::size_t known_departures() const { return ~std::size_t{0}; }

  virtual bool online() const { return false; }
  virtual Advice at_point(const View&) { return {}; }

  virtual void learn(const Plan& plan, const Trace& trace) = 0;

  // A part of what is left to do, for another worker, or nothing where there is too little. Together the two
  // do what the one would have done. The other worker must use the same thread names, or pass the part
  // through save() and load().
  virtual std::unique_ptr<Strategy> split() = 0;

  // next() gave nothing, and will until another part that split() gave away has been merged.
  virtual bool waits() const { return false; }

  // next() gave nothing, and whatever the parts that split() gave away have left need not be run.
  virtual bool needs_no_parts() const { return false; }

  // Takes over what is left to do and what was counted. REQUIRES: other came from this one's split(), or from
  // that of a strategy that was merged into this one, or from one made alike. Parts that other has given away
  // are this one's then.
  virtual void merge(Strategy& other) = 0;

  // A search can be put down and taken up elsewhere. load() REQUIRES a strategy made with the same settings;
  // false where the bytes are not what save() wrote.
  virtual void save(ByteWriter& out, const ThreadNames& names) const = 0;
  virtual bool load(ByteReader& in, ThreadNames& names) = 0;
  // Whether save() writes little, so that a part is sooner handed to another process than that is copied.
  virtual bool is_small() const { return false; }
  // Whether it goes on only where objects have the addresses that they had.
  virtual bool keeps_addresses() const { return false; }

  virtual Guarantee guarantee() const = 0;

  virtual SearchStatistics statistics() const { return {}; }
  // How far it is. Between a learn() and the next next(), like those above; takes time in proportion to an
  // execution at most.
  virtual Progress progress() { return {}; }

  // The partial order of the execution that was learned last, where the strategy keeps it anyway.
  virtual const PartialOrder* last_order() const { return nullptr; }

  // Of several strategies that take turns the name of the one that gave the last plan; else empty. It lives
  // as long as the program.
  virtual std::string_view member() const { return {}; }
};

}  // namespace thrum
