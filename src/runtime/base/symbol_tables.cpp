// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/symbol_tables.hpp"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <cstring>

#include "support/raw_syscall.hpp"

namespace thrum {

namespace {

struct Visit {
  unsigned char type;
  SymbolVisitor* visitor;
};

// Reads the symbol table of the file. Every offset is checked, since the file may be damaged.
void read_symbols(const char* file, std::uint64_t size, std::uint64_t load_address, const Visit& visit) {
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
      if (ELF64_ST_TYPE(symbol.st_info) != visit.type || symbol.st_shndx == SHN_UNDEF) continue;
      if (symbol.st_name >= strings.sh_size) continue;
      std::uint64_t begin = load_address + symbol.st_value;
      visit.visitor(file + strings.sh_offset + symbol.st_name, {begin, begin + symbol.st_size});
    }
  }
}

void read_file(const char* path, std::uint64_t load_address, const Visit& visit) {
  long file = raw_syscall(SYS_open, reinterpret_cast<long>(path), O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  struct stat status {};
  if (raw_syscall(SYS_fstat, file, reinterpret_cast<long>(&status)) == 0 && status.st_size > 0) {
    long mapped = raw_syscall(SYS_mmap, 0, status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (mapped > 0) {
      read_symbols(reinterpret_cast<const char*>(mapped), static_cast<std::uint64_t>(status.st_size),
                   load_address, visit);
      raw_syscall(SYS_munmap, mapped, status.st_size);
    }
  }
  raw_syscall(SYS_close, file);
}

}  // namespace

void visit_symbols(unsigned char type, SymbolVisitor* visitor) {
  Visit visit{type, visitor};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* argument) {
        // Any address of the module tells whether it is instrumented.
        if (info->dlpi_phnum == 0 || !is_instrumented(reinterpret_cast<std::uint64_t>(info->dlpi_phdr)))
          return 0;
        read_file(info->dlpi_name[0] ? info->dlpi_name : "/proc/self/exe", info->dlpi_addr,
                  *static_cast<const Visit*>(argument));
        return 0;
      },
      &visit);
}

}  // namespace thrum
