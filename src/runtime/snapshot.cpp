// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/snapshot.hpp"

#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <algorithm>
#include <cstring>

#include "runtime/heap.hpp"
#include "runtime/raw_syscall.hpp"
#include "support/check.hpp"

namespace thrum {

constinit Forever<Snapshot> the_snapshot;

namespace {

constexpr std::uint64_t round_down(std::uint64_t address, std::uint64_t page) {
  return address & ~(page - 1);
}
constexpr std::uint64_t round_up(std::uint64_t address, std::uint64_t page) {
  return round_down(address + page - 1, page);
}

void protect(std::uint64_t begin, std::uint64_t end, int protection) {
  long result =
      raw_syscall(SYS_mprotect, static_cast<long>(begin), static_cast<long>(end - begin), protection);
  THRUM_CHECK(result == 0);
}

bool holds(const dl_phdr_info& module, std::uint64_t address) {
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    const auto& segment = module.dlpi_phdr[i];
    std::uint64_t begin = module.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD && begin <= address && address < begin + segment.p_memsz) return true;
  }
  return false;
}

// Where the main thread's stack ends upwards, arguments and environment included.
std::uint64_t initial_stack_end() {
  // The kernel places the program's file name last of all, right below the end.
  auto name = static_cast<std::uint64_t>(getauxval(AT_EXECFN));
  return round_up(name + std::strlen(reinterpret_cast<const char*>(name)) + 1, 4096);
}

}  // namespace

struct ModuleWalk {
  // The writable segments of a module, without what was made read-only after relocation.
  static int visit(dl_phdr_info* module, std::size_t, void* snapshot) {
    bool own = holds(*module, reinterpret_cast<std::uint64_t>(&the_snapshot));
    bool loader = std::strstr(module->dlpi_name, "ld-linux") != nullptr;
    if (own || loader) return 0;
    std::uint64_t read_only_end = 0;
    for (int i = 0; i < module->dlpi_phnum; ++i) {
      const auto& segment = module->dlpi_phdr[i];
      if (segment.p_type == PT_GNU_RELRO) {
        read_only_end = round_down(module->dlpi_addr + segment.p_vaddr + segment.p_memsz, Snapshot::kPage);
      }
    }
    for (int i = 0; i < module->dlpi_phnum; ++i) {
      const auto& segment = module->dlpi_phdr[i];
      if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) == 0) continue;
      std::uint64_t begin = module->dlpi_addr + segment.p_vaddr;
      std::uint64_t end = begin + segment.p_memsz;
      if (begin < read_only_end && read_only_end <= round_up(end, Snapshot::kPage)) begin = read_only_end;
      static_cast<Snapshot*>(snapshot)->add(begin, end);
    }
    return 0;
  }
};

void Snapshot::add(std::uint64_t begin, std::uint64_t end) {
  if (begin >= end) return;
  Region region;
  region.begin = round_down(begin, kPage);
  region.end = round_up(end, kPage);
  region.restored_from = region.begin;
  region.copy = new char[region.end - region.begin];
  region.writable.resize((region.end - region.begin) / kPage);
  regions_.push_back(std::move(region));
}

void Snapshot::take(std::uint64_t stack_pointer) {
  constexpr std::size_t kDirtyExpected = 4096;
  dirty_.reserve(kDirtyExpected);
  dl_iterate_phdr(&ModuleWalk::visit, this);
  for (ProgramHeap::Region region : {ProgramHeap::Region{0}, ProgramHeap::kPoolRegion}) {
    if (the_heap.region_end(region)) {
      add(reinterpret_cast<std::uint64_t>(the_heap.region_begin(region)),
          reinterpret_cast<std::uint64_t>(the_heap.region_end(region)));
    }
  }
  constexpr std::uint64_t kRedZone = 128;
  add(stack_pointer - kRedZone, initial_stack_end());
  regions_.back().restored_from = stack_pointer - kRedZone;
  for (Region& region : regions_) {
    std::memcpy(region.copy, reinterpret_cast<const char*>(region.begin), region.end - region.begin);
  }
  for (Region& region : regions_) protect(region.begin, region.end, PROT_READ);
  // The stack's lowest page goes on below, and is written all the time.
  protect(regions_.back().begin, regions_.back().begin + kPage, PROT_READ | PROT_WRITE);
  mark_writable(regions_.back(), 0);
}

void Snapshot::restore() {
  for (const DirtyRun& run : dirty_) std::memcpy(run.memory, run.copy, run.size);
}

void Snapshot::add_to(Digest& digest) const {
  for (const DirtyRun& run : dirty_) {
    // Which pages are on the list depends on earlier executions; which of them differ does not.
    if (std::memcmp(run.memory, run.copy, run.size) != 0) digest.add(run.memory, run.size);
  }
}

void Snapshot::drop() {
  for (Region& region : regions_) {
    protect(region.begin, region.end, PROT_READ | PROT_WRITE);
    delete[] region.copy;
  }
  regions_.clear();
  dirty_.clear();
}

void Snapshot::mark_writable(Region& region, std::size_t page) {
  region.writable[page] = true;
  std::uint64_t begin = std::max(region.begin + page * kPage, region.restored_from);
  std::uint64_t end = region.begin + (page + 1) * kPage;
  dirty_.push_back({reinterpret_cast<char*>(begin), region.copy + (begin - region.begin), end - begin});
}

bool Snapshot::unprotect(std::uint64_t address) {
  for (Region& region : regions_) {
    if (address < region.begin || address >= region.end) continue;
    std::size_t page = (address - region.begin) / kPage;
    if (region.writable[page]) return false;
    std::uint64_t begin = region.begin + page * kPage;
    protect(begin, begin + kPage, PROT_READ | PROT_WRITE);
    mark_writable(region, page);
    return true;
  }
  return false;
}

void Snapshot::prepare_write(std::uint64_t address, std::uint64_t size) {
  for (std::uint64_t page = round_down(address, kPage); page < address + size; page += kPage) unprotect(page);
}

}  // namespace thrum
