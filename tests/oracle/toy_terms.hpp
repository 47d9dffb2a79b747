// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an execution of a toy program records of its values: their terms, accesses, decisions and inputs
// (model/trace.hpp). All values have 32 bits, and wrap around.
//
// Each read of memory that threads share gives a new symbol, since another thread may have written it; so
// memory has no terms, and registers do.
//
// Thread safety: none.
#pragma once

#include "model/trace.hpp"
#include "support/interned.hpp"
#include "symbolic/terms.hpp"

namespace thrum {

// The numbers of symbols, which stay the same in all executions of a program.
class SymbolNames {
 public:
  struct Name {
    bool is_input = false;
    ThreadId thread = kMainThread;
    std::uint32_t event = 0;   // of a read: the index of the event that it belongs to, or that comes next
    std::uint32_t number = 0;  // of the thread's reads there, or of its inputs, counted from 0
    std::uint32_t bits = 0;    // its width

    friend bool operator==(const Name&, const Name&) = default;
  };

  std::uint32_t number_of(const Name& name);
  const Name& operator[](std::uint32_t symbol) const { return names_[symbol]; }
  std::size_t size() const { return names_.size(); }

 private:
  Interned<Name> names_;
};

// The content of a register, or a constant.
struct ToyValue {
  int value = 0;
  Term term = kNoTerm;
};

class ToyRecorder {
 public:
  static constexpr unsigned kWidth = 32;
  static constexpr Wanted::Set kCanRecord =
      Wanted::kAccesses | Wanted::kTerms | Wanted::kDecisions | Wanted::kFootprints;

  // Begins an execution. trace must outlive it.
  void begin(Wanted wanted, Trace& trace);

  Terms& terms() { return terms_; }
  const SymbolNames& symbols() const { return symbols_; }
  bool records_values() const { return wanted_.has(Wanted::kAccesses); }
  bool records_footprints() const { return wanted_.has(Wanted::kFootprints); }

  ToyValue sum(const ToyValue& a, const ToyValue& b);
  ToyValue difference(const ToyValue& a, const ToyValue& b);

  // What the thread has read. event, number: as in SymbolNames::Name.
  ToyValue read(ThreadId thread, std::uint32_t event, std::uint32_t number, int value);
  // number: of the thread's inputs before this one.
  ToyValue input(ThreadId thread, std::uint32_t number, std::uint32_t bits, int value);

  enum class Which : bool { next_event, last_event };
  // Whether the comparison is true, or what the remainder is; kind says which. of: whether it belongs to the
  // event that is going on.
  int decide(ThreadId thread, std::uint64_t code, TermKind kind, const ToyValue& a, const ToyValue& b,
             Which of = Which::next_event);

  // Of the event that is going on.
  void add_event(Term read, Term written);
  // A plain access, or one of the atomic section that is going on.
  void add_access(ThreadId thread, bool writes, bool in_section, std::uint64_t object, std::uint32_t size,
                  const ToyValue& value);

 private:
  bool has_terms() const { return wanted_.has(Wanted::kTerms) || wanted_.has(Wanted::kDecisions); }
  Term term_of(const ToyValue& value);
  Term variable(Term term) const { return terms_.is_constant(term) ? kNoTerm : term; }
  ToyValue combine(TermKind kind, const ToyValue& a, const ToyValue& b, std::uint32_t value);

  Terms terms_;
  SymbolNames symbols_;
  Wanted wanted_;
  Trace* trace_ = nullptr;
};

}  // namespace thrum
