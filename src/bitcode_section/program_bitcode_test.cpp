// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bitcode_section/program_bitcode.hpp"

#include <gelf.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace thrum {
namespace {

using Names = std::vector<std::string>;

class TextFile {
 public:
  explicit TextFile(const std::string& text) {
    close(mkstemp(path_));
    std::ofstream(path_) << text;
  }
  ~TextFile() { unlink(path_); }
  TextFile(const TextFile&) = delete;
  TextFile& operator=(const TextFile&) = delete;
  const char* path() const { return path_; }

 private:
  char path_[32] = "/tmp/thrum-bitcode-XXXXXX";
};

Names lacking(const Names& objects, const Names& with_record) {
  std::vector<CompiledObject> compiled;
  for (const std::string& name : objects) compiled.push_back({name, "clang version 19.1.7"});
  std::vector<BitcodeRecord> records;
  for (const std::string& name : with_record) records.push_back({name, "BC"});
  Names names;
  for (const CompiledObject& object : objects_without_bitcode(compiled, records))
    names.push_back(object.name);
  return names;
}

TEST(ObjectsWithoutBitcode, ByName) {
  EXPECT_EQ(lacking({"a.cpp", "b.cpp"}, {"b.cpp", "a.cpp"}), (Names{}));
  EXPECT_EQ(lacking({"a.cpp", "b.cpp", "c.c"}, {"b.cpp"}), (Names{"a.cpp", "c.c"}));
  EXPECT_EQ(lacking({"a.cpp"}, {}), (Names{"a.cpp"}));
  EXPECT_EQ(lacking({}, {"a.cpp"}), (Names{})) << "compiled with -g0";
}

TEST(ObjectsWithoutBitcode, OneRecordIsOfOneObject) {
  EXPECT_EQ(lacking({"util.cpp", "util.cpp"}, {"util.cpp"}), (Names{"util.cpp"}));
  EXPECT_EQ(lacking({"util.cpp", "util.cpp"}, {"util.cpp", "util.cpp"}), (Names{}));
}

TEST(ObjectsWithoutBitcode, RenamedByTheCompilersOptions) {
  EXPECT_EQ(lacking({"/src/a.cpp", "a.c"}, {"/elsewhere/a.cpp", "tmp/a.i"}), (Names{}));
  EXPECT_EQ(lacking({"x/a.cpp", "y/a.cpp"}, {"y/a.cpp"}), (Names{"x/a.cpp"})) << "the same name comes first";
}

TEST(ObjectsWithoutBitcode, AssemblerHasNone) {
  const std::vector<CompiledObject> objects = {{"a.s", "GNU AS 2.40", true},
                                               {"a.c", "clang version 19", false}};
  EXPECT_EQ(objects_without_bitcode(objects, {{"a.c", "BC"}}).size(), 1U);
}

// An ELF file with the section, or with one of another name.
std::string problem_with(std::string content, const std::string& name, Elf64_Word type,
                         std::size_t& records) {
  TextFile file("");
  elf_version(EV_CURRENT);
  std::FILE* out = std::fopen(file.path(), "w+");
  Elf* elf = elf_begin(fileno(out), ELF_C_WRITE, nullptr);
  Elf64_Ehdr* header = elf64_newehdr(elf);
  header->e_ident[EI_DATA] = ELFDATA2LSB;
  header->e_machine = EM_X86_64;
  header->e_type = ET_DYN;
  header->e_version = EV_CURRENT;
  std::string names = std::string(1, '\0') + name + std::string(1, '\0') + ".names" + std::string(1, '\0');
  const auto add = [&](std::string& bytes, Elf64_Word name_at, Elf64_Word section_type) {
    Elf_Scn* section = elf_newscn(elf);
    Elf_Data* data = elf_newdata(section);
    data->d_buf = bytes.data();
    data->d_size = bytes.size();
    data->d_align = 1;
    data->d_version = EV_CURRENT;
    Elf64_Shdr* section_header = elf64_getshdr(section);
    section_header->sh_name = name_at;
    section_header->sh_type = section_type;
    return elf_ndxscn(section);
  };
  add(content, 1, type);
  header->e_shstrndx =
      static_cast<Elf64_Half>(add(names, static_cast<Elf64_Word>(name.size()) + 2, SHT_STRTAB));
  EXPECT_GT(elf_update(elf, ELF_C_WRITE), 0) << elf_errmsg(-1);
  elf_end(elf);
  std::fclose(out);
  const ProgramBitcode read(file.path());
  records = read.records().size();
  return read.problem();
}

TEST(ProgramBitcode, Section) {
  const std::string content = bitcode_record_head("a.cpp", 2) + "BC";
  std::size_t records = 0;
  EXPECT_EQ(problem_with(content + content, ".thrum.bc", SHT_PROGBITS, records), "");
  EXPECT_EQ(records, 2U);
  EXPECT_EQ(problem_with(content, ".thrum.bd", SHT_PROGBITS, records), "");
  EXPECT_EQ(records, 0U);
  EXPECT_EQ(problem_with("", ".thrum.bc", SHT_PROGBITS, records), "");
  EXPECT_EQ(records, 0U);
  EXPECT_NE(
      problem_with(content + "x", ".thrum.bc", SHT_PROGBITS, records).find("damaged (no record at byte 31)"),
      std::string::npos);
  EXPECT_NE(problem_with(content, ".thrum.bc", SHT_NOBITS, records).find("damaged"), std::string::npos);
}

TEST(ProgramBitcode, NoProgram) {
  EXPECT_NE(ProgramBitcode("/no/such/file").problem().find("No such file"), std::string::npos);
  EXPECT_NE(ProgramBitcode(TextFile("#!/bin/sh\n").path()).problem().find("no ELF file"), std::string::npos);
  EXPECT_NE(ProgramBitcode(TextFile("").path()).problem().find("no ELF file"), std::string::npos);
  EXPECT_TRUE(compiled_objects("/no/such/file").empty());
}

}  // namespace
}  // namespace thrum
