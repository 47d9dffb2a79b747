// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "disassembly/liveness.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "disassembly/code_file.hpp"
#include "disassembly/instruction.hpp"

namespace thrum {

namespace {

constexpr std::size_t kInstructionsMax = 20'000;  // that are followed

// Functions of the runtime that do not read the program's memory.
bool reads_no_memory(std::string_view name) {
  constexpr std::string_view kPrefixes[] = {"__tsan_read",           "__tsan_write",
                                            "__tsan_unaligned_read", "__tsan_unaligned_write",
                                            "__tsan_func_entry",     "__tsan_func_exit"};
  return std::ranges::any_of(kPrefixes, [&](std::string_view prefix) { return name.starts_with(prefix); });
}

class FlowGraph {
 public:
  explicit FlowGraph(const CodeFile& file) : file_(file) {}

  LiveState live_at(std::uint64_t address) {
    follow(address);
    if (!is_complete_) return {};
    solve();
    LiveState live = nodes_[index_.at(address)].live;
    if (!has_one_stack_) live.words = kAllWords;
    return live;
  }

 private:
  using Index = std::uint32_t;
  // How far the stack pointer is from what it was at the beginning.
  struct StackPointer {
    std::int64_t offset = 0;
    bool is_known = true;
    bool operator==(const StackPointer&) const = default;
  };
  struct Node {
    std::uint64_t address = 0;
    StackPointer stack{};
    LiveState uses{};
    LiveState overwrites{0, 0};
    LiveState live{0, 0};  // before it
    std::vector<Index> successors{};
  };

  void follow(std::uint64_t begin);
  void add(Index index);
  void add_stack(Index index, const Instruction& instruction);
  void add_successor(Index from, std::uint64_t to);
  void add_in_function(Index from, std::uint64_t next);
  void add_call(Index call, const Instruction& instruction);
  std::string name_of_called(const Instruction& instruction);
  void solve();

  const CodeFile& file_;
  Decoder decoder_;
  std::vector<Node> nodes_;
  std::unordered_map<std::uint64_t, Index> index_;  // by address
  StackPointer behind_{};                           // the instruction that is being added
  bool is_complete_ = true;
  bool has_one_stack_ = true;  // each instruction is reached with one stack pointer
};

void FlowGraph::follow(std::uint64_t begin) {
  index_[begin] = 0;
  nodes_.push_back({begin});
  for (std::size_t i = 0; i < nodes_.size() && is_complete_; ++i) {
    add(static_cast<Index>(i));
    is_complete_ = is_complete_ && nodes_.size() <= kInstructionsMax;
  }
}

void FlowGraph::add(Index index) {
  using Flow = Instruction::Flow;
  const std::uint64_t address = nodes_[index].address;
  const Instruction instruction = decoder_.decode(file_.code_at(address), address);
  nodes_[index].uses.registers = instruction.uses;
  nodes_[index].overwrites.registers = instruction.overwrites;
  add_stack(index, instruction);
  switch (instruction.flow) {
    case Flow::next: return add_successor(index, instruction.next);
    case Flow::jump: return add_successor(index, instruction.target);
    case Flow::branch:
      add_successor(index, instruction.target);
      return add_successor(index, instruction.next);
    case Flow::call: return add_call(index, instruction);
    case Flow::trap: return add_in_function(index, instruction.next);
    case Flow::back: {
      // The return address and all that lies above it belong to the caller.
      const StackPointer& stack = nodes_[index].stack;
      nodes_[index].uses = {kAllRegisters,
                            stack.is_known ? words_from(stack.offset / kWordBytes) : kAllWords};
      return;
    }
    case Flow::unknown: nodes_[index].uses = {}; return;
  }
}

// The words that the instruction reads and overwrites, and where it leaves the stack pointer.
void FlowGraph::add_stack(Index index, const Instruction& instruction) {
  Node& node = nodes_[index];
  behind_ = {node.stack.offset + instruction.moves, node.stack.is_known && !instruction.loses_stack};
  const auto words = [&](const StackBytes& bytes, bool whole) -> WordSet {
    const std::int64_t begin = node.stack.offset + bytes.offset;
    const std::int64_t end = begin + bytes.size;
    if (bytes.size == 0 || end <= 0 || begin >= kWords * kWordBytes) return 0;
    const std::int64_t more = kWordBytes - 1;
    const std::int64_t first = whole ? std::max<std::int64_t>(begin + more, 0) / kWordBytes
                                     : std::max<std::int64_t>(begin, 0) / kWordBytes;
    const std::int64_t last = whole ? end / kWordBytes : (end + more) / kWordBytes;
    return words_from(first) & ~words_from(last);
  };
  const bool reads_stack = instruction.reads.size != 0;
  const bool reads_any = instruction.reads_memory || (reads_stack && !node.stack.is_known);
  node.uses.words = reads_any ? kAllWords : words(instruction.reads, false);
  node.overwrites.words = node.stack.is_known ? words(instruction.writes, true) : 0;
}

void FlowGraph::add_successor(Index from, std::uint64_t to) {
  const auto [place, is_new] = index_.try_emplace(to, static_cast<Index>(nodes_.size()));
  if (is_new) nodes_.push_back({to, behind_});
  if (nodes_[place->second].stack != behind_) has_one_stack_ = false;
  nodes_[from].successors.push_back(place->second);
}

// Where the function ends there, it does not go on.
void FlowGraph::add_in_function(Index from, std::uint64_t next) {
  const CodeFile::Function* function = file_.function_at(next - 1);
  if (function == nullptr) nodes_[from].uses = {};
  if (function != nullptr && next < function->end) add_successor(from, next);
}

void FlowGraph::add_call(Index call, const Instruction& instruction) {
  const std::uint64_t next = instruction.next;
  if (!reads_no_memory(name_of_called(instruction))) nodes_[call].uses.words = kAllWords;
  add_in_function(call, next);
  const CodeFile::Function* function = file_.function_at(next - 1);
  if (function == nullptr) return;
  const CodeFile::Handler handler = file_.handler_of(*function, next);
  if (!handler.is_known) nodes_[call].uses = {};
  if (handler.leaves) nodes_[call].uses.registers |= file_.callers_registers(next - 1);
  if (handler.address != 0) add_successor(call, handler.address);
}

// Of a function in another module: it is called by a pointer, or by a stub in the procedure linkage table
// that jumps by one. Empty where that is not so.
std::string FlowGraph::name_of_called(const Instruction& instruction) {
  if (instruction.target == 0) return file_.import_at(instruction.pointer);
  Instruction stub = decoder_.decode(file_.code_at(instruction.target), instruction.target);
  if (stub.flow == Instruction::Flow::next) stub = decoder_.decode(file_.code_at(stub.next), stub.next);
  return stub.flow == Instruction::Flow::unknown ? file_.import_at(stub.pointer) : "";
}

void FlowGraph::solve() {
  bool has_changed = true;
  while (has_changed) {
    has_changed = false;
    for (std::size_t i = nodes_.size(); i-- > 0;) {
      Node& node = nodes_[i];
      LiveState live{0, 0};
      for (const Index successor : node.successors) {
        live.registers |= nodes_[successor].live.registers;
        live.words |= nodes_[successor].live.words;
      }
      live.registers =
          static_cast<RegisterSet>(node.uses.registers | (live.registers & ~node.overwrites.registers));
      live.words = node.uses.words | (live.words & ~node.overwrites.words);
      has_changed = has_changed || live.registers != node.live.registers || live.words != node.live.words;
      node.live = live;
    }
  }
}

}  // namespace

Liveness::Liveness() = default;
Liveness::~Liveness() = default;

LiveState Liveness::at(const std::string& path, std::uint64_t return_address) {
  std::unique_ptr<CodeFile>& file = files_[path];
  if (file == nullptr) file = std::make_unique<CodeFile>(path);
  const CodeFile::Function* function = file->function_at(return_address - 1);
  if (function == nullptr || return_address >= function->end) return {};
  return FlowGraph(*file).live_at(return_address);
}

}  // namespace thrum
