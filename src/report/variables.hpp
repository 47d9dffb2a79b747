// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables and their parts, from DWARF: which variable lies at an address, and what the part of it is called
// that an access touched: "queue.slots[2].full".
//
// The standard library's own classes are not taken apart: what is inside of a std::mutex is the mutex.
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace thrum {

// The variables of static storage duration of one module. Thread safety: none.
class Globals {
 public:
  // The variable that begins at an address as the file counts them; nullptr where there is none.
  Dwarf_Die* at(Dwarf* dwarf, Dwarf_Addr address);

 private:
  void read(Dwarf* dwarf);
  void visit(Dwarf_Die* parent);

  bool read_ = false;
  std::map<Dwarf_Addr, Dwarf_Die> variables_;
};

// As a size: of no access, the address itself. What begins there is then named as a whole.
inline constexpr std::uint32_t kPointer = ~std::uint32_t{0};

// What is added to a variable's name for an access of `size` bytes, `offset` bytes behind its beginning; size
// 0: a synchronization object. ".head", "[2].next"; "+8" where the type does not tell.
std::string part_name(Dwarf_Die* variable, std::uint64_t offset, std::uint32_t size);

// The registers of a function's frame, as addresses of one address space.
struct FrameRegisters {
  Dwarf_Addr stack_pointer;
  Dwarf_Addr base_pointer;
  Dwarf_Addr end;  // the canonical frame address
};

struct Local {
  std::string name;  // with the part
  int scope = 0;     // which of the scopes it stands in
};

// The variable that holds the address, of the function around pc and of those inlined in it. scopes:
// innermost first, up to the function. Nothing where there is none.
std::optional<Local> find_local(Dwarf_Die* scopes, int count, Dwarf_Addr pc, const FrameRegisters& frame,
                                Dwarf_Addr address, std::uint32_t size);

}  // namespace thrum
