// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/modules.hpp"

#include <link.h>
#include <sys/auxv.h>
#include <unwind.h>
#include <algorithm>
#include <cstring>
#include <span>

#include "support/digest.hpp"
#include "support/raw_syscall.hpp"

namespace thrum {

bool holds(const dl_phdr_info& info, std::uint64_t address) {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const auto& segment = info.dlpi_phdr[i];
    std::uint64_t begin = info.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && address >= begin && address - begin < segment.p_memsz) return true;
  }
  return false;
}

namespace {

// Calls visit(info, its number) for each module until it returns true.
template <typename Visit>
bool any_module(Visit visit) {
  struct Walk {
    Visit& visit;
    std::uint16_t number = 0;
  } walk{visit};
  return dl_iterate_phdr(
             [](dl_phdr_info* info, std::size_t, void* argument) -> int {
               auto& state = *static_cast<Walk*>(argument);
               return state.visit(*info, state.number++) ? 1 : 0;
             },
             &walk) != 0;
}

// Instrumented code calls the runtime, and so needs the library.
bool needs_runtime(const dl_phdr_info& info) {
  const ElfW(Dyn)* dynamic = nullptr;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    if (info.dlpi_phdr[i].p_type == PT_DYNAMIC) {
      dynamic = reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
    }
  }
  const char* strings = nullptr;
  for (const auto* entry = dynamic; entry && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_STRTAB) strings = reinterpret_cast<const char*>(entry->d_un.d_ptr);
  }
  if (!strings || reinterpret_cast<std::uint64_t>(strings) < info.dlpi_addr) return false;
  for (const auto* entry = dynamic; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_NEEDED && std::strcmp(strings + entry->d_un.d_val, "libthrum.so") == 0)
      return true;
  }
  return false;
}

// Depending on how the program is linked, the loader replaces these addresses by absolute ones, or leaves
// those of the file.
template <typename T>
const T* at(const dl_phdr_info& info, ElfW(Addr) address) {
  return reinterpret_cast<const T*>(address < info.dlpi_addr ? address + info.dlpi_addr : address);
}

bool imports(const dl_phdr_info& info, const char* name) {
  const ElfW(Dyn)* dynamic = nullptr;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    if (info.dlpi_phdr[i].p_type == PT_DYNAMIC)
      dynamic = reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
  }
  const char* strings = nullptr;
  const ElfW(Sym)* symbols = nullptr;
  const ElfW(Rela) * begins[2] = {};
  std::size_t sizes[2] = {};
  for (const auto* entry = dynamic; entry && entry->d_tag != DT_NULL; ++entry) {
    switch (entry->d_tag) {
      case DT_STRTAB: strings = at<char>(info, entry->d_un.d_ptr); break;
      case DT_SYMTAB: symbols = at<ElfW(Sym)>(info, entry->d_un.d_ptr); break;
      case DT_RELA: begins[0] = at<ElfW(Rela)>(info, entry->d_un.d_ptr); break;
      case DT_RELASZ: sizes[0] = entry->d_un.d_val; break;
      case DT_JMPREL: begins[1] = at<ElfW(Rela)>(info, entry->d_un.d_ptr); break;
      case DT_PLTRELSZ: sizes[1] = entry->d_un.d_val; break;
      default: break;
    }
  }
  if (!strings || !symbols) return false;
  for (int i = 0; i < 2; ++i) {
    for (const auto& relocation : std::span(begins[i], begins[i] ? sizes[i] / sizeof(ElfW(Rela)) : 0)) {
      std::size_t symbol = ELF64_R_SYM(relocation.r_info);
      if (symbol != 0 && std::strcmp(strings + symbols[symbol].st_name, name) == 0) return true;
    }
  }
  return false;
}

std::string own_path() {
  char path[4096];
  long length = raw_syscall(SYS_readlink, reinterpret_cast<long>("/proc/self/exe"),
                            reinterpret_cast<long>(path), sizeof path);
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : std::string();
}

}  // namespace

std::vector<Module> modules() {
  std::vector<Module> all;
  any_module([&](const dl_phdr_info& info, std::uint16_t number) {
    Module module{number == 0 ? own_path() : std::string(info.dlpi_name), needs_runtime(info)};
    module.bias = info.dlpi_addr;
    module.begin = ~std::uint64_t{0};
    for (const auto& segment : std::span(info.dlpi_phdr, info.dlpi_phnum)) {
      if (segment.p_type != PT_LOAD) continue;
      module.begin = std::min(module.begin, info.dlpi_addr + segment.p_vaddr);
      module.end = std::max(module.end, info.dlpi_addr + segment.p_vaddr + segment.p_memsz);
    }
    all.push_back(std::move(module));
    return false;
  });
  return all;
}

std::vector<ModuleContent> module_contents() {
  std::vector<ModuleContent> all;
  any_module([&](const dl_phdr_info& info, std::uint16_t number) {
    std::string name = number == 0 ? own_path() : std::string(info.dlpi_name);
    name.erase(0, name.rfind('/') + 1);
    if (number != 0 && (name.empty() || name.starts_with("linux-vdso"))) return false;
    Digest digest;
    for (int i = 0; i < info.dlpi_phnum; ++i) {
      const auto& segment = info.dlpi_phdr[i];
      if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0 || (segment.p_flags & PF_R) == 0)
        continue;
      digest.add(reinterpret_cast<const char*>(info.dlpi_addr + segment.p_vaddr), segment.p_filesz);
    }
    all.push_back({std::move(name), digest.value()});
    return false;
  });
  return all;
}

bool find_in_modules(std::uint64_t address, Place& place) {
  return any_module([&](const dl_phdr_info& info, std::uint16_t number) {
    if (!holds(info, address)) return false;
    place = {Place::Space::module, number, 0, address - info.dlpi_addr};
    return true;
  });
}

std::uint64_t address_in_module(const Place& place) {
  std::uint64_t address = 0;
  any_module([&](const dl_phdr_info& info, std::uint16_t number) {
    if (place.space != Place::Space::module || number != place.owner) return false;
    address = info.dlpi_addr + place.offset;
    return true;
  });
  return address;
}

bool imported(const char* name) {
  return any_module(
      [&](const dl_phdr_info& info, std::uint16_t) { return needs_runtime(info) && imports(info, name); });
}

namespace {

bool is_cxx_name(const char* name) { return std::strstr(name, "libstdc++") || std::strstr(name, "libc++"); }

bool has_storage(const dl_phdr_info& info) {
  return std::any_of(info.dlpi_phdr, info.dlpi_phdr + info.dlpi_phnum,
                     [](const auto& segment) { return segment.p_type == PT_TLS; });
}

}  // namespace

bool is_cxx_library(std::uint64_t address) {
  return any_module([&](const dl_phdr_info& info, std::uint16_t number) {
    return number != 0 && is_cxx_name(info.dlpi_name) && holds(info, address);
  });
}

bool others_have_storage() {
  return any_module([&](const dl_phdr_info& info, std::uint16_t number) {
    const bool is_system =
        number != 0 && (is_cxx_name(info.dlpi_name) || std::strstr(info.dlpi_name, "libc.so") != nullptr);
    return has_storage(info) && !is_system && !holds(info, runtime_range().begin);
  });
}

const char* uncontrolled_module(std::uint64_t address) {
  const char* name = nullptr;
  any_module([&](const dl_phdr_info& info, std::uint16_t number) {
    if (!holds(info, address)) return false;
    if (number != 0 && !is_cxx_name(info.dlpi_name) && !needs_runtime(info)) name = info.dlpi_name;
    return true;
  });
  return name;
}

namespace {

// The range of the first module for which is_it(info) is true.
template <typename IsIt>
CodeRange first_range(IsIt is_it) {
  CodeRange range;
  any_module([&](const dl_phdr_info& info, std::uint16_t) {
    if (!is_it(info)) return false;
    range.begin = info.dlpi_addr;
    for (int i = 0; i < info.dlpi_phnum; ++i) {
      const auto& segment = info.dlpi_phdr[i];
      if (segment.p_type == PT_LOAD) range.end = info.dlpi_addr + segment.p_vaddr + segment.p_memsz;
    }
    return true;
  });
  return range;
}

CodeRange range_around(std::uint64_t address) {
  return first_range([&](const dl_phdr_info& info) { return holds(info, address); });
}

}  // namespace

bool is_instrumented(std::uint64_t address) {
  static CodeRange last_inside;
  static CodeRange last_outside;
  if (last_inside.holds(address)) return true;
  if (last_outside.holds(address)) return false;
  const bool inside = any_module(
      [&](const dl_phdr_info& info, std::uint16_t) { return holds(info, address) && needs_runtime(info); });
  (inside ? last_inside : last_outside) = range_around(address);
  return inside;
}

const CodeRange& runtime_range() {
  static const CodeRange range = range_around(reinterpret_cast<std::uint64_t>(&runtime_range));
  return range;
}

const CodeRange& loader_range() {
  static const CodeRange range = range_around(getauxval(AT_BASE));
  return range;
}

const CodeRange& cpp_library_range() {
  static const CodeRange range = first_range(
      [](const dl_phdr_info& info) { return std::strstr(info.dlpi_name, "libstdc++.so") != nullptr; });
  return range;
}

const CodeRange& unwinder_range() {
  static const CodeRange range = range_around(reinterpret_cast<std::uint64_t>(&_Unwind_Backtrace));
  return range;
}

void put_code(ByteWriter& out, std::uint64_t address) {
  Place place;
  const bool known = find_in_modules(address, place);
  out.put(known);
  out.put(place.owner);
  out.put(place.offset);
}

std::uint64_t get_code(ByteReader& in) {
  Place place;
  const bool known = in.get<bool>();
  place.space = Place::Space::module;
  place.owner = in.get<decltype(place.owner)>();
  place.offset = in.get<decltype(place.offset)>();
  return known ? address_in_module(place) : 0;
}

}  // namespace thrum
