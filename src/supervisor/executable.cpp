// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "supervisor/executable.hpp"

#include <fcntl.h>
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>

namespace thrum {

namespace {

constexpr std::string_view kRuntime = "libthrum.so";

class OpenElf {
 public:
  explicit OpenElf(const std::string& path) : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    elf_version(EV_CURRENT);
    if (file_ >= 0) elf_ = elf_begin(file_, ELF_C_READ, nullptr);
  }
  ~OpenElf() {
    elf_end(elf_);
    if (file_ >= 0) close(file_);
  }
  OpenElf(const OpenElf&) = delete;
  OpenElf& operator=(const OpenElf&) = delete;

  Elf* get() const { return elf_; }

 private:
  int file_;
  Elf* elf_ = nullptr;
};

bool needs_runtime(Elf* elf) {
  for (Elf_Scn* section = elf_nextscn(elf, nullptr); section != nullptr;
       section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_DYNAMIC || header.sh_entsize == 0)
      continue;
    Elf_Data* data = elf_getdata(section, nullptr);
    if (data == nullptr) continue;
    auto count = static_cast<int>(header.sh_size / header.sh_entsize);
    for (int i = 0; i < count; ++i) {
      GElf_Dyn entry;
      if (gelf_getdyn(data, i, &entry) == nullptr || entry.d_tag != DT_NEEDED) continue;
      const char* name = elf_strptr(elf, header.sh_link, entry.d_un.d_val);
      if (name != nullptr && name == kRuntime) return true;
    }
  }
  return false;
}

}  // namespace

std::string executable_problem(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return path + ": " + std::strerror(errno);
  if (S_ISDIR(status.st_mode)) return path + ": is a directory; name a program or source files";
  if (!S_ISREG(status.st_mode)) return path + ": is not a regular file; name a program or source files";
  OpenElf elf(path);
  GElf_Ehdr header;
  bool is_program = elf.get() != nullptr && elf_kind(elf.get()) == ELF_K_ELF &&
                    gelf_getehdr(elf.get(), &header) != nullptr &&
                    (header.e_type == ET_EXEC || header.e_type == ET_DYN);
  if (!is_program)
    return path + ": is not an ELF executable; name a program built with thrum c++, or source files";
  if (access(path.c_str(), X_OK) != 0) return path + ": is not executable: " + std::strerror(errno);
  if (!needs_runtime(elf.get())) {
    return path + ": was not built with thrum; compile and link it with thrum c++ (or thrum cc)";
  }
  return "";
}

}  // namespace thrum
