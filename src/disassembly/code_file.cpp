// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables are those of the Linux Standard Base, "Exception Frames", and of the Itanium C++ ABI, "Exception
// Handling Tables".
#include "disassembly/code_file.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace thrum {

namespace {

using Bytes = std::span<const unsigned char>;

// Reads a table from its beginning, which lies at that address.
class TableReader {
 public:
  TableReader(Bytes bytes, std::uint64_t address) : bytes_(bytes), address_(address) {}

  bool is_good() const { return is_good_; }
  std::uint64_t address() const { return address_ + at_; }

  std::uint8_t byte() { return fixed<std::uint8_t>(); }

  std::uint64_t uleb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t next = byte();
      value |= std::uint64_t{next & 0x7fu} << shift;
      if ((next & 0x80u) == 0) return value;
    }
    is_good_ = false;
    return 0;
  }

  // An encoded pointer (DW_EH_PE_...). is_size: only its format counts.
  std::uint64_t pointer(std::uint8_t encoding, bool is_size = false) {
    const std::uint64_t here = address();
    const std::uint64_t value = number(encoding & 0x0f);
    if (is_size || value == 0) return value;
    switch (encoding & 0xf0) {
      case DW_EH_PE_absptr: return value;
      case DW_EH_PE_pcrel: return here + value;
      default: is_good_ = false; return 0;
    }
  }

 private:
  template <typename T>
  T fixed() {
    T value{};
    if (!is_good_ || bytes_.size() - at_ < sizeof value) {
      is_good_ = false;
      return value;
    }
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  template <typename T>
  std::uint64_t extended() {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(fixed<T>()));
  }

  std::uint64_t number(std::uint8_t format) {
    switch (format) {
      case DW_EH_PE_absptr:
      case DW_EH_PE_udata8:
      case DW_EH_PE_sdata8: return fixed<std::uint64_t>();
      case DW_EH_PE_uleb128: return uleb();
      case DW_EH_PE_udata2: return fixed<std::uint16_t>();
      case DW_EH_PE_udata4: return fixed<std::uint32_t>();
      case DW_EH_PE_sdata2: return extended<std::int16_t>();
      case DW_EH_PE_sdata4: return extended<std::int32_t>();
      default: is_good_ = false; return 0;
    }
  }

  Bytes bytes_;
  std::uint64_t address_;
  std::size_t at_ = 0;
  bool is_good_ = true;
};

constexpr std::uint8_t kOmitted = DW_EH_PE_omit;

// How the entries that belong to a common one encode their pointers.
struct Encodings {
  std::uint8_t code = DW_EH_PE_absptr;
  std::uint8_t handlers = kOmitted;
  bool is_clear = false;
};

Encodings encodings_of(const Dwarf_CIE& common) {
  Encodings encodings;
  std::string_view letters = common.augmentation;
  if (!letters.starts_with('z') || common.augmentation_data == nullptr) {
    encodings.is_clear = letters.empty();
    return encodings;
  }
  TableReader data({common.augmentation_data, common.augmentation_data_size}, 0);
  for (const char letter : letters.substr(1)) {
    switch (letter) {
      case 'R': encodings.code = data.byte(); break;
      case 'L': encodings.handlers = data.byte(); break;
      case 'P': {
        const std::uint8_t format = data.byte() & 0x0f;
        data.pointer(format, true);
        break;
      }
      case 'S':
      case 'B': break;
      default: return encodings;
    }
  }
  encodings.is_clear = data.is_good();
  return encodings;
}

// address: of the section that holds the entry.
CodeFile::Function function_of(const Dwarf_CFI_Entry& entry, const Encodings& encodings, Bytes section,
                               std::uint64_t address) {
  const auto* begin = entry.fde.start;
  TableReader data({begin, entry.fde.end}, address + static_cast<std::uint64_t>(begin - section.data()));
  CodeFile::Function function;
  function.begin = data.pointer(encodings.code);
  function.end = function.begin + data.pointer(encodings.code, true);
  function.is_clear = encodings.is_clear;
  if (encodings.is_clear && encodings.handlers != kOmitted) {
    data.uleb();  // the size of what follows
    function.handlers = data.pointer(encodings.handlers);
  }
  function.is_clear = function.is_clear && data.is_good();
  return function;
}

}  // namespace

struct CodeFile::Elf {
  struct Section {
    std::uint64_t address;
    Bytes bytes;
    bool is_code;
  };

  explicit Elf(const std::string& path) : file(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    elf_version(EV_CURRENT);
    if (file >= 0) elf = elf_begin(file, ELF_C_READ_MMAP, nullptr);
    GElf_Ehdr header;
    if (elf == nullptr || gelf_getehdr(elf, &header) == nullptr || header.e_machine != EM_X86_64) return;
    std::memcpy(ident, header.e_ident, sizeof ident);
    read_sections();
    unwind_tables = dwarf_getcfi_elf(elf);
  }
  ~Elf() {
    if (unwind_tables != nullptr) dwarf_cfi_end(unwind_tables);
    elf_end(elf);
    if (file >= 0) close(file);
  }
  Elf(const Elf&) = delete;
  Elf& operator=(const Elf&) = delete;

  void read_sections();
  const Section* section_at(std::uint64_t address) const {
    const auto found = std::ranges::find_if(sections, [address](const Section& section) {
      return address - section.address < section.bytes.size();
    });
    return found == sections.end() ? nullptr : &*found;
  }
  // The bytes from there to the end of the section.
  Bytes bytes_at(std::uint64_t address) const {
    const Section* section = section_at(address);
    return section == nullptr ? Bytes{} : section->bytes.subspan(address - section->address);
  }

  int file;
  ::Elf* elf = nullptr;
  unsigned char ident[EI_NIDENT] = {};
  std::vector<Section> sections;
  Elf_Data* unwind_data = nullptr;
  Section unwind_section{};
  Dwarf_CFI* unwind_tables = nullptr;
};

void CodeFile::Elf::read_sections() {
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf, &names) != 0) return;
  for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr;
       section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || (header.sh_flags & SHF_ALLOC) == 0 ||
        header.sh_type == SHT_NOBITS || (header.sh_flags & SHF_TLS) != 0)
      continue;
    Elf_Data* data = elf_rawdata(section, nullptr);
    if (data == nullptr || data->d_buf == nullptr) continue;
    const Section one{header.sh_addr,
                      {static_cast<const unsigned char*>(data->d_buf), data->d_size},
                      (header.sh_flags & SHF_EXECINSTR) != 0};
    sections.push_back(one);
    const char* name = elf_strptr(elf, names, header.sh_name);
    if (name == nullptr || std::string_view(name) != ".eh_frame") continue;
    unwind_data = data;
    unwind_section = one;
  }
}

CodeFile::CodeFile(const std::string& path) : elf_(std::make_unique<Elf>(path)) {
  read_functions();
  read_imports();
}
CodeFile::~CodeFile() = default;

void CodeFile::read_functions() {
  if (elf_->unwind_data == nullptr) return;
  Dwarf_Off common_at = ~Dwarf_Off{0};
  Encodings encodings;
  Dwarf_Off next = 0;
  for (Dwarf_Off at = 0; at != ~Dwarf_Off{0}; at = next) {
    Dwarf_CFI_Entry entry;
    const int result = dwarf_next_cfi(elf_->ident, elf_->unwind_data, true, at, &next, &entry);
    if (result > 0 || next == at) break;
    if (result < 0 || entry.CIE_id == LIBDW_CIE_ID) continue;
    if (entry.fde.CIE_pointer != common_at) {
      common_at = entry.fde.CIE_pointer;
      Dwarf_Off behind = 0;
      Dwarf_CFI_Entry common;
      if (dwarf_next_cfi(elf_->ident, elf_->unwind_data, true, common_at, &behind, &common) == 0 &&
          common.CIE_id == LIBDW_CIE_ID)
        encodings = encodings_of(common.cie);
      else
        encodings = {};
    }
    functions_.push_back(
        function_of(entry, encodings, elf_->unwind_section.bytes, elf_->unwind_section.address));
  }
  std::ranges::sort(functions_, {}, &Function::begin);
}

void CodeFile::read_imports() {
  if (elf_->sections.empty()) return;
  for (Elf_Scn* section = elf_nextscn(elf_->elf, nullptr); section != nullptr;
       section = elf_nextscn(elf_->elf, section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_RELA || header.sh_entsize == 0)
      continue;
    Elf_Scn* symbols = elf_getscn(elf_->elf, header.sh_link);
    GElf_Shdr symbols_header;
    if (symbols == nullptr || gelf_getshdr(symbols, &symbols_header) == nullptr) continue;
    Elf_Data* relocations = elf_getdata(section, nullptr);
    Elf_Data* table = elf_getdata(symbols, nullptr);
    if (relocations == nullptr || table == nullptr) continue;
    const auto count = static_cast<int>(header.sh_size / header.sh_entsize);
    for (int i = 0; i < count; ++i) {
      GElf_Rela relocation;
      GElf_Sym symbol;
      if (gelf_getrela(relocations, i, &relocation) == nullptr) continue;
      const auto type = GELF_R_TYPE(relocation.r_info);
      if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) continue;
      if (gelf_getsym(table, static_cast<int>(GELF_R_SYM(relocation.r_info)), &symbol) == nullptr) continue;
      const char* name = elf_strptr(elf_->elf, symbols_header.sh_link, symbol.st_name);
      if (name != nullptr) imports_[relocation.r_offset] = name;
    }
  }
}

std::string CodeFile::import_at(std::uint64_t pointer) const {
  const auto found = imports_.find(pointer);
  return found == imports_.end() ? "" : found->second;
}

std::span<const unsigned char> CodeFile::code_at(std::uint64_t address) const {
  const Elf::Section* section = elf_->section_at(address);
  return section == nullptr || !section->is_code ? Bytes{} : elf_->bytes_at(address);
}

const CodeFile::Function* CodeFile::function_at(std::uint64_t address) const {
  const auto behind = std::ranges::upper_bound(functions_, address, {}, &Function::begin);
  if (behind == functions_.begin()) return nullptr;
  const Function& function = *(behind - 1);
  return address < function.end ? &function : nullptr;
}

CodeFile::Handler CodeFile::handler_of(const Function& function, std::uint64_t return_address) const {
  if (!function.is_clear) return {};
  if (function.handlers == 0) return {true, 0, true};
  TableReader table(elf_->bytes_at(function.handlers), function.handlers);
  std::uint64_t base = function.begin;
  if (const std::uint8_t encoding = table.byte(); encoding != kOmitted) base = table.pointer(encoding);
  if (table.byte() != kOmitted) table.uleb();  // where the table of types ends
  const std::uint8_t encoding = table.byte();
  const std::uint64_t size = table.uleb();
  const std::uint64_t end = table.address() + size;
  const std::uint64_t call = return_address - 1 - function.begin;
  while (table.is_good() && table.address() < end) {
    const std::uint64_t begin = table.pointer(encoding, true);
    const std::uint64_t length = table.pointer(encoding, true);
    const std::uint64_t handler = table.pointer(encoding, true);
    table.uleb();  // the action
    if (!table.is_good()) break;
    if (call - begin < length) return {true, handler == 0 ? 0 : base + handler, handler == 0};
  }
  return {table.is_good(), 0, false};
}

RegisterSet CodeFile::callers_registers(std::uint64_t address) const {
  constexpr int kNumbers[] = {3, 6, 12, 13, 14, 15};  // in DWARF
  Dwarf_Frame* frame = nullptr;
  if (elf_->unwind_tables == nullptr || dwarf_cfi_addrframe(elf_->unwind_tables, address, &frame) != 0)
    return kAllRegisters;
  RegisterSet still = 0;
  for (unsigned i = 0; i < kPreservedRegisters; ++i) {
    Dwarf_Op memory[3];
    Dwarf_Op* operations = nullptr;
    std::size_t count = 0;
    const int result = dwarf_frame_register(frame, kNumbers[i], memory, &operations, &count);
    if (result != 0 || (count == 0 && operations == nullptr)) still |= static_cast<RegisterSet>(1u << i);
  }
  std::free(frame);
  return still;
}

}  // namespace thrum
