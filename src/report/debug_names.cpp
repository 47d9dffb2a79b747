// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tested by symbolizer_test.cpp.
#include "report/debug_names.hpp"

#include <cxxabi.h>
#include <dwarf.h>

#include <cstdlib>
#include <string_view>

namespace thrum {

std::string demangle(const char* name) {
  if (!std::string_view(name).starts_with("_Z"))
    return name;  // else the variable `x` would be taken for the type long
  int status = 0;
  char* text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string result = status == 0 ? text : name;
  std::free(text);
  return result;
}

std::string function_name(Dwarf_Die* die) {
  Dwarf_Attribute attribute;
  for (unsigned kind : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name}) {
    const char* mangled = dwarf_formstring(dwarf_attr_integrate(die, kind, &attribute));
    if (mangled != nullptr) return short_function_name(demangle(mangled));
  }
  const char* plain = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &attribute));
  return plain ? plain : "";
}

bool is_function(Dwarf_Die* die) {
  int tag = dwarf_tag(die);
  return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

// Cuts what stands in brackets and the argument list, then everything before the last word outside of them.
std::string short_function_name(const std::string& demangled) {
  std::string name;
  int angles = 0;
  for (std::size_t i = 0; i < demangled.size(); ++i) {
    char c = demangled[i];
    bool is_operator = name.ends_with("operator") || name.ends_with("operator<") ||
                       name.ends_with("operator>") || name.ends_with("operator-");
    if (is_operator && (c == '<' || c == '>' || c == '-' || c == '=')) {
      name += c;
    } else if (is_operator && demangled.compare(i, 2, "()") == 0) {
      name += "()";
      ++i;
    } else if (c == '<') {
      if (angles++ == 0) name += "<>";
    } else if (c == '>') {
      --angles;
    } else if (angles == 0) {
      name += c;
    }
  }
  // "(anonymous namespace)" and "{lambda()#1}" are part of the name; the last parentheses outside of braces
  // begin the arguments.
  std::size_t cut = std::string::npos;
  int braces = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '{') ++braces;
    if (name[i] == '}') --braces;
    if (braces == 0 && name[i] == '(' && i > 0 && name.compare(i, 21, "(anonymous namespace)") != 0 &&
        !(i >= 8 && name.compare(i - 8, 10, "operator()") == 0)) {
      cut = i;
      // A local entity: "f(int)::local": its function's arguments go, the rest stays.
      std::size_t end = name.find(')', i);
      if (end != std::string::npos && name.compare(end + 1, 2, "::") == 0) {
        name.erase(i, end + 1 - i);
        cut = std::string::npos;
        --i;
        continue;
      }
      break;
    }
  }
  name = name.substr(0, cut);
  std::size_t space = std::string::npos;
  braces = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '{' || name[i] == '(') ++braces;
    if (name[i] == '}' || name[i] == ')') --braces;
    if (braces == 0 && name[i] == ' ' && !name.substr(0, i).ends_with("operator")) space = i;
  }
  return space == std::string::npos ? name : name.substr(space + 1);
}

}  // namespace thrum
