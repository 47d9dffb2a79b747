// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle/happens_before.hpp"

namespace thrum {

namespace {

using What = RaceStep::What;

bool reads_atomically(const RaceStep& step) {
  return step.what == What::load || step.what == What::read_modify_write ||
         step.what == What::read_modify_nothing;
}

bool writes_atomically(const RaceStep& step) {
  return step.what == What::store || step.what == What::read_modify_write;
}

bool have_common_byte(const RaceStep& a, const RaceStep& b) {
  for (std::uint64_t byte = a.address; byte < a.address + a.size; ++byte) {
    if (b.touches(byte)) return true;
  }
  return false;
}

}  // namespace

HappensBefore::HappensBefore(const RaceTrace& trace) : trace_(trace), before_(trace.size()) {
  for (std::size_t i = 0; i < trace.size(); ++i) {
    before_[i].resize(trace.size());
    for (std::size_t j = 0; j < i; ++j) {
      if (synchronizes(j, i)) include(i, j);
    }
  }
}

std::vector<std::size_t> HappensBefore::racing(std::size_t i) const {
  std::vector<std::size_t> found;
  const RaceStep& late = trace_[i];
  if (!late.is_access()) return found;
  for (std::size_t j = 0; j < i; ++j) {
    const RaceStep& early = trace_[j];
    bool conflict = early.is_access() && (early.writes() || late.writes()) &&
                    (early.is_plain() || late.is_plain()) && have_common_byte(early, late);
    if (conflict && !ordered(j, i)) found.push_back(j);
  }
  return found;
}

// j, and all that happened before it.
void HappensBefore::include(std::size_t i, std::size_t j) {
  before_[i][j] = true;
  for (std::size_t k = 0; k < j; ++k) {
    if (before_[j][k]) before_[i][k] = true;
  }
}

// Or is sequenced before, in the same thread.
bool HappensBefore::synchronizes(std::size_t j, std::size_t i) const {
  const RaceStep& early = trace_[j];
  const RaceStep& late = trace_[i];
  if (early.thread == late.thread) return true;
  if (early.what == What::create && early.address == late.thread) return true;
  if (late.what == What::join && late.address == early.thread) return true;
  // By way of a thread that did nothing.
  if (early.what == What::create && late.what == What::join && early.address == late.address) return true;
  bool releases_object = early.what == What::release || early.what == What::release_more;
  if (late.what != What::acquire || !releases_object) return passes_on(j, i);
  if (early.address != late.address) return false;
  for (std::size_t k = j + 1; k < i; ++k) {
    if (trace_[k].what == What::release && trace_[k].address == early.address) return false;
  }
  return true;
}

// j is a release operation or fence, i an acquire operation or fence that reads what follows from it.
bool HappensBefore::passes_on(std::size_t j, std::size_t i) const {
  const RaceStep& early = trace_[j];
  const RaceStep& late = trace_[i];
  bool is_source = releases(early.order) && (writes_atomically(early) || early.what == What::fence);
  bool is_sink = acquires(late.order) && (reads_atomically(late) || late.what == What::fence);
  if (!is_source || !is_sink) return false;
  for (std::size_t read = j + 1; read <= i; ++read) {
    if (!reads_atomically(trace_[read])) continue;
    bool for_sink = late.what == What::fence ? read < i && trace_[read].thread == late.thread : read == i;
    if (!for_sink) continue;
    for (std::size_t write : sequence_read_by(read)) {
      bool from_source =
          early.what == What::fence ? write > j && trace_[write].thread == early.thread : write == j;
      if (from_source) return true;
    }
  }
  return false;
}

// The writes whose release sequence, real or hypothetical, has the value that the step reads: back from the
// last write to the first that is no read-modify-write.
std::vector<std::size_t> HappensBefore::sequence_read_by(std::size_t read) const {
  std::vector<std::size_t> writes;
  const std::uint64_t at = trace_[read].address;
  for (std::size_t k = read; k-- > 0;) {
    const RaceStep& step = trace_[k];
    if (step.what == What::plain_write && step.touches(at)) break;
    if (!writes_atomically(step) || step.address != at) continue;
    writes.push_back(k);
    if (step.what == What::store) break;
  }
  return writes;
}

}  // namespace thrum
