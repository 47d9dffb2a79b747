// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/snapshot.hpp"

#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <algorithm>
#include <cstring>

#include "runtime/base/modules.hpp"
#include "runtime/base/notes.hpp"
#include "runtime/memory/heap.hpp"
#include "support/check.hpp"
#include "support/raw_syscall.hpp"

namespace thrum {

constinit Forever<Snapshot> the_snapshot;

namespace {

constexpr std::uint64_t round_down(std::uint64_t address, std::uint64_t page) {
  return address & ~(page - 1);
}
constexpr std::uint64_t round_up(std::uint64_t address, std::uint64_t page) {
  return round_down(address + page - 1, page);
}

bool try_protect(std::uint64_t begin, std::uint64_t end, int protection) {
  return raw_syscall(SYS_mprotect, static_cast<long>(begin), static_cast<long>(end - begin), protection) == 0;
}

void protect(std::uint64_t begin, std::uint64_t end, int protection) {
  THRUM_CHECK(try_protect(begin, end, protection));
}

// Aligned like the original (docs/experiments/001-rolled-back-pages.md).
char* map_copy(std::uint64_t size) {
  long memory = raw_syscall(SYS_mmap, 0, static_cast<long>(size), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  THRUM_CHECK(memory > 0);
  return reinterpret_cast<char*>(memory);
}

// The range from the first to the last byte that differs from the copy, in whole blocks.
std::span<const char> changed_part(const char* memory, const char* copy, std::size_t size) {
  constexpr std::size_t kBlock = 128;
  if (std::memcmp(memory, copy, size) == 0) return {};
  auto same = [&](std::size_t at) {
    return std::memcmp(memory + at, copy + at, std::min(kBlock, size - at)) == 0;
  };
  std::size_t first = 0;
  while (same(first)) first += kBlock;
  std::size_t last = (size - 1) / kBlock * kBlock;
  while (same(last)) last -= kBlock;
  return {memory + first, std::min(last + kBlock, size) - first};
}

// The upper end of the main stack, arguments and environment included.
std::uint64_t initial_stack_end() {
  // The kernel puts the program's file name right below the end.
  auto name = static_cast<std::uint64_t>(getauxval(AT_EXECFN));
  return round_up(name + std::strlen(reinterpret_cast<const char*>(name)) + 1, kPage);
}

}  // namespace

struct ModuleWalk {
  // Adds the writable segments of a module, without parts made read-only after relocation.
  static int visit(dl_phdr_info* module, std::size_t, void* snapshot) {
    bool own = holds(*module, reinterpret_cast<std::uint64_t>(&the_snapshot));
    bool loader = std::strstr(module->dlpi_name, "ld-linux") != nullptr;
    if (own || loader) return 0;
    std::uint64_t read_only_end = 0;
    for (int i = 0; i < module->dlpi_phnum; ++i) {
      const auto& segment = module->dlpi_phdr[i];
      if (segment.p_type == PT_GNU_RELRO) {
        read_only_end = round_down(module->dlpi_addr + segment.p_vaddr + segment.p_memsz, kPage);
      }
    }
    for (int i = 0; i < module->dlpi_phnum; ++i) {
      const auto& segment = module->dlpi_phdr[i];
      if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) == 0) continue;
      std::uint64_t begin = module->dlpi_addr + segment.p_vaddr;
      std::uint64_t end = begin + segment.p_memsz;
      if (begin < read_only_end && read_only_end <= round_up(end, kPage)) begin = read_only_end;
      if (begin < end) static_cast<Snapshot*>(snapshot)->add(begin, end);
    }
    return 0;
  }
};

Snapshot::Region& Snapshot::add(std::uint64_t begin, std::uint64_t end) {
  Region region;
  region.begin = round_down(begin, kPage);
  region.end = round_up(end, kPage);
  region.restored_from = region.begin;
  region.restored_to = region.end;
  region.protection = PROT_READ | PROT_WRITE;
  region.shared_file = false;
  region.copy = map_copy(region.end - region.begin);
  region.writable.resize((region.end - region.begin) / kPage);
  regions_.push_back(std::move(region));
  return regions_.back();
}

void Snapshot::take(std::uint64_t stack_pointer, const std::vector<Mapping>& mappings) {
  constexpr std::size_t kDirtyExpected = 4096;
  dirty_.reserve(kDirtyExpected);
  dl_iterate_phdr(&ModuleWalk::visit, this);
  for (ProgramHeap::Region of : {ProgramHeap::Region{0}, ProgramHeap::kPoolRegion}) {
    auto begin = reinterpret_cast<std::uint64_t>(the_heap.region_begin(of));
    auto end = reinterpret_cast<std::uint64_t>(the_heap.region_end(of));
    if (begin == end) continue;
    Region& region = add(begin, end);
    if (of == 0) region.restored_to = end;
  }
  for (const Mapping& mapping : mappings) {
    Region& region = add(mapping.begin, mapping.end);
    region.protection = mapping.protection;
    region.shared_file = mapping.shared_file;
  }
  constexpr std::uint64_t kRedZone = 128;
  add(stack_pointer - kRedZone, initial_stack_end());
  regions_.back().restored_from = stack_pointer - kRedZone;
  for (const Region& region : regions_) {
    if ((region.protection & PROT_WRITE) != 0)
      protect(region.begin, region.end, region.protection & ~PROT_WRITE);
  }
  // The stack's lowest page extends below the snapshot, and is written all the time.
  protect(regions_.back().begin, regions_.back().begin + kPage, PROT_READ | PROT_WRITE);
  mark_writable(regions_.back(), 0);
}

void Snapshot::copy_back() const {
  for (const DirtyRun& run : dirty_) std::memcpy(run.memory, run.copy, run.size);
}

void Snapshot::restore() {
  if (__builtin_expect(!changes_.empty(), 0)) undo_changes();
  copy_back();
}

bool Snapshot::covers(std::uint64_t begin, std::uint64_t end) const {
  while (begin < end) {
    auto region = std::find_if(regions_.begin(), regions_.end(), [&](const Region& r) {
      return r.begin <= begin && begin < r.end && r.restored_from == r.begin;
    });
    if (region == regions_.end()) return false;
    begin = region->end;
  }
  return true;
}

// Sets the protection of the region's pages in the range. Pages that are not copied yet stay write-protected.
void Snapshot::protect_pages(const Region& region, std::uint64_t begin, std::uint64_t end,
                             int protection) const {
  begin = std::max(begin, region.begin);
  end = std::min(end, region.end);
  for (std::uint64_t run = begin; run < end; begin = run) {
    bool writable = region.writable[(begin - region.begin) / kPage];
    while (run < end && region.writable[(run - region.begin) / kPage] == writable) run += kPage;
    protect(begin, run, writable ? protection : protection & ~PROT_WRITE);
  }
}

void Snapshot::change_protection(std::uint64_t begin, std::uint64_t end, int protection) {
  for (const Region& region : regions_) protect_pages(region, begin, end, protection);
  changes_.push_back({begin, end, protection});
}

int Snapshot::protection_at(const Region& region, std::uint64_t address) const {
  auto latest = std::find_if(changes_.rbegin(), changes_.rend(), [&](const Change& change) {
    return change.begin <= address && address < change.end;
  });
  return latest == changes_.rend() ? region.protection : latest->protection;
}

// A page that only one execution wrote is not copied back each time: it is protected again.
void Snapshot::forget_page(Region& region, std::size_t page) {
  region.writable[page] = false;
  const auto* memory = reinterpret_cast<const char*>(region.begin + page * kPage);
  dirty_.erase(
      std::find_if(dirty_.begin(), dirty_.end(), [&](const DirtyRun& run) { return run.memory == memory; }));
}

void Snapshot::undo_changes() {
  auto for_each_change = [&](auto visit) {
    for (const Change& change : changes_) {
      for (Region& region : regions_) {
        std::uint64_t begin = std::max(change.begin, region.begin);
        std::uint64_t end = std::min(change.end, region.end);
        if (begin < end) visit(region, begin, end);
      }
    }
  };
  for_each_change([](const Region&, std::uint64_t begin, std::uint64_t end) {
    // May be refused for a file that is mapped for reading; then nothing was written to it either.
    try_protect(begin, end, PROT_READ | PROT_WRITE);
  });
  copy_back();
  for_each_change([&](Region& region, std::uint64_t begin, std::uint64_t end) {
    bool lasting = (region.protection & PROT_WRITE) != 0;
    for (std::uint64_t at = begin; at < end && !lasting; at += kPage) {
      std::size_t page = (at - region.begin) / kPage;
      if (region.writable[page]) forget_page(region, page);
    }
    protect_pages(region, begin, end, region.protection);
  });
  changes_.clear();
}

void Snapshot::add_to(Digest& digest) const {
  for (const DirtyRun& run : dirty_) {
    // The list of pages depends on earlier executions; the set of pages that differ does not.
    auto address = reinterpret_cast<std::uint64_t>(run.memory);
    bool hidden = std::any_of(changes_.begin(), changes_.end(), [&](const Change& change) {
      return change.begin <= address && address < change.end && (change.protection & PROT_READ) == 0;
    });
    // Of the main stack the snapshot holds everything above some pointer, dead frames included.
    if (hidden || address >= regions_.back().begin || ProgramHeap::is_heap(address)) continue;
    if (std::memcmp(run.memory, run.copy, run.size) != 0) digest.add(run.memory, run.size);
  }
}

void Snapshot::add_changes(std::uint64_t stack_pointer, std::vector<std::span<const char>>& changes) const {
  const Region& stack = regions_.back();
  for (const DirtyRun& run : dirty_) {
    auto begin = reinterpret_cast<std::uint64_t>(run.memory);
    std::uint64_t dead = stack.begin <= begin && begin < stack_pointer
                             ? std::min<std::uint64_t>(stack_pointer - begin, run.size)
                             : 0;
    std::span<const char> part = changed_part(run.memory + dead, run.copy + dead, run.size - dead);
    if (!part.empty()) changes.push_back(part);
  }
  if (stack_pointer < stack.restored_from)
    changes.emplace_back(reinterpret_cast<const char*>(stack_pointer), stack.restored_from - stack_pointer);
}

void Snapshot::add_written(std::vector<std::span<const char>>& pages,
                           std::vector<std::span<const char>>& hidden) const {
  for (const DirtyRun& run : dirty_) {
    auto address = reinterpret_cast<std::uint64_t>(run.memory);
    if (address >= regions_.back().begin && address < regions_.back().end) continue;
    bool protection_changed = std::any_of(changes_.begin(), changes_.end(), [&](const Change& change) {
      return change.begin <= address && address < change.end && (change.protection & PROT_READ) == 0;
    });
    (protection_changed ? hidden : pages).emplace_back(run.memory, run.size);
  }
}

void Snapshot::add_data(std::vector<std::span<const char>>& data) const {
  for (std::size_t i = 0; i + 1 < regions_.size(); ++i) {
    if (ProgramHeap::is_heap(regions_[i].begin)) continue;
    data.emplace_back(reinterpret_cast<const char*>(regions_[i].begin), regions_[i].end - regions_[i].begin);
  }
}

bool Snapshot::forget_unchanged(std::size_t least) {
  auto changed = [&](const DirtyRun& run) {
    return reinterpret_cast<std::uint64_t>(run.memory) >= regions_.back().begin ||
           std::memcmp(run.memory, run.copy, run.size) != 0;
  };
  auto unchanged = std::stable_partition(dirty_.begin(), dirty_.end(), changed);
  if (static_cast<std::size_t>(dirty_.end() - unchanged) < least) return false;
  for (auto run = unchanged; run != dirty_.end(); ++run) {
    auto address = reinterpret_cast<std::uint64_t>(run->memory);
    auto region = std::find_if(regions_.begin(), regions_.end(), [&](const Region& each) {
      return each.begin <= address && address < each.end;
    });
    region->writable[(address - region->begin) / kPage] = false;
    protect(address, address + kPage, region->protection & ~PROT_WRITE);
  }
  dirty_.erase(unchanged, dirty_.end());
  return true;
}

void Snapshot::drop() {
  for (Region& region : regions_) {
    protect(region.begin, region.end, region.protection);
    raw_syscall(SYS_munmap, reinterpret_cast<long>(region.copy),
                static_cast<long>(region.end - region.begin));
  }
  regions_.clear();
  dirty_.clear();
}

void Snapshot::mark_writable(Region& region, std::size_t page) {
  region.writable[page] = true;
  std::uint64_t begin = std::max(region.begin + page * kPage, region.restored_from);
  std::uint64_t end = std::min(region.begin + (page + 1) * kPage, region.restored_to);
  char* copy = region.copy + (begin - region.begin);
  std::memcpy(copy, reinterpret_cast<const char*>(begin), end - begin);
  dirty_.push_back({reinterpret_cast<char*>(begin), copy, end - begin});
}

bool Snapshot::unprotect(std::uint64_t address) {
  for (Region& region : regions_) {
    if (address < region.begin || address >= region.end) continue;
    std::size_t page = (address - region.begin) / kPage;
    int protection = protection_at(region, address);
    if (region.writable[page] || (protection & PROT_WRITE) == 0) return false;
    if (region.shared_file) {
      notes().uncontrolled(
          "uncontrolled-memory",
          "the program writes to a file that it has mapped shared, which is not under control");
    }
    std::uint64_t begin = region.begin + page * kPage;
    protect(begin, begin + kPage, protection | PROT_READ);
    mark_writable(region, page);
    return true;
  }
  return false;
}

void Snapshot::prepare_write(std::uint64_t address, std::uint64_t size) {
  for (const Region& region : regions_) {
    std::uint64_t begin = std::max(round_down(address, kPage), region.begin);
    std::uint64_t end = std::min(round_up(address + size, kPage), region.end);
    for (; begin < end; begin += kPage) unprotect(begin);
  }
}

}  // namespace thrum
