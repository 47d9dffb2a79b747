// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle/toy_terms.hpp"

#include "support/check.hpp"
#include "support/hash.hpp"

namespace thrum {

namespace {

std::uint32_t bits_of(const ToyValue& value) { return static_cast<std::uint32_t>(value.value); }

std::uint32_t outcome_of(TermKind kind, std::uint32_t a, std::uint32_t b) {
  switch (kind) {
    case TermKind::equal: return a == b;
    case TermKind::unsigned_less: return a < b;
    default: THRUM_CHECK(kind == TermKind::unsigned_remainder); return a % b;
  }
}

}  // namespace

std::uint32_t SymbolNames::number_of(const Name& name) {
  const std::uint64_t what = mixed(name.is_input ? 1 : 0, name.bits);
  return names_.number_of(name, mixed(mixed(what, name.thread), mixed(name.event, name.number)));
}

void ToyRecorder::begin(Wanted wanted, Trace& trace) {
  wanted_ = wanted;
  trace_ = &trace;
}

Term ToyRecorder::term_of(const ToyValue& value) {
  return value.term != kNoTerm ? value.term : terms_.constant(bits_of(value), kWidth);
}

ToyValue ToyRecorder::combine(TermKind kind, const ToyValue& a, const ToyValue& b, std::uint32_t value) {
  ToyValue result{static_cast<int>(value), kNoTerm};
  if (a.term != kNoTerm || b.term != kNoTerm)
    result.term = variable(terms_.make(kind, term_of(a), term_of(b)));
  return result;
}

ToyValue ToyRecorder::sum(const ToyValue& a, const ToyValue& b) {
  return combine(TermKind::add, a, b, bits_of(a) + bits_of(b));
}

ToyValue ToyRecorder::difference(const ToyValue& a, const ToyValue& b) {
  return combine(TermKind::subtract, a, b, bits_of(a) - bits_of(b));
}

ToyValue ToyRecorder::read(ThreadId thread, std::uint32_t event, std::uint32_t number, int value) {
  if (!has_terms()) return {value};
  return {value, terms_.symbol(symbols_.number_of({false, thread, event, number, kWidth}), kWidth)};
}

ToyValue ToyRecorder::input(ThreadId thread, std::uint32_t number, std::uint32_t bits, int value) {
  if (!has_terms()) return {value};
  const std::uint32_t symbol = symbols_.number_of({true, thread, 0, number, bits});
  if (wanted_.has(Wanted::kTerms)) trace_->inputs.push_back({thread, number, bits, symbol});
  return {value, terms_.zero_extend(terms_.symbol(symbol, bits), kWidth)};
}

int ToyRecorder::decide(ThreadId thread, std::uint64_t code, TermKind kind, const ToyValue& a,
                        const ToyValue& b, Which of) {
  const std::uint32_t outcome = outcome_of(kind, bits_of(a), bits_of(b));
  if (!wanted_.has(Wanted::kDecisions)) return static_cast<int>(outcome);
  const Term term = variable(terms_.make(kind, term_of(a), term_of(b)));
  if (term != kNoTerm) {
    const bool of_event = of == Which::last_event;
    trace_->decisions.push_back({static_cast<std::uint32_t>(trace_->events.size()) + (of_event ? 1 : 0),
                                 static_cast<std::uint32_t>(trace_->accesses.size()), thread, of_event, code,
                                 term, outcome});
  }
  return static_cast<int>(outcome);
}

void ToyRecorder::add_event(Term read, Term written) {
  if (wanted_.has(Wanted::kTerms | Wanted::kEvents))
    trace_->terms.push_back({static_cast<std::uint32_t>(trace_->events.size()), read, written});
}

void ToyRecorder::add_access(ThreadId thread, bool writes, bool in_section, std::uint64_t object,
                             std::uint32_t size, const ToyValue& value) {
  RecordedAccess access;
  access.event = static_cast<std::uint32_t>(trace_->events.size()) + (in_section ? 1 : 0);
  access.thread = thread;
  access.writes = writes;
  access.in_section = in_section;
  access.operation = in_section ? (writes ? Operation::store : Operation::load)
                                : (writes ? Operation::plain_store : Operation::plain_load);
  access.size = size;
  access.object = object;
  if (records_values()) {
    access.value = bits_of(value);
    if (wanted_.has(Wanted::kTerms)) access.term = value.term;
  }
  trace_->accesses.push_back(access);
}

}  // namespace thrum
