// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A strategy: says which plan runs next, and learns from its trace.
//
// Protocol: next() and learn() alternate, beginning with next(). Between the two the plan runs with the
// advisor and the recording that advisor() and wanted() give for it. learn() is given each trace, also of
// executions that were cut; where the search ends or begins again with an execution (it diverged, starved or
// ran out of time), neither function is called again. Everything else is called between a learn() and the
// next next().
//
// A strategy needs no more than that. One whose work can be divided among workers, or be saved in one process
// and loaded in another, or that has something to report, says so by the interface for it (Divisible,
// Durable, Reporting). The exercise in tests/oracle/exercise_test.cpp adds a strategy from nothing.
//
// Thread safety: none; each worker has its own.
#pragma once

#include <memory>

#include "execution/advisor.hpp"
#include "model/plan.hpp"
#include "model/trace.hpp"
#include "model/wanted.hpp"
#include "search/guarantee.hpp"
#include "search/reporting.hpp"
#include "support/bytes.hpp"

namespace thrum {

class Divisible;
class Durable;

class Strategy {
 public:
  virtual ~Strategy() = default;

  // Writes the next plan to run; false where none is left, or none can run now.
  virtual bool next(Plan& plan) = 0;

  // next() gave nothing yet, since the worker was wanted for something else. It is to be called again then.
  virtual bool is_put_off() const { return false; }

  // The parts of the trace that learn() needs, for the plan that next() wrote.
  virtual Wanted wanted() const { return Wanted::new_choices(); }

  // Decides at the choices after that plan's last departure; nullptr: the plan's policy does.
  virtual Advisor* advisor() { return nullptr; }

  virtual void learn(const Plan& plan, const Trace& trace) = 0;

  // This process is about to be copied. If it dies, the copy goes on from here: that one is told so. What a
  // strategy keeps in another process has to be put back then.
  virtual void prepare_copy() {}
  virtual void go_on_as_copy() {}

  virtual Guarantee guarantee() const { return {}; }

  // nullptr: one worker runs the whole search.
  virtual Divisible* divisible() { return nullptr; }
  // nullptr: a search that is interrupted begins again.
  virtual Durable* durable() { return nullptr; }
  virtual Reporting& reporting() { return Reporting::nothing(); }
};

// A search whose work can be divided among workers. It is Durable, too: parts may be passed as bytes.
class Divisible {
 public:
  // A part of the work that is left, for another worker; nullptr where there is too little. Together the two
  // do what the one would have done. The other worker must use the same thread names, or pass the part
  // through Durable.
  virtual std::unique_ptr<Strategy> split() = 0;

  // Takes over the work that other has left, and what it has counted. REQUIRES: other came from this one's
  // split(), or from that of a strategy that was merged into this one, or from one made with the same
  // settings. Parts that other has given away belong to this one then.
  virtual void merge(Strategy& other) = 0;

  // next() gave nothing, and will until another part that split() gave away has been merged.
  virtual bool waits() const { return false; }

  // next() gave nothing, and the work that is left in the parts that split() gave away need not be done.
  virtual bool needs_no_parts() const { return false; }

  // Whether parts do what it would have to do else. If not, what they claim does not count, and they get none
  // of its executions where these are limited.
  virtual bool divides_its_work() const { return true; }

 protected:
  ~Divisible() = default;
};

// A search that can be saved in one process and loaded in another.
class Durable {
 public:
  // load() REQUIRES a strategy made with the same settings; false where the bytes are not what save() wrote.
  virtual void save(ByteWriter& out, const ThreadNames& names) const = 0;
  virtual bool load(ByteReader& in, ThreadNames& names) = 0;

  // Whether save() writes little: a part is then handed to another process as bytes, and not by a copy of
  // this process.
  virtual bool is_small() const { return false; }

  // Whether it goes on only where objects have the addresses that they had.
  virtual bool keeps_addresses() const { return false; }

 protected:
  ~Durable() = default;
};

}  // namespace thrum
