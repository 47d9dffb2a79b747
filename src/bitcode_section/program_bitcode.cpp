// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bitcode_section/program_bitcode.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace thrum {

namespace {

// Without folder and ending.
std::string_view stem_of(std::string_view path) {
  path.remove_prefix(path.rfind('/') + 1);
  return path.substr(0, path.rfind('.'));
}

// Whether the path is one in the source tree of a library that the compiler links without being asked.
bool is_of_toolchain(std::string_view path) {
  constexpr std::string_view kTrees[] = {"sysdeps/", "libsanitizer/", "libgcc/", "libstdc++-v3/"};
  return std::ranges::any_of(
      kTrees, [&](std::string_view tree) { return path.find(tree) != std::string_view::npos; });
}

std::string reason_of(const CompiledObject& object) {
  const std::string_view producer = object.producer;
  if (object.is_assembler) return "assembler";
  if (producer.starts_with("GNU C++")) return "compiled by g++";
  if (producer.starts_with("GNU C")) return "compiled by gcc";
  if (producer.find("clang") != std::string_view::npos) return "compiled without --bitcode";
  return producer.empty() ? "compiled otherwise" : "compiled by " + std::string(producer);
}

CompiledObject object_of(Dwarf_Die* unit) {
  Dwarf_Attribute attribute;
  const auto text = [&](unsigned name) {
    const char* found = dwarf_formstring(dwarf_attr(unit, name, &attribute));
    return std::string(found == nullptr ? "" : found);
  };
  return {text(DW_AT_name), text(DW_AT_producer), dwarf_srclang(unit) == DW_LANG_Mips_Assembler};
}

}  // namespace

ProgramBitcode::ProgramBitcode(const std::string& path) : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (file_ < 0) {
    problem_ = path + ": " + std::strerror(errno);
    return;
  }
  elf_version(EV_CURRENT);
  elf_ = elf_begin(file_, ELF_C_READ_MMAP, nullptr);
  read(path);
}

ProgramBitcode::~ProgramBitcode() {
  elf_end(elf_);
  if (file_ >= 0) close(file_);
}

void ProgramBitcode::read(const std::string& path) {
  std::size_t names = 0;
  if (elf_ == nullptr || elf_kind(elf_) != ELF_K_ELF || elf_getshdrstrndx(elf_, &names) != 0) {
    problem_ = path + ": is no ELF file with sections; compile and link it again, with thrum c++ --bitcode";
    return;
  }
  const auto damaged = [&](const std::string& what) {
    problem_ = path + ": its section " + kBitcodeSection + " is damaged (" + what +
               "); compile and link it again, with thrum c++ --bitcode";
  };
  for (Elf_Scn* section = elf_nextscn(elf_, nullptr); section != nullptr;
       section = elf_nextscn(elf_, section)) {
    GElf_Shdr header;
    const char* name =
        gelf_getshdr(section, &header) == nullptr ? nullptr : elf_strptr(elf_, names, header.sh_name);
    if (name == nullptr || std::string_view(name) != kBitcodeSection) continue;
    if (header.sh_type == SHT_NOBITS) return damaged("it has no bytes");
    if ((header.sh_flags & SHF_COMPRESSED) != 0) return damaged("it is compressed");
    if (header.sh_size == 0) continue;
    const Elf_Data* data = elf_rawdata(section, nullptr);
    if (data == nullptr || data->d_buf == nullptr) return damaged("it reaches past the end of the file");
    BitcodeRecords read = read_bitcode_records({static_cast<const char*>(data->d_buf), data->d_size});
    if (!read.problem.empty()) return damaged(read.problem);
    records_.insert(records_.end(), read.records.begin(), read.records.end());
  }
}

std::vector<CompiledObject> compiled_objects(const std::string& path) {
  std::vector<CompiledObject> objects;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return objects;
  Dwarf* debug = dwarf_begin(file, DWARF_C_READ);
  Dwarf_CU* unit = nullptr;
  Dwarf_Die die;
  while (debug != nullptr && dwarf_get_units(debug, unit, &unit, nullptr, nullptr, &die, nullptr) == 0) {
    if (dwarf_tag(&die) != DW_TAG_compile_unit) continue;
    CompiledObject object = object_of(&die);
    if (!object.name.empty() && !is_of_toolchain(object.name)) objects.push_back(std::move(object));
  }
  dwarf_end(debug);
  close(file);
  return objects;
}

std::vector<CompiledObject> objects_without_bitcode(const std::vector<CompiledObject>& objects,
                                                    const std::vector<BitcodeRecord>& records) {
  std::vector<std::string_view> names;
  for (const BitcodeRecord& record : records) names.push_back(record.name);
  std::vector<CompiledObject> left = objects;
  const auto match = [&](auto form) {
    std::erase_if(left, [&](const CompiledObject& object) {
      if (object.is_assembler) return false;
      const auto found = std::ranges::find(names, form(std::string_view(object.name)), form);
      if (found == names.end()) return false;
      names.erase(found);
      return true;
    });
  };
  match([](std::string_view name) { return name; });
  match([](std::string_view name) { return stem_of(name); });
  return left;
}

std::string bitcode_problem(const std::string& path) {
  const ProgramBitcode bitcode(path);
  if (!bitcode.problem().empty()) return bitcode.problem();
  const std::vector<CompiledObject> lacking =
      objects_without_bitcode(compiled_objects(path), bitcode.records());
  constexpr const char* kAdvice = "compile with thrum c++ --bitcode (or thrum cc --bitcode)";
  if (lacking.empty()) {
    if (!bitcode.records().empty()) return "";
    return path + ": has no bitcode, nor debug information that names its objects; " + kAdvice;
  }
  std::string text = path + (bitcode.records().empty() ? ": has no bitcode: " : ": lacks bitcode of ");
  for (std::size_t i = 0; i < lacking.size(); ++i)
    text += (i == 0 ? "" : ", ") + lacking[i].name + " (" + reason_of(lacking[i]) + ")";
  return text + "; " + kAdvice;
}

}  // namespace thrum
