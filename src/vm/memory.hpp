// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory of the program under test, and of the machine itself as far as it belongs to the program's
// state: real memory at fixed addresses, with a byte of shadow for each byte, and a log of the words that
// were overwritten, by which the state of an earlier moment comes back.
//
// Thread safety: none; one object in a process.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "vm/address_space.hpp"

namespace thrum::vm {

// What the shadow says of a byte.
enum ShadowBits : std::uint8_t {
  kAddressable = 1,
  kDefined = 2,  // it was written
  kTagged = 4,   // an expression stands for its value
  kReadOnly = 8,
  kFreed = 16,   // of a block that was freed
  kDead = 32,    // of a variable whose scope has ended
  kHeader = 64,  // in front of a block of the heap
};
// Memory that the program may not access for now (mprotect): kDefined alone. It keeps what it holds.
inline constexpr std::uint8_t kProtected = kDefined;

template <typename Word>
constexpr Word repeated(std::uint8_t byte) {
  return static_cast<Word>(byte * 0x0101'0101'0101'0101U);
}

constexpr bool in_arena(std::uint64_t address) { return address - kArena < kArenaSize; }
// Whether all bytes of the range are in it. size: less than the arena's.
constexpr bool in_arena(std::uint64_t address, std::uint64_t size) {
  return in_arena(address) && size <= kArenaSize && address + size <= kArena + kArenaSize;
}

template <typename T>
T& at(std::uint64_t address) {
  return *reinterpret_cast<T*>(address);
}
template <typename T>
T& shadow_at(std::uint64_t address) {
  return *reinterpret_cast<T*>(address + kShadowDistance);
}

// A moment to which undo() can return.
struct Mark {
  std::uint64_t entries = 0;
};

class Memory {
 public:
  Memory();
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  // From here on the words that are overwritten are kept. Before, nothing can be undone.
  void keep_log() { keeps_ = true; }
  Mark mark() const { return {static_cast<std::uint64_t>(next_ - log_)}; }
  // Brings all words back that were overwritten since the mark. Marks set since then are gone.
  void undo(Mark mark);

  // Calls visit(address, old value) for each overwriting of a word between the marks, in their order. Words
  // that were noted together as a range are left out where wants(address of the first one) says no.
  template <typename Wants, typename Visit>
  void each_overwritten(Mark from, Mark to, Wants wants, Visit visit) const {
    for (const Entry* entry = log_ + from.entries; entry < log_ + to.entries; ++entry) {
      if (!entry->is_range()) {
        visit(entry->address, entry->old);
        continue;
      }
      const std::uint64_t first = entry->address - Entry::kRange, count = entry->old;
      const auto* const words = reinterpret_cast<const std::uint64_t*>(entry + 1);
      if (wants(first)) {
        for (std::uint64_t i = 0; i < count; ++i) visit(first + i * sizeof(std::uint64_t), words[i]);
      }
      entry += Entry::of_words(count) + 1;
    }
  }
  template <typename Visit>
  void each_overwritten(Mark from, Mark to, Visit visit) const {
    each_overwritten(
        from, to, [](std::uint64_t) { return true; }, visit);
  }

  // The word that contains the address is about to be overwritten.
  [[gnu::always_inline]] void note(std::uint64_t address) {
    const std::uint64_t word = address & ~std::uint64_t{7};
    next_->address = word;
    next_->old = at<std::uint64_t>(word);
    if (__builtin_expect(++next_ == limit_, 0)) make_room();
  }
  // The same of all words of a range.
  void note(std::uint64_t begin, std::uint64_t size);

  // Writes a value that lies within one word, or at an address that is a multiple of its size.
  template <typename T>
  [[gnu::always_inline]] void put(T& where, T value) {
    note(reinterpret_cast<std::uint64_t>(&where));
    where = value;
  }

  void copy(std::uint64_t to, const void* from, std::uint64_t size);
  void fill(std::uint64_t to, int value, std::uint64_t size);
  void set_shadow(std::uint64_t begin, std::uint64_t size, std::uint8_t value);
  // The bytes become addressable, and have no values. After set_clears(true) they hold zeros, and do not
  // depend on what was there before.
  void begin_use(std::uint64_t begin, std::uint64_t size) {
    set_shadow(begin, size, kAddressable);
    if (__builtin_expect(clears_, 0)) fill(begin, 0, size);
  }
  void set_clears(bool clears) { clears_ = clears; }

  // The first byte of the range that lacks one of the bits or has one of the others; the range's end if none
  // does.
  static std::uint64_t first_unfit(std::uint64_t begin, std::uint64_t size, std::uint8_t needed,
                                   std::uint8_t forbidden = 0);

 private:
  // A word; or a range: its first word and how many they are, in front of what they held and once more behind
  // that.
  struct Entry {
    std::uint64_t address;  // kRange is added to that of a range
    std::uint64_t old;

    static constexpr std::uint64_t kRange = 1;
    static constexpr std::uint64_t kRangeMin = 4;  // words; fewer are noted one by one
    bool is_range() const { return (address & kRange) != 0; }
    static constexpr std::uint64_t of_words(std::uint64_t count) { return (count + 1) / 2; }
  };
  void make_room();

  Entry* log_ = nullptr;
  Entry* next_ = nullptr;
  Entry* limit_ = nullptr;
  bool keeps_ = false;
  bool clears_ = false;
};

}  // namespace thrum::vm
