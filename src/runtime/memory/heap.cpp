// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/heap.hpp"

#include <sys/mman.h>
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "runtime/base/engine.hpp"
#include "runtime/base/page.hpp"
#include "runtime/base/world.hpp"
#include "runtime/memory/hooks.hpp"
#include "runtime/memory/memory_limit.hpp"
#include "support/check.hpp"
#include "support/digest.hpp"
#include "support/raw_syscall.hpp"

namespace thrum {

constinit ProgramHeap the_heap;

namespace {

constexpr std::uint64_t kHeap = ProgramHeap::kHeap;
constexpr std::uint64_t kRegionSize = ProgramHeap::kRegionSize;
constexpr std::size_t kGrain = 16;
constexpr std::size_t kExactMax =
    1024;  // a class for each multiple of 16 up to this; beyond, four for each power of two
constexpr std::size_t kExactClasses = kExactMax / kGrain;
constexpr std::size_t kClasses = kExactClasses + 4 * 24;
// Lists of free blocks are restored in parts of this size, by a few stores. To copy an unknown number of
// words the compiler would use an instruction that starts slowly.
constexpr std::size_t kFreePart = 4;
static_assert(kClasses % kFreePart == 0);

enum class BlockState : std::uint8_t { live = 0x5a, freed = 0xa5, aligned = 0x69 };

struct Block {
  std::uint64_t size;    // as requested; aligned: the distance from the block that holds it
  std::uint32_t number;  // number of the thread's allocation
  ThreadId thread;
  std::uint8_t size_class;
  BlockState state;

  void* memory() { return this + 1; }
  static Block* of(void* memory) { return static_cast<Block*>(memory) - 1; }
};
static_assert(sizeof(Block) == 16);

std::size_t class_of(std::size_t size) {
  if (size <= kExactMax) return size == 0 ? 0 : (size - 1) / kGrain;
  auto log = static_cast<std::size_t>(std::bit_width(size - 1)) - 1;  // size in (2^log, 2^(log+1)]
  std::size_t quarter = (size - 1 - (std::size_t{1} << log)) >> (log - 2);
  return kExactClasses + (log - 10) * 4 + quarter;
}

std::size_t class_size(std::size_t size_class) {
  if (size_class < kExactClasses) return (size_class + 1) * kGrain;
  std::size_t log = (size_class - kExactClasses) / 4 + 10;
  std::size_t quarter = (size_class - kExactClasses) % 4;
  return (std::size_t{1} << log) + ((quarter + 1) << (log - 2));
}

// Where the block begins for the program, seen from an address in it: if it was to have a larger alignment,
// it lies in one that holds it.
std::uint64_t aligned_memory(Block& outer, std::uint64_t address) {
  const auto begin = reinterpret_cast<std::uint64_t>(outer.memory());
  for (std::uint64_t inner = begin + sizeof(Block); inner <= address; inner += kGrain) {
    const Block* own = Block::of(reinterpret_cast<void*>(inner));
    // The size at the very beginning makes room for the next free block.
    const bool lost_size = outer.state == BlockState::freed && inner == begin + sizeof(Block);
    const bool is_inner = (lost_size || own->size == inner - begin) && own->number == outer.number &&
                          own->thread == outer.thread &&
                          (own->state == BlockState::aligned || own->state == BlockState::freed);
    if (is_inner) return inner;
  }
  return begin;
}

}  // namespace

struct ProgramHeap::Books {
  char* begin;            // nullptr: not mapped yet
  std::uint64_t* starts;  // a bit for each grain: a block's header is there
  char* end;              // memory beyond this was never used
  std::uint32_t numbers;  // allocations so far
  std::uint32_t frees;    // by the region's thread, whichever thread had allocated
  ThreadId thread;
  std::uint8_t classes_freed;  // lists from this one on were never used
  Block* free[kClasses];       // a list through the blocks' memory
};

namespace {

ProgramHeap::Books g_books[ProgramHeap::kRegionCount];
ProgramHeap::Books g_main_saved;

// The memory up to the end of its last page is not in use otherwise. A large range is given back to the
// kernel: a program may request much more than it accesses.
void clear(char* begin, std::size_t size) {
  constexpr std::size_t kMuch = std::size_t{4} << 20;
  if (size < kMuch) {
    std::memset(begin, 0, size);
    return;
  }
  std::size_t head = -reinterpret_cast<std::uint64_t>(begin) % kPage;
  std::memset(begin, 0, head);
  raw_syscall(SYS_madvise, reinterpret_cast<long>(begin + head), static_cast<long>(size - head),
              MADV_DONTNEED);
}

// The region is cut down to new_end: no block begins beyond.
void forget_starts(const ProgramHeap::Books& books, const char* new_end) {
  std::size_t from = static_cast<std::size_t>(new_end - books.begin) / kGrain;
  std::size_t to = (static_cast<std::size_t>(books.end - books.begin) / kGrain + 63) / 64;
  if (from / 64 >= to) return;
  books.starts[from / 64] &= (std::uint64_t{1} << from % 64) - 1;
  for (std::size_t word = from / 64 + 1; word < to; ++word) books.starts[word] = 0;
}

}  // namespace

ProgramHeap::Books& ProgramHeap::open(Region region) {
  Books& mine = g_books[region];
  if (__builtin_expect(mine.begin == nullptr, 0)) {
    auto begin = static_cast<long>(kHeap + region * kRegionSize);
    long mapped = raw_syscall(SYS_mmap, begin, static_cast<long>(kRegionSize), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    THRUM_CHECK(mapped == begin);
    mine.begin = mine.end = reinterpret_cast<char*>(mapped);
    long starts = raw_syscall(SYS_mmap, 0, static_cast<long>(kRegionSize / kGrain / 8),
                              PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    THRUM_CHECK(starts > 0);
    mine.starts = reinterpret_cast<std::uint64_t*>(starts);
  }
  return mine;
}

// A loop that changes the heap is no idle round.
static void note_change() {
  if (__builtin_expect(world.logs_accesses, 0)) return note_heap_change();
  world.wrote = true;
}

void ProgramHeap::initialize() { open(0); }

void* ProgramHeap::allocate(std::size_t size) {
  if (size >= kRegionSize / 2) return nullptr;
  note_change();
  Books& mine = open(region_);
  std::size_t size_class = class_of(size);
  Block* block = mine.free[size_class];
  gave_used_block_ = block != nullptr;
  if (block) {
    std::memcpy(&mine.free[size_class], block->memory(), sizeof(Block*));
  } else {
    std::size_t whole = sizeof(Block) + class_size(size_class);
    if (mine.end + whole > mine.begin + kRegionSize) return nullptr;
    the_memory_limit.take(whole);
    block = reinterpret_cast<Block*>(mine.end);
    std::size_t grain = static_cast<std::size_t>(mine.end - mine.begin) / kGrain;
    mine.starts[grain / 64] |= std::uint64_t{1} << grain % 64;
    mine.end += whole;
  }
  block->size = size;
  block->number = ++mine.numbers;
  block->thread = mine.thread;
  block->size_class = static_cast<std::uint8_t>(size_class);
  block->state = BlockState::live;
  if (__builtin_expect((!world.running || world.recording) && region_ != kPoolRegion, 0))
    note_block(mine.thread, mine.numbers, size);
  if (__builtin_expect(world.logs_accesses && world.running, 0))
    note_allocation(block->memory(), class_size(size_class), static_cast<std::uint32_t>(size_class),
                    !gave_used_block_);
  return block->memory();
}

void* ProgramHeap::allocate_aligned(std::size_t alignment, std::size_t size) {
  if (alignment <= kGrain) return allocate(size);
  if (size >= kRegionSize / 4 || alignment >= kRegionSize / 4) return nullptr;
  auto* outer = static_cast<char*>(allocate(size + alignment + sizeof(Block)));
  if (!outer) return nullptr;
  auto address = (reinterpret_cast<std::uint64_t>(outer) + sizeof(Block) + alignment - 1) & ~(alignment - 1);
  Block* inner = Block::of(reinterpret_cast<void*>(address));
  *inner = *Block::of(outer);
  inner->size = address - reinterpret_cast<std::uint64_t>(outer);
  inner->state = BlockState::aligned;
  Block::of(outer)->size = inner->size + size;  // so that its end is exact
  return inner->memory();
}

void ProgramHeap::release(void* memory) {
  if (!memory) return;
  note_change();
  if (!contains(reinterpret_cast<std::uint64_t>(memory)))
    fail_here(BugKind::double_free, "free of an address that malloc did not give");
  Block* block = Block::of(memory);
  if (block->state == BlockState::aligned) {
    auto* outer = static_cast<char*>(memory) - block->size;
    block->state = BlockState::freed;
    block = Block::of(outer);
  }
  if (block->state == BlockState::freed) fail_here(BugKind::double_free, "a block is freed twice");
  if (block->state != BlockState::live)
    fail_here(BugKind::double_free, "free of an address that malloc did not give");
  block->state = BlockState::freed;
  ++open(region_).frees;
  if (__builtin_expect(world.logs_accesses && world.running, 0))
    note_release(block->memory(), class_size(block->size_class), block->size_class);
  if (world.job->heap == Heap::fresh) return;
  Books& mine = open(region_);
  std::memcpy(block->memory(), &mine.free[block->size_class], sizeof(Block*));
  mine.free[block->size_class] = block;
  if (block->size_class >= mine.classes_freed)
    mine.classes_freed = static_cast<std::uint8_t>(block->size_class + 1);
}

std::size_t ProgramHeap::size_of(void* memory) const {
  Block* block = Block::of(memory);
  if (block->state != BlockState::aligned) return block->size;
  return Block::of(static_cast<char*>(memory) - block->size)->size - block->size;
}

ProgramHeap::Region ProgramHeap::use_region(Region region) {
  Region before = region_;
  region_ = region;
  return before;
}

void ProgramHeap::name_thread(Region region, ThreadId thread) { open(region).thread = thread; }

char* ProgramHeap::region_begin(Region region) const { return g_books[region].begin; }

char* ProgramHeap::region_end(Region region) const { return g_books[region].end; }

void ProgramHeap::add_to(Digest& digest, Region region) const {
  const Books& books = g_books[region];
  for (const char* at = books.begin; at < books.end;) {
    const auto* block = reinterpret_cast<const Block*>(at);
    const std::size_t whole = sizeof(Block) + class_size(block->size_class);
    if (block->state == BlockState::freed) {
      digest.add(reinterpret_cast<const char*>(&block->size_class), sizeof block->size_class);
    } else {
      digest.add(at, whole);
    }
    at += whole;
  }
}

bool ProgramHeap::contains(std::uint64_t address) const {
  if (address < kHeap || address >= kHeap + kRegionCount * kRegionSize) return false;
  return reinterpret_cast<char*>(address) < g_books[(address - kHeap) / kRegionSize].end;
}

bool ProgramHeap::is_heap(std::uint64_t address) {
  return kHeap <= address && address < kHeap + kRegionCount * kRegionSize;
}

ProgramHeap::Use ProgramHeap::use_of(std::uint64_t address, std::uint64_t size) const {
  if (!contains(address)) return {State::outside};
  const Books& books = g_books[(address - kHeap) / kRegionSize];
  std::size_t grain = (address - reinterpret_cast<std::uint64_t>(books.begin)) / kGrain;
  std::size_t word = grain / 64;
  std::uint64_t bits = books.starts[word] & (~std::uint64_t{0} >> (63 - grain % 64));
  while (bits == 0 && word != 0) bits = books.starts[--word];
  if (bits == 0) return {State::outside};
  std::size_t start = word * 64 + 63 - static_cast<std::size_t>(std::countl_zero(bits));
  auto* block = reinterpret_cast<Block*>(books.begin + start * kGrain);
  auto begin = reinterpret_cast<std::uint64_t>(block->memory());
  if (address < begin || address + size > begin + block->size) return {State::beside, begin, block->size};
  return {block->state == BlockState::live ? State::live : State::freed, begin, block->size};
}

std::uint64_t ProgramHeap::live_size(std::uint64_t address) const {
  if (!contains(address)) return 0;
  const Block* block = Block::of(reinterpret_cast<void*>(address));
  return block->state == BlockState::live || block->state == BlockState::aligned
             ? size_of(reinterpret_cast<void*>(address))
             : 0;
}

bool ProgramHeap::find(std::uint64_t address, BlockName& name) const {
  if (!contains(address)) return false;
  const Books& mine = g_books[(address - kHeap) / kRegionSize];
  char* place = mine.begin;
  while (place < mine.end) {
    auto* block = reinterpret_cast<Block*>(place);
    auto* memory = static_cast<char*>(block->memory());
    char* next = memory + class_size(block->size_class);
    if (reinterpret_cast<char*>(address) < next) {
      if (reinterpret_cast<char*>(address) < memory) return false;
      const std::uint64_t begin = aligned_memory(*block, address);
      name = {block->thread, block->number, address - begin};
      return true;
    }
    place = next;
  }
  return false;
}

void ProgramHeap::save() {
  g_main_saved = g_books[0];
  // The end after restore(), even if a block was overrun before.
  char* end = g_main_saved.end;
  std::memset(end, 0, -reinterpret_cast<std::uint64_t>(end) % kPage);
}

void ProgramHeap::add_changes(Region slots, std::vector<std::span<const char>>& changes) const {
  for (Region region = 0; region < slots; ++region) {
    const Books& books = g_books[region];
    changes.emplace_back(reinterpret_cast<const char*>(&books),
                         offsetof(Books, free) + books.classes_freed * sizeof(Block*));
    char* begin = region == 0 ? g_main_saved.end : books.begin;
    if (begin < books.end) changes.emplace_back(begin, static_cast<std::size_t>(books.end - begin));
  }
}

void ProgramHeap::add_starts(Region slots, std::vector<std::span<const char>>& changes) const {
  constexpr std::size_t kBits = 64;
  for (Region region = 0; region < slots; ++region) {
    const Books& books = g_books[region];
    const char* begin = region == 0 ? g_main_saved.end : books.begin;
    if (begin == books.end) continue;
    const std::size_t from = static_cast<std::size_t>(begin - books.begin) / kGrain / kBits;
    const std::size_t to = (static_cast<std::size_t>(books.end - books.begin) / kGrain + kBits - 1) / kBits;
    changes.emplace_back(reinterpret_cast<const char*>(books.starts + from),
                         (to - from) * sizeof *books.starts);
  }
}

LiveBlock ProgramHeap::describe(const void* place) {
  const auto* block = static_cast<const Block*>(place);
  return {reinterpret_cast<std::uint64_t>(block + 1), block->size, block->thread, block->number};
}

// Visits the blocks whose headers lie in the range or whose bytes reach into it.
template <typename Visit>
void ProgramHeap::visit_live(const Books& books, char* from, char* to, Visit visit) const {
  to = std::min(to, books.end);
  if (from >= to) return;
  std::size_t grain = static_cast<std::size_t>(from - books.begin) / kGrain;
  std::size_t word = grain / 64;
  std::uint64_t bits = books.starts[word] & (~std::uint64_t{0} >> (63 - grain % 64));
  while (bits == 0 && word != 0) bits = books.starts[--word];
  if (bits == 0) return;
  char* place = books.begin + (word * 64 + 63 - static_cast<std::size_t>(std::countl_zero(bits))) * kGrain;
  while (place < to) {
    auto* block = reinterpret_cast<Block*>(place);
    if (block->state == BlockState::live) visit(describe(block));
    place += sizeof(Block) + class_size(block->size_class);
  }
}

bool ProgramHeap::find_live(std::uint64_t address, LiveBlock& found) const {
  if (!contains(address)) return false;
  auto* place = reinterpret_cast<char*>(address);
  bool holds = false;
  visit_live(g_books[(address - kHeap) / kRegionSize], place, place + 1, [&](const LiveBlock& block) {
    if (!block.holds(address)) return;
    found = block;
    holds = true;
  });
  return holds;
}

std::uint64_t ProgramHeap::live_blocks(Region slots) const {
  std::uint64_t live = 0;
  for (Region region = 0; region < slots; ++region)
    live += std::uint64_t{g_books[region].numbers} - g_books[region].frees;
  return live;
}

template <typename Visit>
void ProgramHeap::visit_all_live(Region slots, Visit visit) const {
  for (Region region = 0; region < slots; ++region) {
    const Books& books = g_books[region];
    if (books.begin != nullptr) visit_live(books, books.begin, books.end, visit);
  }
}

void ProgramHeap::add_live(Region slots, std::uint32_t before, std::vector<LiveBlock>& blocks) const {
  visit_all_live(slots, [&](const LiveBlock& block) {
    if (block.thread != kMainThread || block.number > before) blocks.push_back(block);
  });
}

void ProgramHeap::add_first(std::uint32_t before, std::vector<std::span<const char>>& parts) const {
  visit_all_live(1, [&](const LiveBlock& block) {
    if (block.thread == kMainThread && block.number <= before)
      parts.emplace_back(reinterpret_cast<const char*>(block.begin), block.size);
  });
}

std::uint32_t ProgramHeap::allocated(Region region) const { return g_books[region].numbers; }

void ProgramHeap::restore(Region slots) {
  Books& main = g_books[0];
  char* kept = g_main_saved.end;
  if (main.end > kept) clear(kept, static_cast<std::size_t>(main.end - kept));
  forget_starts(main, g_main_saved.end);
  std::size_t lists = std::max(main.classes_freed, g_main_saved.classes_freed);
  std::memcpy(static_cast<void*>(&main), &g_main_saved, offsetof(Books, free));
  for (std::size_t at = 0; at < lists; at += kFreePart)
    std::memcpy(main.free + at, g_main_saved.free + at, kFreePart * sizeof(Block*));
  for (Region region = 1; region < slots; ++region) empty(g_books[region]);
  region_ = 0;
}

void ProgramHeap::empty(Books& books) {
  if (books.begin == nullptr) return;
  // Skipped if empty: a masked store of no bytes to a page that was never accessed is slow.
  if (books.end != books.begin) clear(books.begin, static_cast<std::size_t>(books.end - books.begin));
  for (std::size_t at = 0; at < books.classes_freed; at += kFreePart)
    std::memset(books.free + at, 0, kFreePart * sizeof(Block*));
  forget_starts(books, books.begin);
  books.end = books.begin;
  books.numbers = books.frees = 0;
  books.classes_freed = 0;
}

}  // namespace thrum
