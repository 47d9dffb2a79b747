// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "boolprog/contexts.hpp"

#include <set>

#include "support/check.hpp"

namespace thrum::bp {

ContextSearch::ContextSearch(const Transfer& transfer, std::uint32_t contexts, std::function<bool()> is_over)
    : transfer_(transfer),
      summaries_(transfer),
      contexts_(contexts),
      is_over_(std::move(is_over)),
      first_globals_(transfer.first_globals()) {
  if (transfer.encoding().flow().init) run_init();
}

// Runs `init`. Its final globals are the initial globals of the threads.
void ContextSearch::run_init() {
  const Encoding& encoding = transfer_.encoding();
  std::uint32_t procedure = *encoding.flow().init;
  Pc entry = encoding.flow().procedures[procedure].entry;
  auto phase = std::make_shared<Phase>(summaries_, transfer_, Phase::Purpose::trace, 0U, 0U);
  phase->begin_first(entry, first_globals_ & transfer_.first_locals(procedure));
  phase->saturate();
  init_ = phase;
  if (phase->failure()) {
    auto node = std::make_shared<Node>();
    node->contexts = 0;
    failure_ = node;
    return;
  }
  Bdd ends = transfer_.without_frame(phase->at({kBase, {entry, transfer_.dead()}}).all());
  first_globals_ = transfer_.init_ended(ends);
}

bool ContextSearch::may_move(const Node& node, std::uint32_t thread) const {
  const Flow& flow = transfer_.encoding().flow();
  auto fixed = static_cast<std::uint32_t>(flow.threads.size());
  if (node.parent != nullptr && thread == node.thread) return false;
  if (node.phases[thread] != nullptr) return true;
  if (thread >= fixed) return thread - fixed == node.slots_moved;
  for (std::uint32_t other = 0; other < thread; ++other) {
    if (flow.threads[other] == flow.threads[thread] && node.phases[other] == nullptr) return false;
  }
  return true;
}

std::shared_ptr<Phase> ContextSearch::run(const Node& node, Phase::Purpose purpose) {
  if (is_over_ && is_over_()) throw BddInterrupted("out of time");
  const Encoding& encoding = transfer_.encoding();
  const Flow& flow = encoding.flow();
  auto fixed = static_cast<std::uint32_t>(flow.threads.size());
  std::uint32_t start = node.contexts - 1;
  std::uint32_t thread = node.thread;
  std::shared_ptr<Phase> phase;
  if (node.parent->phases[thread] != nullptr) {
    phase = std::make_shared<Phase>(summaries_, transfer_, purpose, node.parent->phases[thread], start);
    phase->begin_again(node.schedules);
  } else {
    phase = std::make_shared<Phase>(summaries_, transfer_, purpose, thread, start);
    Bdd begin = first_globals_;
    if (start != 0)
      begin = transfer_.now_is_boundary(start) & transfer_.onto_boundaries(node.schedules, {start});
    if (thread < fixed) {
      Pc entry = flow.procedures[flow.threads[thread]].entry;
      phase->begin_first(entry, begin & transfer_.first_locals(flow.threads[thread]));
    } else {
      for (std::uint32_t i = 0; i < encoding.starts().size(); ++i) {
        phase->begin_first(encoding.starts()[i].entry, transfer_.slot_begun(node.slots_moved, i, begin));
      }
    }
  }
  phase->saturate();
  figures_.bdd_nodes = std::max(figures_.bdd_nodes, BddSpace::nodes());
  return phase;
}

void ContextSearch::add_child(const std::shared_ptr<const Node>& parent, std::uint32_t thread,
                              const Bdd& schedules) {
  auto fixed = static_cast<std::uint32_t>(transfer_.encoding().flow().threads.size());
  auto node = std::make_shared<Node>();
  node->parent = parent;
  node->thread = thread;
  node->contexts = parent->contexts + 1;
  node->schedules = schedules;
  node->phases = parent->phases;
  node->slots_moved = parent->slots_moved;
  if (thread >= fixed && node->phases[thread] == nullptr) node->slots_moved = thread - fixed + 1;
  node->phases[thread] = run(*node, Phase::Purpose::detect);
  ++figures_.nodes;
  leaves_.push_back(node);
  if (node->phases[thread]->failure()) failure_ = node;
}

// A copy of the node and its ancestors, whose contexts are run again with causes recorded.
std::shared_ptr<Node> ContextSearch::remembered(const Node& node) {
  auto result = std::make_shared<Node>(node);
  if (node.parent == nullptr) return result;
  auto parent = remembered(*node.parent);
  result->parent = parent;
  result->phases = parent->phases;
  std::shared_ptr<Phase> phase = run(*result, Phase::Purpose::trace);
  if (!phase->failure()) phase->close(node.contexts);
  result->phases[node.thread] = phase;
  return result;
}

void ContextSearch::remember() {
  if (failure_->contexts == 0) return;  // `init`
  auto node = remembered(*failure_);
  THRUM_CHECK(node->phases[node->thread]->failure());
  failure_ = node;
}

std::vector<Bdd> ContextSearch::sets() const {
  std::vector<Bdd> all;
  for (const auto& [frame, states] : summaries_.frames()) all.push_back(states.all());
  for (const auto& leaf : leaves_) {
    for (const auto& phase : leaf->phases) {
      if (phase == nullptr) continue;
      for (const auto& [frame, states] : phase->old_frames()) all.push_back(states.all());
      for (const auto& [entry, entries] : phase->stacks()) all.push_back(entries.all());
    }
  }
  return all;
}

double ContextSearch::reached() const {
  std::set<Pc> places;
  for (const auto& [frame, states] : summaries_.frames()) places.insert(frame.pc);
  for (const auto& leaf : leaves_) {
    for (const auto& phase : leaf->phases) {
      if (phase == nullptr) continue;
      for (const auto& [frame, states] : phase->old_frames()) {
        if (!states.all().is_false()) places.insert(frame.frame.pc);
      }
    }
  }
  return static_cast<double>(places.size()) /
         static_cast<double>(transfer_.encoding().flow().code.size() + 1);
}

bool ContextSearch::next_level() {
  if (failure_ != nullptr) return true;  // of `init`
  THRUM_CHECK(level_ < contexts_);
  const Encoding& encoding = transfer_.encoding();
  auto threads = static_cast<std::uint32_t>(encoding.flow().threads.size()) + encoding.slots();
  if (level_ == 0) {
    auto root = std::make_shared<Node>();
    root->phases.resize(threads);
    leaves_.push_back(root);
  }
  auto parents = std::exchange(leaves_, {});
  for (const auto& parent : parents) {
    std::vector<std::uint32_t> next;
    for (std::uint32_t thread = 0; thread < threads; ++thread) {
      if (may_move(*parent, thread)) next.push_back(thread);
    }
    if (next.empty()) continue;
    Bdd schedules = Bdd::constant(true);
    if (level_ > 0) {
      std::shared_ptr<Phase> phase = run(*parent, Phase::Purpose::go_on);
      phase->close(level_);
      parent->phases[parent->thread] = phase;
      Bdd ends = transfer_.context_ended(parent->thread, phase->ends());
      schedules = parent->schedules & transfer_.now_as_boundary(level_, ends);
      if (schedules.is_false()) continue;
    }
    for (std::uint32_t thread : next) {
      add_child(parent, thread, schedules);
      if (failure_ != nullptr) return true;
    }
  }
  ++level_;
  return failure_ != nullptr || !leaves_.empty();
}

}  // namespace thrum::bp
