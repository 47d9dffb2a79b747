// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "disassembly/live_registers.hpp"

#include <unordered_map>
#include <vector>

#include "disassembly/code_file.hpp"
#include "disassembly/instruction.hpp"

namespace thrum {

namespace {

constexpr std::size_t kInstructionsMax = 20'000;  // that are followed

class FlowGraph {
 public:
  explicit FlowGraph(const CodeFile& file) : file_(file) {}

  // The registers that are live at the address.
  RegisterSet live_at(std::uint64_t address) {
    follow(address);
    if (!is_complete_) return kAllRegisters;
    solve();
    return nodes_[index_.at(address)].live;
  }

 private:
  using Index = std::uint32_t;
  struct Node {
    std::uint64_t address = 0;
    RegisterSet uses = kAllRegisters;
    RegisterSet overwrites = 0;
    RegisterSet live = 0;  // before it
    std::vector<Index> successors{};
  };

  void follow(std::uint64_t begin);
  void add(std::uint64_t address);
  void add_successor(Index from, std::uint64_t to);
  void add_in_function(Index from, std::uint64_t next);
  void add_call(Index call, std::uint64_t next);
  void solve();

  const CodeFile& file_;
  Decoder decoder_;
  std::vector<Node> nodes_;
  std::unordered_map<std::uint64_t, Index> index_;  // by address
  bool is_complete_ = true;
};

void FlowGraph::follow(std::uint64_t begin) {
  index_[begin] = 0;
  nodes_.push_back({begin});
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_.size() > kInstructionsMax) {
      is_complete_ = false;
      return;
    }
    add(nodes_[i].address);
  }
}

void FlowGraph::add(std::uint64_t address) {
  using Flow = Instruction::Flow;
  const Index index = index_.at(address);
  const Instruction instruction = decoder_.decode(file_.code_at(address), address);
  nodes_[index].uses = instruction.uses;
  nodes_[index].overwrites = instruction.overwrites;
  switch (instruction.flow) {
    case Flow::next: return add_successor(index, instruction.next);
    case Flow::jump: return add_successor(index, instruction.target);
    case Flow::branch:
      add_successor(index, instruction.target);
      return add_successor(index, instruction.next);
    case Flow::call: return add_call(index, instruction.next);
    case Flow::trap: return add_in_function(index, instruction.next);
    case Flow::unknown: nodes_[index].uses = kAllRegisters; return;
  }
}

void FlowGraph::add_successor(Index from, std::uint64_t to) {
  const auto [place, is_new] = index_.try_emplace(to, static_cast<Index>(nodes_.size()));
  if (is_new) nodes_.push_back({to});
  nodes_[from].successors.push_back(place->second);
}

// Where the function ends there, it does not go on.
void FlowGraph::add_in_function(Index from, std::uint64_t next) {
  const CodeFile::Function* function = file_.function_at(next - 1);
  if (function == nullptr) nodes_[from].uses = kAllRegisters;
  if (function != nullptr && next < function->end) add_successor(from, next);
}

void FlowGraph::add_call(Index call, std::uint64_t next) {
  add_in_function(call, next);
  const CodeFile::Function* function = file_.function_at(next - 1);
  if (function == nullptr) return;
  const CodeFile::Handler handler = file_.handler_of(*function, next);
  if (!handler.is_known) nodes_[call].uses = kAllRegisters;
  if (handler.leaves) nodes_[call].uses |= file_.callers_registers(next - 1);
  if (handler.address != 0) add_successor(call, handler.address);
}

void FlowGraph::solve() {
  bool has_changed = true;
  while (has_changed) {
    has_changed = false;
    for (std::size_t i = nodes_.size(); i-- > 0;) {
      Node& node = nodes_[i];
      RegisterSet after = 0;
      for (const Index successor : node.successors) after |= nodes_[successor].live;
      const auto live = static_cast<RegisterSet>(node.uses | (after & ~node.overwrites));
      has_changed = has_changed || live != node.live;
      node.live = live;
    }
  }
}

}  // namespace

RegisterSet live_registers(const CodeFile& file, std::uint64_t return_address) {
  const CodeFile::Function* function = file.function_at(return_address - 1);
  if (function == nullptr || return_address >= function->end) return kAllRegisters;
  return FlowGraph(file).live_at(return_address);
}

LiveRegisters::LiveRegisters() = default;
LiveRegisters::~LiveRegisters() = default;

RegisterSet LiveRegisters::at(const std::string& path, std::uint64_t return_address) {
  std::unique_ptr<CodeFile>& file = files_[path];
  if (file == nullptr) file = std::make_unique<CodeFile>(path);
  return live_registers(*file, return_address);
}

}  // namespace thrum
