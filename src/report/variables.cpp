// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tested by symbolizer_test.cpp.
#include "report/variables.hpp"

#include <dwarf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "report/source_lines.hpp"

namespace thrum {

namespace {

constexpr int kDepthMax = 32;  // of types within types
constexpr unsigned kStackPointer = 7;
constexpr unsigned kBasePointer = 6;

bool is_class(int tag) {
  return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

std::optional<std::uint64_t> number_of(Dwarf_Die* die, unsigned attribute) {
  Dwarf_Attribute memory;
  Dwarf_Word value = 0;
  if (dwarf_formudata(dwarf_attr_integrate(die, attribute, &memory), &value) != 0) return std::nullopt;
  return value;
}

// The type that a variable, member or other type names, without what only qualifies it.
bool type_of(Dwarf_Die* die, Dwarf_Die* type) {
  Dwarf_Attribute memory;
  Dwarf_Die at = *die;
  for (int i = 0; i < kDepthMax; ++i) {
    if (!dwarf_formref_die(dwarf_attr_integrate(&at, DW_AT_type, &memory), type)) return false;
    switch (dwarf_tag(type)) {
      case DW_TAG_typedef:
      case DW_TAG_const_type:
      case DW_TAG_volatile_type:
      case DW_TAG_atomic_type:
      case DW_TAG_restrict_type: at = *type; break;
      default: return true;
    }
  }
  return false;
}

std::uint64_t size_of(Dwarf_Die* type) {
  Dwarf_Word size = 0;
  return dwarf_aggregate_size(type, &size) == 0 ? size : 0;
}

std::string_view name_of(Dwarf_Die* die) {
  const char* name = dwarf_diename(die);
  return name ? name : "";
}

bool is_of_system(Dwarf_Die* type) {
  const char* file = dwarf_decl_file(type);
  return file != nullptr && is_system_path(file);
}

// Calls visit(child) until it returns true.
template <typename Visit>
bool any_child(Dwarf_Die* parent, Visit visit) {
  Dwarf_Die child;
  if (dwarf_child(parent, &child) != 0) return false;
  do {
    if (visit(&child)) return true;
  } while (dwarf_siblingof(&child, &child) == 0);
  return false;
}

// Walks down from a type to the part that an access touched.
class PartWalk {
 public:
  PartWalk(std::uint64_t offset, std::uint32_t size) : offset_(offset), size_(size) {}

  std::string run(Dwarf_Die type) {
    for (int depth = 0; depth < kDepthMax && step(&type); ++depth) {
    }
    if (offset_ != 0) text_ += fmt::format("+{}", offset_);
    return std::move(text_);
  }

 private:
  // One level further down; false where there is none.
  bool step(Dwarf_Die* type) {
    int tag = dwarf_tag(type);
    if (size_ == kPointer && offset_ == 0) return false;
    if (tag == DW_TAG_array_type) return enter_array(type);
    return is_class(tag) && enter_class(type);
  }

  bool enter_array(Dwarf_Die* type) {
    Dwarf_Die element;
    if (!type_of(type, &element)) return false;
    std::vector<std::uint64_t> counts;
    any_child(type, [&](Dwarf_Die* range) {
      if (dwarf_tag(range) != DW_TAG_subrange_type) return false;
      std::optional<std::uint64_t> count = number_of(range, DW_AT_count);
      if (!count) {
        if (auto bound = number_of(range, DW_AT_upper_bound)) count = *bound + 1;
      }
      counts.push_back(count.value_or(0));
      return false;
    });
    std::uint64_t size = size_of(&element);
    if (size == 0 || counts.empty()) return false;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      std::uint64_t stride = size;
      for (std::size_t k = i + 1; k < counts.size(); ++k) stride *= counts[k];
      if (stride == 0) return false;
      text_ += fmt::format("[{}]", offset_ / stride);
      offset_ %= stride;
    }
    *type = element;
    return true;
  }

  bool enter_class(Dwarf_Die* type) {
    if (dwarf_hasattr(type, DW_AT_declaration)) return false;
    const bool is_theirs = is_of_system(type);
    std::optional<Dwarf_Die> best;
    std::uint64_t best_begin = 0;
    int members = 0;
    any_child(type, [&](Dwarf_Die* child) {
      int tag = dwarf_tag(child);
      if (tag != DW_TAG_member && tag != DW_TAG_inheritance) return false;
      std::optional<std::uint64_t> begin = position(type, child);
      Dwarf_Die its;
      if (!begin || !type_of(child, &its)) return false;
      ++members;
      std::uint64_t end = *begin + std::max<std::uint64_t>(size_of(&its), 1);
      if (offset_ < *begin || offset_ >= end || !may_enter(is_theirs, tag, name_of(child))) return false;
      // Of several (an empty base class, a union) the one that is as large as the access.
      bool fits = size_of(&its) == size_;
      if (best && !fits) return false;
      best = *child;
      best_begin = *begin;
      return fits;
    });
    bool is_whole = size_ != 0 && size_ == size_of(type) && offset_ == 0 && members > 1;
    if (!best || is_whole) return false;
    std::string_view name = name_of(&*best);
    if (dwarf_tag(&*best) == DW_TAG_member && !name.empty() && !is_theirs_only(is_theirs, name))
      text_ += fmt::format(".{}", name);
    offset_ -= best_begin;
    return type_of(&*best, type);
  }

  // Where a member or base class begins; nothing for static members.
  static std::optional<std::uint64_t> position(Dwarf_Die* type, Dwarf_Die* member) {
    if (auto begin = number_of(member, DW_AT_data_member_location)) return begin;
    if (auto bit = number_of(member, DW_AT_data_bit_offset)) return *bit / 8;
    std::optional<std::uint64_t> begin;
    const bool is_static = dwarf_hasattr(member, DW_AT_external) || dwarf_hasattr(member, DW_AT_declaration);
    if (!is_static && dwarf_tag(type) == DW_TAG_union_type) begin = 0;
    return begin;
  }

  // The elements of std::array are its own; of the other classes of the library only what everybody may name
  // is told: the first and second of a pair.
  static bool is_theirs_only(bool is_theirs, std::string_view name) {
    return is_theirs && name == "_M_elems";
  }
  static bool may_enter(bool is_theirs, int tag, std::string_view name) {
    if (!is_theirs) return true;
    return name == "_M_elems" || (tag == DW_TAG_member && !name.empty() && !name.starts_with('_'));
  }

  std::uint64_t offset_;
  std::uint32_t size_;
  std::string text_;
};

// Where a variable lies in a frame; nothing where it is in a register or the debug information does not tell.
std::optional<Dwarf_Addr> evaluate(const Dwarf_Op& op, const FrameRegisters& frame,
                                   std::optional<Dwarf_Addr> frame_base) {
  auto offset = static_cast<Dwarf_Sword>(op.number);
  auto plus = [&](Dwarf_Addr base) { return base + static_cast<Dwarf_Addr>(offset); };
  switch (op.atom) {
    case DW_OP_fbreg: return frame_base ? std::optional<Dwarf_Addr>(plus(*frame_base)) : std::nullopt;
    case DW_OP_call_frame_cfa: return frame.end;
    case DW_OP_reg0 + kBasePointer: return frame.base_pointer;
    case DW_OP_reg0 + kStackPointer: return frame.stack_pointer;
    case DW_OP_breg0 + kBasePointer: return plus(frame.base_pointer);
    case DW_OP_breg0 + kStackPointer: return plus(frame.stack_pointer);
    default: return std::nullopt;
  }
}

// Where a variable begins by an expression for it, or for pieces of it of which one lies in the frame.
std::optional<Dwarf_Addr> beginning(std::span<const Dwarf_Op> operations, const FrameRegisters& frame,
                                    std::optional<Dwarf_Addr> frame_base) {
  if (operations.size() == 1) return evaluate(operations[0], frame, frame_base);
  Dwarf_Addr before = 0;  // the sizes of the pieces so far
  std::size_t first = 0;  // of this piece
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (operations[i].atom != DW_OP_piece) continue;
    std::span<const Dwarf_Op> piece = operations.subspan(first, i - first);
    bool is_plain = piece.size() == 1 || (piece.size() == 2 && piece[1].atom == DW_OP_plus_uconst);
    bool in_register = !piece.empty() && piece[0].atom >= DW_OP_reg0 && piece[0].atom <= DW_OP_reg31;
    std::optional<Dwarf_Addr> address;
    if (is_plain && !in_register) address = evaluate(piece[0], frame, frame_base);
    if (address) return *address + (piece.size() == 2 ? piece[1].number : 0) - before;
    before += operations[i].number;
    first = i + 1;
  }
  return std::nullopt;
}

std::optional<Dwarf_Addr> frame_base_of(Dwarf_Die* function, Dwarf_Addr pc, const FrameRegisters& frame) {
  Dwarf_Attribute attribute;
  Dwarf_Op* operations = nullptr;
  std::size_t length = 0;
  int found = dwarf_getlocation_addr(dwarf_attr_integrate(function, DW_AT_frame_base, &attribute), pc,
                                     &operations, &length, 1);
  return found == 1 && length == 1 ? evaluate(operations[0], frame, std::nullopt) : std::nullopt;
}

// Where a variable whose address somebody has lies in its frame. Such a variable has one place as long as its
// function runs, though a compiler may know better for some stretches of it; so the first place given will
// do.
std::optional<Dwarf_Addr> home_of(Dwarf_Die* variable, const FrameRegisters& frame,
                                  std::optional<Dwarf_Addr> frame_base) {
  Dwarf_Attribute memory;
  Dwarf_Attribute* attribute = dwarf_attr_integrate(variable, DW_AT_location, &memory);
  if (attribute == nullptr) return std::nullopt;
  std::ptrdiff_t offset = 0;
  Dwarf_Addr base = 0;
  Dwarf_Addr begin = 0;
  Dwarf_Addr end = 0;
  Dwarf_Op* operations = nullptr;
  std::size_t length = 0;
  while ((offset = dwarf_getlocations(attribute, offset, &base, &begin, &end, &operations, &length)) > 0) {
    bool in_register = length == 1 && operations[0].atom >= DW_OP_reg0 && operations[0].atom <= DW_OP_reg31;
    if (in_register) continue;
    if (auto home = beginning({operations, length}, frame, frame_base)) return home;
  }
  return std::nullopt;
}

}  // namespace

Dwarf_Die* Globals::at(Dwarf* dwarf, Dwarf_Addr address) {
  if (!read_) read(dwarf);
  auto found = variables_.find(address);
  return found == variables_.end() ? nullptr : &found->second;
}

void Globals::read(Dwarf* dwarf) {
  read_ = true;
  Dwarf_CU* unit = nullptr;
  Dwarf_Die die;
  std::uint8_t kind = 0;
  while (dwarf_get_units(dwarf, unit, &unit, nullptr, &kind, &die, nullptr) == 0) {
    if (kind == DW_UT_compile || kind == DW_UT_partial || kind == 0) visit(&die);
  }
}

// Variables stand in units, namespaces and, where they are static there, in functions and their blocks.
void Globals::visit(Dwarf_Die* parent) {
  any_child(parent, [&](Dwarf_Die* child) {
    switch (dwarf_tag(child)) {
      case DW_TAG_namespace:
      case DW_TAG_subprogram:
      case DW_TAG_lexical_block:
      case DW_TAG_inlined_subroutine: visit(child); break;
      case DW_TAG_variable: {
        Dwarf_Attribute attribute;
        Dwarf_Op* operations = nullptr;
        std::size_t length = 0;
        bool has_place =
            dwarf_getlocation(dwarf_attr(child, DW_AT_location, &attribute), &operations, &length) == 0;
        if (!has_place || length != 1) break;
        Dwarf_Addr address = operations[0].number;
        bool is_listed = operations[0].atom == DW_OP_addrx || operations[0].atom == DW_OP_GNU_addr_index;
        if (is_listed) {
          Dwarf_Attribute listed;
          if (dwarf_getlocation_attr(&attribute, operations, &listed) != 0 ||
              dwarf_formaddr(&listed, &address) != 0)
            break;
        }
        if (is_listed || operations[0].atom == DW_OP_addr) variables_.emplace(address, *child);
        break;
      }
      default: break;
    }
    return false;
  });
}

std::string part_name(Dwarf_Die* variable, std::uint64_t offset, std::uint32_t size) {
  Dwarf_Die type;
  if (!type_of(variable, &type)) return offset == 0 ? "" : fmt::format("+{}", offset);
  return PartWalk(offset, size).run(type);
}

std::optional<Local> find_local(Dwarf_Die* scopes, int count, Dwarf_Addr pc, const FrameRegisters& frame,
                                Dwarf_Addr address, std::uint32_t size) {
  if (count == 0) return std::nullopt;
  std::optional<Dwarf_Addr> base = frame_base_of(&scopes[count - 1], pc, frame);
  std::optional<Local> local;
  for (int i = 0; i < count && !local; ++i) {
    any_child(&scopes[i], [&](Dwarf_Die* child) {
      int tag = dwarf_tag(child);
      if (tag != DW_TAG_variable && tag != DW_TAG_formal_parameter) return false;
      std::optional<Dwarf_Addr> begin = home_of(child, frame, base);
      Dwarf_Die type;
      if (!begin || !type_of(child, &type) || name_of(child).empty()) return false;
      if (address < *begin || address - *begin >= std::max<std::uint64_t>(size_of(&type), 1)) return false;
      local = Local{std::string(name_of(child)) + part_name(child, address - *begin, size), i};
      return true;
    });
  }
  return local;
}

}  // namespace thrum
