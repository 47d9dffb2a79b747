// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/section_functions.hpp"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <cstring>
#include <vector>

#include "runtime/modules.hpp"
#include "runtime/raw_syscall.hpp"

namespace thrum {

std::uint32_t section_function_count = 0;

namespace {

constexpr char kPrefix[] = "__VERIFIER_atomic_";

constinit std::vector<CodeRange> g_ranges;

bool names_section(const char* name) {
  constexpr std::size_t kLength = sizeof kPrefix - 1;
  if (std::strncmp(name, kPrefix, kLength) != 0) return false;
  return std::strcmp(name + kLength, "begin") != 0 && std::strcmp(name + kLength, "end") != 0;
}

// Adds what the symbol table of the file says. Every offset is checked: the file may be damaged.
void read_symbols(const char* file, std::uint64_t size, std::uint64_t load_address) {
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(file);
  if (size < sizeof *header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return;
  auto holds = [size](std::uint64_t offset, std::uint64_t bytes) {
    return offset <= size && bytes <= size - offset;
  };
  if (!holds(header->e_shoff, header->e_shnum * sizeof(Elf64_Shdr))) return;
  const auto* sections = reinterpret_cast<const Elf64_Shdr*>(file + header->e_shoff);
  for (int i = 0; i < header->e_shnum; ++i) {
    const Elf64_Shdr& table = sections[i];
    if (table.sh_type != SHT_SYMTAB || table.sh_link >= header->e_shnum) continue;
    const Elf64_Shdr& strings = sections[table.sh_link];
    if (!holds(table.sh_offset, table.sh_size) || !holds(strings.sh_offset, strings.sh_size)) continue;
    if (strings.sh_size == 0 || file[strings.sh_offset + strings.sh_size - 1] != 0) continue;
    const auto* symbols = reinterpret_cast<const Elf64_Sym*>(file + table.sh_offset);
    for (std::uint64_t n = 0; n < table.sh_size / sizeof(Elf64_Sym); ++n) {
      const Elf64_Sym& symbol = symbols[n];
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF) continue;
      if (symbol.st_name >= strings.sh_size || !names_section(file + strings.sh_offset + symbol.st_name))
        continue;
      std::uint64_t begin = load_address + symbol.st_value;
      g_ranges.push_back({begin, begin + symbol.st_size});
    }
  }
}

void read_file(const char* path, std::uint64_t load_address) {
  long file = raw_syscall(SYS_open, reinterpret_cast<long>(path), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  struct stat status {};
  if (raw_syscall(SYS_fstat, file, reinterpret_cast<long>(&status)) == 0 && status.st_size > 0) {
    long mapped = raw_syscall(SYS_mmap, 0, status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (mapped > 0) {
      read_symbols(reinterpret_cast<const char*>(mapped), static_cast<std::uint64_t>(status.st_size),
                   load_address);
      raw_syscall(SYS_munmap, mapped, status.st_size);
    }
  }
  raw_syscall(SYS_close, file);
}

}  // namespace

void find_section_functions() {
  g_ranges.clear();
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void*) {
        // Any address of the module's will do to tell whether it is instrumented.
        if (info->dlpi_phnum == 0 || !is_instrumented(reinterpret_cast<std::uint64_t>(info->dlpi_phdr)))
          return 0;
        read_file(info->dlpi_name[0] ? info->dlpi_name : "/proc/self/exe", info->dlpi_addr);
        return 0;
      },
      nullptr);
  section_function_count = static_cast<std::uint32_t>(g_ranges.size());
}

bool in_section_function(std::uint64_t code) {
  for (const CodeRange& range : g_ranges) {
    if (range.holds(code)) return true;
  }
  return false;
}

}  // namespace thrum
