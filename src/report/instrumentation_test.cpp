// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Symbol tables as linkers write them, made by hand. What compilers really emit:
// tests/endtoend/objects_test.cpp.
#include "report/instrumentation.hpp"

#include <fcntl.h>
#include <gelf.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

namespace thrum {
namespace {

using Names = std::vector<std::string>;

struct TestSymbol {
  unsigned char type;
  std::string name;
};

TestSymbol file(const std::string& name) { return {STT_FILE, name}; }
TestSymbol function(const std::string& name) { return {STT_FUNC, name}; }

// An ELF file with a table of local symbols (unless there are none) and one of imported names.
class MadeElf {
 public:
  explicit MadeElf(const std::vector<TestSymbol>& symbols, const Names& imports = {"__tsan_init"}) {
    elf_version(EV_CURRENT);
    int out = mkstemp(path_);
    Elf* elf = elf_begin(out, ELF_C_WRITE, nullptr);
    Elf64_Ehdr* header = elf64_newehdr(elf);
    header->e_ident[EI_DATA] = ELFDATA2LSB;
    header->e_machine = EM_X86_64;
    header->e_type = ET_DYN;
    header->e_version = EV_CURRENT;
    if (!symbols.empty()) add_table(elf, SHT_SYMTAB, symbols, true);
    std::vector<TestSymbol> imported;
    for (const std::string& name : imports) imported.push_back({STT_NOTYPE, name});
    add_table(elf, SHT_DYNSYM, imported, false);
    EXPECT_GT(elf_update(elf, ELF_C_WRITE), 0) << elf_errmsg(-1);
    elf_end(elf);
    close(out);
  }
  ~MadeElf() { unlink(path_); }
  MadeElf(const MadeElf&) = delete;
  MadeElf& operator=(const MadeElf&) = delete;

  ModuleFiles files() const { return files_of_module(path_); }

 private:
  struct Table {
    std::string strings;
    std::vector<Elf64_Sym> symbols;
  };

  static void add_section(Elf* elf, Elf64_Word type, void* bytes, std::size_t size, Elf_Type kind,
                          const Elf64_Shdr& more) {
    Elf_Scn* section = elf_newscn(elf);
    Elf_Data* data = elf_newdata(section);
    data->d_buf = bytes;
    data->d_size = size;
    data->d_type = kind;
    data->d_version = EV_CURRENT;
    data->d_align = 8;
    Elf64_Shdr* header = elf64_getshdr(section);
    header->sh_type = type;
    header->sh_link = more.sh_link;
    header->sh_info = more.sh_info;
    header->sh_entsize = more.sh_entsize;
  }

  void add_table(Elf* elf, Elf64_Word type, const std::vector<TestSymbol>& symbols, bool local) {
    Table& table = tables_[local ? 0 : 1];
    table.strings.assign(1, '\0');
    table.symbols.emplace_back();
    for (const TestSymbol& symbol : symbols) {
      Elf64_Sym entry{};
      entry.st_name = static_cast<Elf64_Word>(table.strings.size());
      entry.st_info = static_cast<unsigned char>(ELF64_ST_INFO(local ? STB_LOCAL : STB_GLOBAL, symbol.type));
      table.symbols.push_back(entry);
      table.strings += symbol.name + '\0';
    }
    add_section(elf, SHT_STRTAB, table.strings.data(), table.strings.size(), ELF_T_BYTE, {});
    Elf64_Shdr more{};
    more.sh_link = local ? 1 : static_cast<Elf64_Word>(tables_[0].symbols.empty() ? 1 : 3);
    more.sh_info = local ? static_cast<Elf64_Word>(table.symbols.size()) : 1;
    more.sh_entsize = sizeof(Elf64_Sym);
    add_section(elf, type, table.symbols.data(), table.symbols.size() * sizeof(Elf64_Sym), ELF_T_SYM, more);
  }

  char path_[32] = "/tmp/thrum-made-elf.XXXXXX";
  Table tables_[2];
};

const TestSymbol kGnu = function("_sub_I_00099_0");
const TestSymbol kClang = function("tsan.module_ctor");

TEST(Instrumentation, AFileWithoutTheConstructorIsNamed) {
  ModuleFiles files =
      MadeElf({file("crtstuff.c"), function("frame_dummy"), file("b.cpp"), kGnu, file("stock.c"),
               function("helper"), file("a.cpp"), function("f"), kClang, file("more.c"), file("crtstuff.c"),
               file(""), function("__clang_call_terminate")})
          .files();
  EXPECT_TRUE(files.known);
  EXPECT_EQ(files.uninstrumented, (Names{"more.c", "stock.c"}));
}

TEST(Instrumentation, EveryFileHasTheConstructor) {
  ModuleFiles files = MadeElf({file("Scrt1.o"), file("a.cpp"), function("_sub_I_00099_2"), file("b.cpp"),
                               function("tsan.module_ctor.4"), file("crtstuff.c")})
                          .files();
  EXPECT_TRUE(files.known);
  EXPECT_EQ(files.uninstrumented, Names{});
}

// What was optimised together at link time is one file without a name.
TEST(Instrumentation, LinkTimeOptimisation) {
  ModuleFiles files =
      MadeElf({file("crtstuff.c"), file(""), function("_sub_I_00099_0.0"), file("stock.c"), file("")})
          .files();
  EXPECT_TRUE(files.known);
  EXPECT_EQ(files.uninstrumented, Names{"stock.c"});
}

TEST(Instrumentation, ANameOfTwoFilesStandsTwice) {
  ModuleFiles files =
      MadeElf({file("util.c"), file("main.c"), kGnu, file("util.c"), file("util.c"), kGnu}).files();
  EXPECT_EQ(files.uninstrumented, (Names{"util.c", "util.c"}));
}

// Nothing in it was instrumented.
TEST(Instrumentation, AModuleThatImportsNoInstrumentation) {
  ModuleFiles files = MadeElf({file("main.c"), function("helper")}, {"puts"}).files();
  EXPECT_TRUE(files.known);
  EXPECT_EQ(files.uninstrumented, Names{"main.c"});
}

// The constructor of a user's own priority is another.
TEST(Instrumentation, OtherConstructors) {
  ModuleFiles files =
      MadeElf({file("a.cpp"), kGnu, file("s.c"), function("_sub_I_00100_0"), function("tsan.module_ctors")})
          .files();
  EXPECT_EQ(files.uninstrumented, Names{"s.c"});
}

TEST(Instrumentation, StrippedFilesAreUnknown) {
  EXPECT_FALSE(MadeElf({}).files().known) << "strip";
  EXPECT_FALSE(MadeElf({kGnu, kGnu}).files().known) << "strip -g leaves the functions and takes the names";
  EXPECT_FALSE(MadeElf({file("crtstuff.c"), file("a.cpp"), file("b.cpp")}).files().known)
      << "strip -x leaves the names";
}

// Which it is stands in .comment; here in none, so that it may be an old one.
TEST(Instrumentation, FilesOfClang) {
  EXPECT_TRUE(MadeElf({file("a.cpp"), kGnu, file("b.cpp"), kClang}).files().by_old_clang);
  EXPECT_FALSE(MadeElf({file("a.cpp"), kGnu}).files().by_old_clang);
  EXPECT_FALSE(MadeElf({}).files().by_old_clang);
}

TEST(Instrumentation, FilesThatAreNoPrograms) {
  EXPECT_FALSE(files_of_module("/no/such/file").known);
  EXPECT_FALSE(files_of_module("/etc/passwd").known);
  EXPECT_FALSE(files_of_module("/").known);
}

}  // namespace
}  // namespace thrum
