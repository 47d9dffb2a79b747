// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/liveness.hpp"

#include <algorithm>
#include <bit>

namespace thrum::vm {

namespace {

constexpr std::uint32_t kBits = 64;

// Which of an instruction's fields are slots that it reads, and whether it writes slot d and nothing of it
// remains.
struct Roles {
  bool a = false;
  bool b = false;
  bool c = false;
  bool d = false;
  bool writes = false;
};

constexpr Roles kNone{};
constexpr Roles kReadsA{.a = true};
constexpr Roles kReadsAB{.a = true, .b = true};
constexpr Roles kReadsABC{.a = true, .b = true, .c = true};
constexpr Roles kFromA{.a = true, .writes = true};
constexpr Roles kFromAB{.a = true, .b = true, .writes = true};
constexpr Roles kFromNothing{.writes = true};

bool ends_with(std::string_view text, std::string_view end) { return text.ends_with(end); }

// Arithmetic, comparisons and branches have forms with an immediate, whose names end in _i.
Roles roles_by_name(Opcode opcode) {
  const std::string_view name = opcode_name(opcode);
  const bool has_immediate = ends_with(name, "_i");
  if (name.starts_with("br_")) return has_immediate ? kReadsA : kReadsAB;
  if (name.starts_with("load")) return name.find("_x") == std::string_view::npos ? kFromA : kFromAB;
  if (name.starts_with("store")) {
    return name.find("_x") == std::string_view::npos ? kReadsAB : Roles{.a = true, .b = true, .d = true};
  }
  return has_immediate ? kFromA : kFromAB;
}

Roles roles_of(Opcode opcode) {
  switch (opcode) {
    case Opcode::constant:
    case Opcode::allocate:
    case Opcode::stack_save:
    case Opcode::thread_local_address: return kFromNothing;
    case Opcode::move:
    case Opcode::truncate32:
    case Opcode::sign8:
    case Opcode::sign16:
    case Opcode::sign32:
    case Opcode::sign:
    case Opcode::allocate_array: return kFromA;
    case Opcode::select: return {.a = true, .b = true, .c = true, .writes = true};
    case Opcode::jump:
    case Opcode::call:
    case Opcode::call_external:
    case Opcode::ret:
    case Opcode::ret_list:
    case Opcode::unreachable:
    case Opcode::trap:
    case Opcode::breakpoint:
    case Opcode::round:
    case Opcode::atomic:
    case Opcode::fence: return kNone;
    case Opcode::read_part: return kReadsAB;
    case Opcode::br:
    case Opcode::switch_to:
    case Opcode::call_indirect:
    case Opcode::ret1:
    case Opcode::access:
    case Opcode::escape:
    case Opcode::scope_begin:
    case Opcode::scope_end:
    case Opcode::stack_restore:
    case Opcode::check_aligned: return kReadsA;
    case Opcode::stay_in_block:
    case Opcode::compare_blocks:
    case Opcode::resume:
    case Opcode::vptr_update:
    case Opcode::va_start:
    case Opcode::va_copy: return kReadsAB;
    case Opcode::difference:
    case Opcode::copy_memory:
    case Opcode::set_memory: return kReadsABC;
    case Opcode::quiet_update:
    case Opcode::quiet_exchange: return kFromAB;
    case Opcode::element:
    case Opcode::compute: return {.a = true, .b = true, .c = true, .writes = true};
    case Opcode::set_element: return kReadsAB;
    default: return roles_by_name(opcode);
  }
}

const std::vector<Roles>& all_roles() {
  static const std::vector<Roles> roles = [] {
    std::vector<Roles> all;
    for (std::size_t i = 0; i < static_cast<std::size_t>(Opcode::count); ++i)
      all.push_back(roles_of(static_cast<Opcode>(i)));
    return all;
  }();
  return roles;
}

bool is_jump_or_end(Opcode opcode) {
  switch (opcode) {
    case Opcode::jump:
    case Opcode::switch_to:
    case Opcode::ret:
    case Opcode::ret1:
    case Opcode::ret_list:
    case Opcode::resume:
    case Opcode::unreachable: return true;
    default: return false;
  }
}

bool is_call(Opcode opcode) {
  return opcode == Opcode::call || opcode == Opcode::call_indirect || opcode == Opcode::call_external;
}

bool is_branch(Opcode opcode) {
  return opcode == Opcode::br || opcode == Opcode::jump || opcode_name(opcode).starts_with("br_");
}

}  // namespace

Liveness::Liveness(const Function& function) : function_(function) {
  find_blocks();
  solve();
}

// The instructions that may come after it, but for the next one.
template <typename Visit>
void Liveness::each_target(std::uint32_t i, Visit visit) const {
  const Opcode opcode = function_.opcodes[i];
  const auto immediate = static_cast<std::uint32_t>(function_.code[i].immediate);
  if (is_branch(opcode)) {
    visit(immediate);
  } else if (opcode == Opcode::switch_to) {
    const SwitchTable& table = function_.switches[immediate];
    for (const std::uint32_t target : table.dense) visit(target);
    for (const auto& [value, target] : table.sparse) visit(target);
    visit(table.otherwise);
  } else if (is_call(opcode)) {
    const std::uint32_t pad = function_.calls[immediate].landing_pad;
    if (pad != CallSite::kNoPad) visit(function_.pads[pad].target);
  }
}

void Liveness::find_blocks() {
  const auto count = static_cast<std::uint32_t>(function_.code.size());
  std::vector<bool> begins(count + 1);
  begins[0] = begins[count] = true;
  for (std::uint32_t i = 0; i < count; ++i) {
    bool jumps = is_jump_or_end(function_.opcodes[i]);
    each_target(i, [&](std::uint32_t target) {
      begins[target] = true;
      jumps = true;
    });
    if (jumps) begins[i + 1] = true;
  }
  const std::size_t words = (function_.slots + kBits - 1) / kBits;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (begins[i]) blocks_.push_back({i, i, Bits(words)});
    blocks_.back().end = i + 1;
  }
}

std::size_t Liveness::block_of(std::uint32_t instruction) const {
  const auto after =
      std::upper_bound(blocks_.begin(), blocks_.end(), instruction,
                       [](std::uint32_t number, const Block& block) { return number < block.begin; });
  return static_cast<std::size_t>(after - blocks_.begin()) - 1;
}

// What is live behind the block's last instruction where it does not throw.
Liveness::Bits Liveness::at_end_of(const Block& block) const {
  const std::uint32_t last = block.end - 1;
  Bits live((function_.slots + kBits - 1) / kBits);
  const auto add = [&](std::uint32_t target) {
    const Bits& other = blocks_[block_of(target)].live;
    for (std::size_t i = 0; i < live.size(); ++i) live[i] |= other[i];
  };
  const Opcode opcode = function_.opcodes[last];
  if (!is_jump_or_end(opcode) && block.end < function_.code.size()) add(block.end);
  if (!is_call(opcode)) each_target(last, add);
  return live;
}

// live: behind the instruction; becomes what is live before it.
void Liveness::step_back(std::uint32_t i, Bits& live) const {
  const Instruction& instruction = function_.code[i];
  const Opcode opcode = function_.opcodes[i];
  const Roles& roles = all_roles()[static_cast<std::size_t>(opcode)];
  const auto reads = [&](std::uint32_t slot, std::uint32_t count = 1) {
    for (std::uint32_t end = std::min(slot + count, function_.slots); slot < end; ++slot)
      live[slot / kBits] |= std::uint64_t{1} << slot % kBits;
  };
  const auto writes = [&](std::uint32_t slot, std::uint32_t count = 1) {
    for (std::uint32_t end = std::min(slot + count, function_.slots); slot < end; ++slot)
      live[slot / kBits] &= ~(std::uint64_t{1} << slot % kBits);
  };
  const auto immediate = static_cast<std::uint32_t>(instruction.immediate);
  if (roles.writes) writes(instruction.d);
  if (is_call(opcode)) {
    const CallSite& site = function_.calls[immediate];
    writes(site.result, site.results);
    if (site.landing_pad != CallSite::kNoPad) {
      const LandingPad& pad = function_.pads[site.landing_pad];
      Bits there = blocks_[block_of(pad.target)].live;
      for (const Slot slot : {pad.exception, pad.selector})
        there[slot / kBits] &= ~(std::uint64_t{1} << slot % kBits);
      for (std::size_t word = 0; word < live.size(); ++word) live[word] |= there[word];
    }
    for (const Slot slot : site.arguments) reads(slot);
  } else if (opcode == Opcode::atomic) {
    const AtomicSite& site = function_.atomics[immediate];
    const std::uint32_t wide = site.size > 8 ? 2 : 1;
    if (site.operation != Operation::store) writes(site.result, site.expected_in_memory ? 1 : wide);
    reads(site.address);
    if (site.operation != Operation::load) reads(site.value, wide);
    if (site.operation == Operation::compare_exchange) reads(site.desired, wide);
  } else if (opcode == Opcode::ret_list) {
    for (const Slot slot : function_.lists[immediate]) reads(slot);
  } else if (opcode == Opcode::quiet_exchange) {
    reads(immediate);
  }
  const std::uint32_t from_a = opcode == Opcode::element ? std::max(immediate, 1U) : 1;
  const std::uint32_t more = opcode == Opcode::compute ? 1 : 0;  // of 128 bits, and of two numbers
  if (roles.a) reads(instruction.a, from_a + more);
  if (roles.b) reads(instruction.b, 1 + more);
  if (roles.c) reads(instruction.c, 1 + more);
  if (roles.d) reads(instruction.d);
}

void Liveness::solve() {
  bool changes = true;
  while (changes) {
    changes = false;
    for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) {
      Bits live = at_end_of(*block);
      for (std::uint32_t i = block->end; i-- > block->begin;) step_back(i, live);
      if (live == block->live) continue;
      block->live = std::move(live);
      changes = true;
    }
  }
}

const std::vector<Slot>& Liveness::before(std::uint32_t instruction) {
  const auto [found, is_new] = known_.try_emplace(instruction);
  if (!is_new) return found->second;
  const Block& block = blocks_[block_of(instruction)];
  Bits live = at_end_of(block);
  for (std::uint32_t i = block.end; i-- > instruction;) step_back(i, live);
  for (std::uint32_t word = 0; word < live.size(); ++word) {
    for (std::uint64_t bits = live[word]; bits != 0; bits &= bits - 1)
      found->second.push_back(
          static_cast<Slot>(word * kBits + static_cast<unsigned>(std::countr_zero(bits))));
  }
  return found->second;
}

}  // namespace thrum::vm
