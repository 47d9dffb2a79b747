// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tested by symbolizer_test.cpp.
#include "report/symbolizer.hpp"

#include "report/debug_names.hpp"
#include "report/nested_functions.hpp"
#include "report/source_lines.hpp"
#include "report/variables.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string_view>

namespace thrum {

namespace {

// Debug information is looked for in the file itself and on this machine only, never over the network.
char* g_debug_path = nullptr;
const Dwfl_Callbacks kCallbacks = {dwfl_build_id_find_elf, dwfl_build_id_find_debuginfo,
                                   dwfl_offline_section_address, &g_debug_path};

// Compilers write the way that they came: "/usr/bin/../lib/...".
std::string normal_path(const char* path) {
  return path ? std::filesystem::path(path).lexically_normal().string() : std::string();
}

// The compilation unit of an address; nullptr: there is none. clang writes no table of address ranges;
// without it each unit is asked.
Dwarf_Die* find_unit(Dwfl_Module* module, Dwarf_Addr address, Dwarf_Addr* bias) {
  if (Dwarf_Die* unit = dwfl_module_addrdie(module, address, bias)) return unit;
  Dwarf_Die* unit = nullptr;
  while ((unit = dwfl_module_nextcu(module, unit, bias)) != nullptr) {
    if (dwarf_haspc(unit, address - *bias) == 1) return unit;
  }
  return nullptr;
}

// The scopes around an address as they are nested in the code, inlined functions within their callers. (What
// dwarf_getscopes() itself returns leads from an inlined function to where it was defined.) The caller frees
// *scopes.
int scopes_around(Dwarf_Die* unit, Dwarf_Addr address, NestedFunctions& nested, Dwarf_Die** scopes) {
  Dwarf_Die* lexical = nullptr;
  const int count = dwarf_getscopes(unit, address, &lexical);
  Dwarf_Die innermost = count > 0 ? lexical[0] : *unit;
  const bool has_function = count > 0 && std::any_of(lexical, lexical + count, [](Dwarf_Die& scope) {
                              return dwarf_tag(&scope) == DW_TAG_subprogram;
                            });
  std::free(lexical);
  if (!has_function) {
    const std::optional<Dwarf_Die> scope = nested.scope_at(unit, address);
    if (!scope && count <= 0) return 0;
    innermost = scope.value_or(innermost);
  }
  return dwarf_getscopes_die(&innermost, scopes);
}

// The body of a lambda has a name of the compiler's own making, and in g++'s debug information none at all.
bool is_lambda(const std::string& function) {
  constexpr std::string_view kCall = "::operator()";
  return function == "operator()" ||
         (function.ends_with(kCall) &&
          (function.find("{lambda(") != std::string::npos || function.find("$_") != std::string::npos));
}

// Where an inlined function was called.
SourceLine call_site(Dwarf_Die* inlined, Dwarf_Die* unit) {
  SourceLine line;
  Dwarf_Attribute attribute;
  Dwarf_Word number = 0;
  if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &number) == 0) {
    line.line = static_cast<std::uint32_t>(number);
  }
  Dwarf_Files* files = nullptr;
  std::size_t count = 0;
  if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &number) == 0 &&
      dwarf_getsrcfiles(unit, &files, &count) == 0 && number < count) {
    const char* file = dwarf_filesrc(files, number, nullptr, nullptr);
    line.file = normal_path(file);
  }
  return line;
}

}  // namespace

// As the program names a variable, from the name that the linker knows.
std::string variable_name(const char* name) {
  std::string text = demangle(name);
  constexpr std::string_view kGuard = "guard variable for ";
  text = text.starts_with(kGuard) ? std::string(kGuard) + short_function_name(text.substr(kGuard.size()))
                                  : short_function_name(text);
  constexpr std::string_view kUnnamed = "(anonymous namespace)::";
  if (std::size_t at = text.find(kUnnamed); at != std::string::npos) text.erase(at, kUnnamed.size());
  constexpr std::string_view kInsideLibrary = "std::__";
  if (text.starts_with(kInsideLibrary)) text = "std's own " + text.substr(text.rfind(':') + 1);
  return text;
}

std::string with_offset(const std::string& name, std::uint64_t offset) {
  return offset == 0 ? name : fmt::format("{}+{}", name, offset);
}

struct Symbolizer::Library {
  Dwfl* session = nullptr;
  Dwfl_Module* module = nullptr;
  Dwarf_Addr bias = 0;  // the session's addresses less the file's own
  Globals globals;
  NestedFunctions nested;
  // Of the system's own libraries the symbols alone are read: reports show none of their lines, and the debug
  // information of libc takes a quarter of a second.
  bool has_lines = true;
  std::map<std::uint64_t, std::vector<SourceLine>> lines;  // by return address
  // By name: where it lies, as the file counts; nothing: several have that name.
  std::map<std::string, std::optional<std::uint64_t>> variables;

  explicit Library(const std::string& path) : has_lines(!is_system_path(path)) {
    session = dwfl_begin(&kCallbacks);
    if (session == nullptr) return;
    module = dwfl_report_offline(session, path.c_str(), path.c_str(), -1);
    dwfl_report_end(session, nullptr, nullptr);
    if (module == nullptr || dwfl_module_getelf(module, &bias) == nullptr) module = nullptr;
  }
  ~Library() {
    if (session != nullptr) dwfl_end(session);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  std::vector<SourceLine> lines_at(std::uint64_t return_offset);
  const std::uint64_t* variable_at(const std::string& name);
};

const std::uint64_t* Symbolizer::Library::variable_at(const std::string& name) {
  if (variables.empty()) {
    const int count = dwfl_module_getsymtab(module);
    for (int i = 1; i < count; ++i) {
      GElf_Sym symbol;
      GElf_Addr address = 0;
      const char* own = dwfl_module_getsym_info(module, i, &symbol, &address, nullptr, nullptr, nullptr);
      if (own == nullptr || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT) continue;
      const auto [entry, is_new] = variables.try_emplace(own, address - bias);
      if (!is_new && entry->second != address - bias) entry->second.reset();
    }
  }
  const auto found = variables.find(name);
  return found != variables.end() && found->second ? &*found->second : nullptr;
}

Symbolizer::Symbolizer() = default;
Symbolizer::~Symbolizer() = default;

Symbolizer::Library* Symbolizer::open(const std::string& module) {
  std::unique_ptr<Library>& library = libraries_[module];
  if (!library) library = std::make_unique<Library>(module);
  return library->module ? library.get() : nullptr;
}

const std::vector<SourceLine>& Symbolizer::code(const std::string& module, std::uint64_t return_offset) {
  static const std::vector<SourceLine> kNone;
  Library* library = open(module);
  if (library == nullptr || return_offset == 0) return kNone;
  auto [entry, is_new] = library->lines.try_emplace(return_offset);
  if (!is_new) return entry->second;
  entry->second = library->lines_at(return_offset);
  for (SourceLine& line : entry->second) {
    if (!is_system_path(line.file)) line.text = sources_.text(line.file, line.line);
  }
  return entry->second;
}

std::vector<SourceLine> Symbolizer::Library::lines_at(std::uint64_t return_offset) {
  std::vector<SourceLine> result;
  Dwarf_Addr address = return_offset - 1 + bias;
  SourceLine at;  // of the function that comes next, from the inside out
  Dwarf_Addr unit_bias = 0;
  Dwarf_Die* unit = has_lines ? find_unit(module, address, &unit_bias) : nullptr;
  if (Dwarf_Line* line = unit ? dwarf_getsrc_die(unit, address - unit_bias) : nullptr) {
    int number = 0;
    dwarf_lineno(line, &number);
    const char* file = dwarf_linesrc(line, nullptr, nullptr);
    at.file = normal_path(file);
    at.line = static_cast<std::uint32_t>(number);
  }
  Dwarf_Die* scopes = nullptr;
  int count = unit ? scopes_around(unit, address - unit_bias, nested, &scopes) : 0;
  for (int i = 0; i < count; ++i) {
    if (!is_function(&scopes[i])) continue;
    at.function = function_name(&scopes[i]);
    if (is_lambda(at.function)) at.function = "lambda";
    int declared = 0;
    if (at.line == 0 && dwarf_decl_line(&scopes[i], &declared) == 0)  // of code that the compiler made up
      at.line = static_cast<std::uint32_t>(declared);
    result.push_back(at);
    if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram) break;
    at = call_site(&scopes[i], unit);
  }
  std::free(scopes);
  if (result.empty()) {
    const char* name = dwfl_module_addrname(module, address);
    at.function = name ? short_function_name(demangle(name)) : "";
    if (!at.function.empty() || !at.file.empty()) result.push_back(at);
  }
  return result;
}

std::string Symbolizer::data(const std::string& module, std::uint64_t offset, std::uint32_t size) {
  Library* library = open(module);
  if (library == nullptr) return "";
  GElf_Off inside = 0;
  GElf_Sym symbol;
  const char* name = dwfl_module_addrinfo(library->module, offset + library->bias, &inside, &symbol, nullptr,
                                          nullptr, nullptr);
  if (name == nullptr || (inside >= symbol.st_size && inside != 0)) return "";
  const std::string text = variable_name(name);
  Dwarf_Addr bias = 0;
  Dwarf* dwarf = library->has_lines ? dwfl_module_getdwarf(library->module, &bias) : nullptr;
  Dwarf_Die* variable = dwarf ? library->globals.at(dwarf, offset + library->bias - inside - bias) : nullptr;
  if (variable != nullptr) return text + part_name(variable, inside, size);
  return with_offset(text, inside);
}

std::string Symbolizer::variable(const std::string& module, const std::string& name, std::uint64_t inside,
                                 std::uint32_t size) {
  Library* library = open(module);
  const std::uint64_t* offset = library != nullptr ? library->variable_at(name) : nullptr;
  const std::string whole = offset != nullptr ? data(module, *offset + inside, size) : "";
  return whole.empty() ? with_offset(variable_name(name.c_str()), inside) : whole;
}

SourceLine Symbolizer::line(const CodeLine& line) {
  SourceLine result{short_function_name(demangle(line.function.c_str())), normal_path(line.file.c_str()),
                    line.line};
  if (is_lambda(result.function)) result.function = "lambda";
  if (!is_system_path(result.file)) result.text = sources_.text(result.file, result.line);
  return result;
}

std::string Symbolizer::local(const std::string& module, const StackFrame& frame, std::uint64_t distance,
                              std::uint32_t size) {
  constexpr Dwarf_Addr kTop = Dwarf_Addr{1} << 46;  // of a stack: anywhere
  Library* library = open(module);
  if (library == nullptr) return "";
  Dwarf_Addr address = frame.code.offset - 1 + library->bias;
  Dwarf_Addr bias = 0;
  Dwarf_Die* unit = library->has_lines ? find_unit(library->module, address, &bias) : nullptr;
  Dwarf_Die* scopes = nullptr;
  int count = unit ? scopes_around(unit, address - bias, library->nested, &scopes) : 0;
  int functions = 0;  // as far as the function itself
  while (functions < count && dwarf_tag(&scopes[functions]) != DW_TAG_subprogram) ++functions;
  functions = std::min(functions + 1, count);
  FrameRegisters registers{kTop - frame.stack_pointer, kTop - frame.base_pointer, kTop - frame.end};
  std::optional<Local> local =
      find_local(scopes, functions, address - bias, registers, kTop - distance, size);
  std::string name;
  if (local) {
    int function = local->scope;
    while (function + 1 < functions && !is_function(&scopes[function])) ++function;
    std::string of = function_name(&scopes[function]);
    if (is_lambda(of)) of = "lambda";
    name = of + "::" + local->name;
  }
  std::free(scopes);
  return name;
}

namespace {

// Of an interpreted program: no function is longer, and their begins are multiples of it.
constexpr std::uint64_t kFunctionSizeMax = std::uint64_t{1} << 20;

// Names the places of one trace file.
class Namer {
 public:
  Namer(TraceFile& file, const ProgramNames& names) : file_(file), names_(names) {}

  void run() {
    const Trace& trace = file_.trace;
    for (std::size_t i = 0; i < trace.details.places.size(); ++i)
      name_all(trace.details.places[i], i < trace.events.size() ? trace.events[i].size : 0);
    for (const EventPlaces& places : trace.details.waiter_places) name_all(places, 0);
    for (const EventPlaces& places : trace.details.other_places) name_all(places, 0);
    for (std::size_t i = 0; i < trace.details.access_places.size(); ++i)
      name_all(trace.details.access_places[i],
               i < trace.failure.accesses.size() ? trace.failure.accesses[i].size : 0);
    for (const HeapBlock& block : trace.details.blocks) name_stack(block.allocated);
    for (const LostBlocks& lost : trace.details.lost) name_stack(lost.stack);
    name_stack(trace.details.failure_stack);
  }

 private:
  // The path of a place's module; nullptr: it lies in none that is known.
  const std::string* module_of(const Place& place) const {
    const bool is_known = place.space == Place::Space::module && place.owner < file_.modules.size();
    return is_known ? &file_.modules[place.owner] : nullptr;
  }

  bool is_interpreted(const Place& place) const {
    return !names_.empty() && place.space == Place::Space::module && place.owner == 0;
  }

  std::vector<SourceLine> code_lines(const std::string& module, const Place& place) const {
    if (!is_interpreted(place)) return symbolizer().code(module, place.offset);
    std::vector<SourceLine> lines;
    const auto found = std::ranges::lower_bound(names_.code, place.offset, {}, &NamedCode::offset);
    if (found == names_.code.end() || found->offset != place.offset) return lines;
    for (const CodeLine& line : found->lines) lines.push_back(symbolizer().line(line));
    return lines;
  }

  std::string data_name(const std::string& module, const Place& place, std::uint32_t size) const {
    if (!is_interpreted(place)) return symbolizer().data(module, place.offset, size);
    const auto behind = std::ranges::upper_bound(names_.data, place.offset, {}, &NamedData::offset);
    if (behind == names_.data.begin()) return "";
    const NamedData& variable = *std::prev(behind);
    const std::uint64_t inside = place.offset - variable.offset;
    if (inside >= variable.size && inside != 0) return "";
    return symbolizer().variable(module, variable.name, inside, size);
  }

  std::string interpreted_local(const StackFrame& frame, const Place& place) const {
    const std::uint64_t distance = place.offset - frame.end;
    for (const NamedLocal& local : names_.locals) {
      const bool is_of_function =
          frame.code.offset > local.function && frame.code.offset - local.function <= kFunctionSizeMax;
      if (!is_of_function || distance > local.distance || local.distance - distance >= local.size) continue;
      const SourceLine of = symbolizer().line({local.of, "", 0});
      return with_offset(of.function + "::" + local.name, local.distance - distance);
    }
    return "";
  }

  // The variable at a place on a stack; empty where none is known.
  std::string local_at(const Place& place, std::uint32_t size) const {
    const std::vector<StackFrame>& frames = file_.trace.details.frames;
    if (place.space != Place::Space::stack || place.number == 0 || place.number > frames.size()) return "";
    const StackFrame& frame = frames[place.number - 1];
    const std::string* module = module_of(frame.code);
    if (is_interpreted(frame.code)) return interpreted_local(frame, place);
    return module ? symbolizer().local(*module, frame, place.offset, size) : "";
  }

  void name_pointer(const Place& place) {
    name_data(place, 0);  // in case that it is the second object of an event
    if (file_.symbols.pointers.contains(place)) return;
    const std::string* module = module_of(place);
    std::string name = module ? data_name(*module, place, kPointer) : local_at(place, kPointer);
    if (!name.empty()) file_.symbols.pointers[place] = std::move(name);
  }

  void name_data(const Place& place, std::uint32_t size) {
    Symbols& symbols = file_.symbols;
    const std::string* module = module_of(place);
    if (module && !symbols.data.contains({place.owner, place.offset})) {
      std::string name = data_name(*module, place, size);
      if (!name.empty()) symbols.data[{place.owner, place.offset}] = std::move(name);
    }
    if (symbols.locals.contains(place)) return;
    std::string name = local_at(place, size);
    if (!name.empty()) symbols.locals[place] = std::move(name);
  }

  void name_stack(const std::vector<Place>& stack) {
    for (const Place& place : stack) {
      const std::string* module = module_of(place);
      if (module) file_.symbols.code.try_emplace({place.owner, place.offset}, code_lines(*module, place));
    }
  }

  void name_all(const EventPlaces& places, std::uint32_t size) {
    name_data(places.object, size);
    name_pointer(places.value);
    name_pointer(places.operand);
    name_stack(places.stack);
  }

  TraceFile& file_;
  const ProgramNames& names_;
};

}  // namespace

Symbolizer& symbolizer() {
  static Symbolizer only;
  return only;
}

void name_places(TraceFile& file, const ProgramNames& names) { Namer(file, names).run(); }

}  // namespace thrum
