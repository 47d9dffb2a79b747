// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tested by assumptions_test.cpp.
#include "report/assumptions.hpp"

#include <algorithm>
#include <array>

#include "support/check.hpp"

namespace thrum {

namespace {

constexpr std::array kGeneral = {
    GeneralAssumption{
        "sequential-consistency", "sequentially consistent memory",
        "Memory is sequentially consistent: what weaker atomics or the processor may reorder was not tried.",
        "All threads see all writes in one order, as if every atomic operation asked for "
        "memory_order_seq_cst. A bug "
        "that takes a weaker order is not found."},
    GeneralAssumption{"inputs-fixed", "fixed inputs",
                      "Inputs are fixed: arguments, files, environment and the like were as they are now.",
                      "A check says nothing of other inputs. thrum_choose() lets a test try several."},
    GeneralAssumption{
        "one-address-assignment", "one address for each block of memory",
        "Each block of memory had one address; no other layout was tried.",
        "What depends on addresses, such as an order of locks by address, was seen in one "
        "order only. --heap lifo lets "
        "freed memory be used again at once, --heap fresh never, --heap both searches with each."},
    GeneralAssumption{"allocation-succeeds", "memory never runs out", "Memory never ran out.",
                      "malloc never returned a null pointer for want of memory, and new never threw."},
    GeneralAssumption{"spurious-wakeups-off", "no spurious wake-ups",
                      "No condition variable woke up by itself, and no weak compare-exchange failed so.",
                      "Real ones may. --spurious tries wake-ups of condition variables; a wait that stands "
                      "in a loop around its "
                      "condition is safe from them."},
    GeneralAssumption{"timeouts-modelled", "virtual time",
                      "Time is virtual: a timed wait ends when nothing else can run, or, if it is no longer "
                      "than --early-timeouts, earlier at the cost of a preemption.",
                      "Clocks move only when a wait ends or the program sleeps. So the timeout "
                      "of a short wait may come between any two operations, "
                      "but how long things take is not modelled."},
    GeneralAssumption{"spins", "fair waiting loops",
                      "A loop that only waits is run again once something that it reads was written; unfair "
                      "schedules of it "
                      "are left out.",
                      "Schedules in which such a loop goes round while the others stand still differ in "
                      "nothing but its rounds."},
};

const GeneralAssumption* find(std::string_view kind) {
  const auto* found = std::find_if(kGeneral.begin(), kGeneral.end(),
                                   [&](const GeneralAssumption& one) { return one.kind == kind; });
  return found == kGeneral.end() ? nullptr : found;
}

// Whether it says no more than what holds for every check.
bool is_general(const Assumption& assumption) {
  const GeneralAssumption* general = find(assumption.kind);
  return general != nullptr && general->text == assumption.text;
}

// So important that it stands first.
bool is_warning(const Assumption& assumption) { return assumption.kind == "races-not-checked"; }

}  // namespace

std::span<const GeneralAssumption> general_assumptions() { return kGeneral; }

Assumption general_assumption(std::string_view kind) {
  const GeneralAssumption* general = find(kind);
  THRUM_CHECK(general != nullptr);
  return {std::string(kind), 1, std::string(general->text), {}};
}

std::string assumptions_text(const std::vector<Assumption>& assumptions, const TextStyle& style) {
  std::string text;
  std::string particular;
  std::string names;
  for (const Assumption& assumption : assumptions) {
    if (is_warning(assumption)) {
      text += coloured(wrap(assumption.text, "!! ", style.width), kYellow, style.colours);
    } else if (style.assumptions || !is_general(assumption)) {
      particular += wrap(assumption.text, "  - ", style.width);
    } else {
      names += (names.empty() ? "" : ", ") + std::string(find(assumption.kind)->brief);
    }
  }
  if (!particular.empty()) text += "This holds under these assumptions:\n" + particular;
  if (!names.empty()) {
    const char* first = particular.empty() ? "Assumed as always: " : "and, as always: ";
    text += wrap(first + names + " (thrum help assumptions).", "", style.width);
  }
  return text;
}

std::string assumptions_page(const TextStyle& style) {
  std::string text = wrap(
      "What every check assumes. A result says so each time in its JSON, and in full with thrum check "
      "--assumptions; "
      "what a check assumes beyond this stands in its report.",
      "", style.width);
  for (const GeneralAssumption& one : kGeneral) {
    text += "\n" + std::string(one.kind) + "\n";
    text += wrap(std::string(one.text), "  ", style.width);
    text += wrap(std::string(one.why), "  ", style.width);
  }
  return text;
}

}  // namespace thrum
