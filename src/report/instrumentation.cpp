// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/instrumentation.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>

#include "report/toolchain_files.hpp"

namespace thrum {

namespace {

class MappedElf {
 public:
  explicit MappedElf(const std::string& path) : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    elf_version(EV_CURRENT);
    if (file_ >= 0) elf_ = elf_begin(file_, ELF_C_READ_MMAP, nullptr);
  }
  ~MappedElf() {
    elf_end(elf_);
    if (file_ >= 0) close(file_);
  }
  MappedElf(const MappedElf&) = delete;
  MappedElf& operator=(const MappedElf&) = delete;

  Elf* get() const { return elf_; }

 private:
  int file_;
  Elf* elf_ = nullptr;
};

// A symbol table with its strings.
struct Symbols {
  Elf* elf = nullptr;
  Elf_Data* data = nullptr;
  int count = 0;
  int locals = 0;  // they stand before the others
  std::size_t strings = 0;

  // Null where there is none of that number.
  const char* read(int index, GElf_Sym& symbol) const {
    if (gelf_getsym(data, index, &symbol) == nullptr) return nullptr;
    return elf_strptr(elf, strings, symbol.st_name);
  }
};

Symbols find_symbols(Elf* elf, GElf_Word type) {
  Symbols symbols;
  for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr;
       section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type != type || header.sh_entsize == 0)
      continue;
    symbols.elf = elf;
    symbols.data = elf_getdata(section, nullptr);
    symbols.count = symbols.data ? static_cast<int>(header.sh_size / header.sh_entsize) : 0;
    symbols.locals = std::min(static_cast<int>(header.sh_info), symbols.count);
    symbols.strings = header.sh_link;
  }
  return symbols;
}

// The constructor that -fsanitize=thread gives each file: g++'s and clang++'s name of it, to which
// optimisation may append a number. (Priority 99 is reserved for the compiler.)
bool is_marker_of_clang(std::string_view name) {
  return name == "tsan.module_ctor" || name.starts_with("tsan.module_ctor.");
}

bool is_marker(std::string_view name) {
  return name.starts_with("_sub_I_00099_") || is_marker_of_clang(name);
}

// The lowest version of clang that .comment names, in which each compiler has left its own; 0: none.
int lowest_clang(Elf* elf) {
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf, &names) != 0) return 0;
  int lowest = 0;
  for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr;
       section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_PROGBITS) continue;
    const char* name = elf_strptr(elf, names, header.sh_name);
    Elf_Data* data =
        name != nullptr && std::string_view(name) == ".comment" ? elf_getdata(section, nullptr) : nullptr;
    if (data == nullptr || data->d_buf == nullptr) continue;
    std::string_view text(static_cast<const char*>(data->d_buf), data->d_size);
    constexpr std::string_view kVersion = "clang version ";
    for (std::size_t at = text.find(kVersion); at != std::string_view::npos; at = text.find(kVersion, at)) {
      at += kVersion.size();
      int version = 0;
      std::from_chars(text.data() + at, text.data() + text.size(), version);
      if (version > 0 && (lowest == 0 || version < lowest)) lowest = version;
    }
  }
  return lowest;
}

struct File {
  std::string name;
  bool instrumented = false;
};

// The files of the module, and whether there is any marker at all, and one of clang's.
std::vector<File> read_files(const Symbols& symbols, bool& marker_found, bool& clang_found) {
  std::vector<File> files;
  bool named = false;
  for (int i = 0; i < symbols.locals; ++i) {
    GElf_Sym symbol;
    const char* name = symbols.read(i, symbol);
    if (name == nullptr) continue;
    int type = GELF_ST_TYPE(symbol.st_info);
    if (type == STT_FILE) {
      // What the linker itself made, or optimised at link time, has no name.
      named = *name != '\0';
      if (named) files.push_back({name});
    } else if (type == STT_FUNC && is_marker(name)) {
      marker_found = true;
      clang_found = clang_found || is_marker_of_clang(name);
      if (named) files.back().instrumented = true;
    }
  }
  return files;
}

bool calls_instrumentation(Elf* elf) {
  Symbols symbols = find_symbols(elf, SHT_DYNSYM);
  for (int i = 0; i < symbols.count; ++i) {
    GElf_Sym symbol;
    const char* name = symbols.read(i, symbol);
    if (name != nullptr && std::string_view(name) == "__tsan_init") return true;
  }
  return false;
}

// What the debug information adds: files that hold no code, those of g++ whose marker was stripped before
// they were linked, and assembler.
class Units {
 public:
  // suspects: what is asked for, sorted.
  Units(Elf* elf, const std::vector<std::string>& suspects) : suspects_(suspects) {
    if (!is_quick(elf)) return;
    debug_ = dwarf_begin_elf(elf, DWARF_C_READ, nullptr);
    Dwarf_CU* unit = nullptr;
    Dwarf_Die die;
    while (debug_ != nullptr && dwarf_get_units(debug_, unit, &unit, nullptr, nullptr, &die, nullptr) == 0)
      add(&die);
  }
  ~Units() { dwarf_end(debug_); }
  Units(const Units&) = delete;
  Units& operator=(const Units&) = delete;

  bool acquit(const std::string& name) const {
    return harmless_.contains(name) && !with_other_code_.contains(name);
  }
  const std::set<std::string>& assembler() const { return assembler_; }

 private:
  // Debug information that is compressed would have to be unpacked as a whole.
  static bool is_quick(Elf* elf) {
    for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr;
         section = elf_nextscn(elf, section)) {
      GElf_Shdr header;
      if (gelf_getshdr(section, &header) != nullptr && header.sh_type == SHT_PROGBITS &&
          (header.sh_flags & SHF_COMPRESSED) != 0)
        return false;
    }
    return true;
  }

  static bool holds_code(Dwarf_Die* unit) {
    Dwarf_Addr base = 0;
    Dwarf_Addr begin = 0;
    Dwarf_Addr end = 0;
    for (std::ptrdiff_t next = 0; (next = dwarf_ranges(unit, next, &base, &begin, &end)) > 0;) {
      if (begin < end) return true;
    }
    return false;
  }

  void add(Dwarf_Die* unit) {
    Dwarf_Attribute attribute;
    const char* path = dwarf_formstring(dwarf_attr(unit, DW_AT_name, &attribute));
    if (path == nullptr) return;
    std::string_view full = path;
    std::string name(full.substr(full.rfind('/') + 1));
    bool suspect = std::binary_search(suspects_.begin(), suspects_.end(), name);
    bool of_libc = full.find("sysdeps/") != std::string_view::npos;
    bool assembler = !of_libc && dwarf_srclang(unit) == DW_LANG_Mips_Assembler;
    if (!suspect && !assembler) return;
    const char* producer = dwarf_formstring(dwarf_attr(unit, DW_AT_producer, &attribute));
    bool instrumented =
        producer != nullptr && std::string_view(producer).find("-fsanitize=thread") != std::string_view::npos;
    if (instrumented || !holds_code(unit)) {
      harmless_.insert(name);
      return;
    }
    with_other_code_.insert(name);
    if (assembler) assembler_.insert(name);
  }

  const std::vector<std::string>& suspects_;
  Dwarf* debug_ = nullptr;
  std::set<std::string> harmless_;
  std::set<std::string> with_other_code_;
  std::set<std::string> assembler_;
};

// The names of those that were not instrumented and are the user's own, sorted.
std::vector<std::string> suspects_among(const std::vector<File>& files) {
  std::vector<std::string> names;
  for (const File& file : files) names.push_back(file.name);
  std::vector<bool> of_toolchain = are_toolchain_files(names);
  std::vector<std::string> suspects;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!files[i].instrumented && !of_toolchain[i]) suspects.push_back(files[i].name);
  }
  std::sort(suspects.begin(), suspects.end());
  return suspects;
}

}  // namespace

ModuleFiles files_of_module(const std::string& path) {
  ModuleFiles result;
  MappedElf elf(path);
  if (elf.get() == nullptr || elf_kind(elf.get()) != ELF_K_ELF) return result;
  bool marker_found = false;
  bool clang_found = false;
  std::vector<File> files = read_files(find_symbols(elf.get(), SHT_SYMTAB), marker_found, clang_found);
  // strip -g leaves the markers and takes the names, strip -x does the reverse.
  result.known = !files.empty() && (marker_found || !calls_instrumentation(elf.get()));
  constexpr int kFirstThatSeesAll = 21;
  int clang = lowest_clang(elf.get());
  result.by_old_clang = clang < kFirstThatSeesAll && (clang_found || (!result.known && clang != 0));
  if (!result.known) return result;
  std::vector<std::string> suspects = suspects_among(files);
  Units units(elf.get(), suspects);
  for (const std::string& name : suspects) {
    if (!units.acquit(name)) result.uninstrumented.push_back(name);
  }
  // The assembler also describes a file that has no debug information of its own, since it holds nothing.
  for (const std::string& name : units.assembler()) {
    bool named = std::any_of(files.begin(), files.end(), [&](const File& file) { return file.name == name; });
    if (!named) result.uninstrumented.push_back(name);
  }
  std::sort(result.uninstrumented.begin(), result.uninstrumented.end());
  return result;
}

}  // namespace thrum
