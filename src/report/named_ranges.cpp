// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tested by tests/endtoend/best_first_test.cpp.
#include "report/named_ranges.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <algorithm>
#include <string_view>

#include "report/debug_names.hpp"

namespace thrum {

namespace {

char* g_debug_path = nullptr;
const Dwfl_Callbacks kCallbacks = {dwfl_build_id_find_elf, dwfl_build_id_find_debuginfo,
                                   dwfl_offline_section_address, &g_debug_path};

// Without template brackets, whose insides a short name does not have.
std::string without_brackets(std::string name) {
  for (std::size_t at; (at = name.find("<>")) != std::string::npos;) name.erase(at, 2);
  return name;
}

class Wanted {
 public:
  explicit Wanted(const std::string& name) : name_(without_brackets(short_function_name(name))) {}

  bool is(const std::string& short_name) const {
    std::string whole = without_brackets(short_name);
    if (name_.empty() || !whole.ends_with(name_)) return false;
    return whole.size() == name_.size() ||
           std::string_view(whole).substr(0, whole.size() - name_.size()).ends_with("::");
  }

 private:
  std::string name_;
};

// An executable, and the search for what has a name in it.
class Executable {
 public:
  Executable(const std::string& path, const std::string& name) : wanted_(name) {
    session_ = dwfl_begin(&kCallbacks);
    if (session_ == nullptr) return;
    module_ = dwfl_report_offline(session_, path.c_str(), path.c_str(), -1);
    dwfl_report_end(session_, nullptr, nullptr);
    if (module_ != nullptr && dwfl_module_getelf(module_, &bias_) == nullptr) module_ = nullptr;
  }
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;
  ~Executable() {
    if (session_ != nullptr) dwfl_end(session_);
  }

  // type: of the symbols, such as STT_FUNC.
  void add_symbols(unsigned char type) {
    int count = module_ != nullptr ? dwfl_module_getsymtab(module_) : 0;
    for (int i = 0; i < count; ++i) {
      GElf_Sym symbol;
      GElf_Addr address = 0;
      GElf_Word section = 0;
      const char* name = dwfl_module_getsym_info(module_, i, &symbol, &address, &section, nullptr, nullptr);
      if (name == nullptr || section == SHN_UNDEF || GELF_ST_TYPE(symbol.st_info) != type) continue;
      // Tables of virtual functions, guards of variables: the compiler's own, named after others.
      std::string_view mangled = name;
      if (mangled.starts_with("_ZT") || mangled.starts_with("_ZGV")) continue;
      if (symbol.st_size != 0 && wanted_.is(short_function_name(demangle(name))))
        add(address - bias_, address - bias_ + symbol.st_size);
    }
  }

  void add_functions_of_debug_information() {
    Dwarf_Die* unit = nullptr;
    Dwarf_Addr unit_bias = 0;
    while (module_ != nullptr && (unit = dwfl_module_nextcu(module_, unit, &unit_bias)) != nullptr)
      visit(unit, unit_bias);
  }

  std::vector<OffsetRange> take() {
    std::sort(found_.begin(), found_.end(),
              [](const OffsetRange& a, const OffsetRange& b) { return a.begin < b.begin; });
    found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
    return std::move(found_);
  }

 private:
  void visit(Dwarf_Die* parent, Dwarf_Addr unit_bias) {
    Dwarf_Die die;
    if (dwarf_child(parent, &die) != 0) return;
    do {
      if (is_function(&die) && dwarf_hasattr(&die, DW_AT_declaration) == 0 && wanted_.is(function_name(&die)))
        add_code(&die, unit_bias);
      visit(&die, unit_bias);
    } while (dwarf_siblingof(&die, &die) == 0);
  }

  void add_code(Dwarf_Die* die, Dwarf_Addr unit_bias) {
    Dwarf_Addr base = 0;
    Dwarf_Addr begin = 0;
    Dwarf_Addr end = 0;
    for (std::ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &begin, &end)) > 0;)
      add(begin + unit_bias - bias_, end + unit_bias - bias_);
  }

  void add(std::uint64_t begin, std::uint64_t end) {
    if (begin < end) found_.push_back({begin, end});
  }

  Wanted wanted_;
  Dwfl* session_ = nullptr;
  Dwfl_Module* module_ = nullptr;
  Dwarf_Addr bias_ = 0;  // the session's addresses less the file's own
  std::vector<OffsetRange> found_;
};

}  // namespace

std::vector<OffsetRange> ranges_of_function(const std::string& executable, const std::string& name) {
  Executable file(executable, name);
  file.add_symbols(STT_FUNC);
  file.add_functions_of_debug_information();
  return file.take();
}

std::vector<OffsetRange> ranges_of_variable(const std::string& executable, const std::string& name) {
  Executable file(executable, name);
  file.add_symbols(STT_OBJECT);
  return file.take();
}

}  // namespace thrum
