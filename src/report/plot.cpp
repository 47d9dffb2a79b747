// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace thrum {

namespace {

// One search of a test, as a picture needs it.
struct Searched {
  std::string name;  // in a legend
  const StatisticsResult& statistics;
  bool exhausted;
  // It ran what costs less before what costs more. Others may see a class first in an execution that costs
  // more than another of the class, so that what they saw within a bound is not what there is within it.
  bool in_order;
};
using EachSearch = std::function<void(const Searched&)>;

void for_each_search(const Result& result, const EachSearch& each) {
  for (const TestResult& test : result.tests) {
    bool exhausted = test.verdict == Verdict::exhausted;
    std::string name = fmt::format("{} ({})", test.name, test.strategy);
    const bool in_order = test.strategy == "icb";
    if (test.statistics) each({name, *test.statistics, exhausted, in_order});
    for (const HeapResult& heap : test.heaps) {
      std::string with_heap = fmt::format("{} ({}, --heap {})", test.name, test.strategy, heap.heap);
      if (heap.statistics) each({with_heap, *heap.statistics, heap.verdict == Verdict::exhausted, in_order});
    }
  }
}

// "preemptions", "delays", or both where searches differ.
std::string bound_words(const Result& result) {
  std::string words;
  for_each_search(result, [&](const Searched& search) {
    const std::string& cost = search.statistics.cost;
    if (search.in_order && words.find(cost) == std::string::npos)
      words += (words.empty() ? "" : " or ") + cost;
  });
  return words.empty() ? "preemptions" : words;
}

}  // namespace

Chart coverage_by_bound(const Result& result) {
  Chart chart;
  chart.title = "Coverage by bound";
  bool all_classes = true;
  bool all_exhausted = true;
  for_each_search(result, [&](const Searched& search) {
    if (!search.in_order) return;
    const StatisticsResult& statistics = search.statistics;
    all_classes = all_classes && statistics.classes.has_value();
    all_exhausted = all_exhausted && search.exhausted;
    auto share = [&](const LevelResult& level) {
      return static_cast<double>(statistics.classes ? level.classes.value_or(0) : level.executions);
    };
    double all = 0;
    for (const LevelResult& level : statistics.levels) all += share(level);
    if (all == 0) return;
    Curve curve{search.name, {}, true};
    double sum = 0;
    for (const LevelResult& level : statistics.levels) {
      sum += share(level);
      curve.points.emplace_back(level.cost, 100 * sum / all);
    }
    chart.curves.push_back(std::move(curve));
  });
  chart.note = all_exhausted ? "of all that there is within the bound"
                             : "of what was seen: not every search here was exhausted";
  if (chart.curves.empty()) chart.note = "only searches in order of the bound (icb) have a curve here";
  chart.x = {"at most so many " + bound_words(result), false, false, true};
  chart.y = {all_classes ? "classes of executions" : "classes, or executions where they were not counted",
             false, true, false};
  return chart;
}

Chart coverage_growth(const Result& result) {
  Chart chart;
  chart.title = "Coverage growth";
  chart.note = "classes that differ in more than the order of independent operations";
  for_each_search(result, [&](const Searched& search) {
    Curve curve{search.name, {}, false};
    for (const GrowthResult& point : search.statistics.growth) {
      if (point.classes && *point.classes > 0)
        curve.points.emplace_back(point.executions, static_cast<double>(*point.classes));
    }
    if (!curve.points.empty()) chart.curves.push_back(std::move(curve));
  });
  chart.x = {"executions", true, false, false};
  chart.y = {"classes seen", true, false, false};
  return chart;
}

namespace {

// Of what --coverage counts.
Chart growth_of(const Result& result, std::optional<std::uint64_t> GrowthResult::*met) {
  Chart chart;
  for_each_search(result, [&](const Searched& search) {
    Curve curve{search.name, {}, false};
    for (const GrowthResult& point : search.statistics.growth) {
      if ((point.*met).value_or(0) > 0)
        curve.points.emplace_back(point.executions, static_cast<double>(*(point.*met)));
    }
    if (!curve.points.empty()) chart.curves.push_back(std::move(curve));
  });
  chart.x = {"executions", true, false, false};
  return chart;
}

}  // namespace

Chart local_states_growth(const Result& result) {
  Chart chart = growth_of(result, &GrowthResult::local_states);
  chart.title = "Growth of local states";
  chart.note = "states that threads are in, each with all that led there (--coverage local-states)";
  chart.y = {"local states met", true, false, false};
  return chart;
}

Chart values_growth(const Result& result) {
  Chart chart = growth_of(result, &GrowthResult::value_sequences);
  chart.title = "Growth of values";
  chart.note = "what threads have read, each value behind those before it (--coverage values)";
  chart.y = {"sequences of values met", true, false, false};
  return chart;
}

Chart states_by_bound(const Result& result) {
  Chart chart;
  bool all_exhausted = true;
  for_each_search(result, [&](const Searched& search) {
    if (!search.statistics.stateful || search.statistics.stateful->bounds.empty()) return;
    const StatefulResult& found = *search.statistics.stateful;
    all_exhausted = all_exhausted && search.exhausted;
    Curve curve{search.name, {}, true};
    for (std::size_t bound = 0; bound < found.bounds.size(); ++bound)
      curve.points.emplace_back(
          bound, 100 * static_cast<double>(found.bounds[bound].states) / static_cast<double>(found.states));
    chart.curves.push_back(std::move(curve));
  });
  chart.title = "States by bound";
  chart.note = all_exhausted ? "of all states of the program"
                             : "of those that were visited: not every search was exhausted";
  chart.x = {"at most so many preemptions", false, false, true};
  chart.y = {"states", false, true, false};
  return chart;
}

Chart states_growth(const Result& result) {
  Chart chart;
  for_each_search(result, [&](const Searched& search) {
    if (!search.statistics.stateful) return;
    for (const StatefulResult::Curve& of : search.statistics.stateful->curves) {
      Curve curve{of.name, {}, false};
      for (const auto& [executions, states] : of.points)
        curve.points.emplace_back(executions, static_cast<double>(states));
      chart.curves.push_back(std::move(curve));
    }
  });
  chart.title = "Growth of states";
  chart.note = "states that executions come to, chosen in these orders (--state-curves)";
  chart.x = {"executions", true, false, false};
  chart.y = {"states", true, false, false};
  return chart;
}

std::string coverage_plot(const Result& result) {
  std::vector<Chart> charts;
  Chart states = states_by_bound(result);
  if (states.curves.empty()) {
    charts = {coverage_by_bound(result), coverage_growth(result)};
  } else {
    charts.push_back(std::move(states));
  }
  for (Chart met : {local_states_growth(result), values_growth(result), states_growth(result)}) {
    if (!met.curves.empty()) charts.push_back(std::move(met));
  }
  return svg_of(charts);
}

}  // namespace thrum
