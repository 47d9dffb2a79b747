// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads are named by ancestry: main is "0", its second child "0.2", that one's first child "0.2.1". A name
// means the same in every execution and on every machine; a ThreadId is its short form within one search.
//
// Thread safety: none; a worker owns one table. Workers that share a search share what ids mean.
// Invariants:
//   1. Id 0 is main.
//   2. An id, once given, names the same ancestry for the life of the table.
#pragma once

#include <atomic>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/bytes.hpp"

namespace thrum {

using ThreadId = std::uint16_t;
inline constexpr ThreadId kMainThread = 0;
inline constexpr ThreadId kNoThread = 0xffff;
inline constexpr std::uint32_t kThreadsMax = 1024;  // that live at once in an execution, main included

// How a thread's name is made up, which is not main's.
struct Ancestry {
  ThreadId parent;
  std::uint32_t ordinal;  // from 1
};

// What ids mean to several workers, in memory that they share; zeros are an empty table. An id is given by
// one write of a word, so that a worker which dies leaves it whole. Thread safety: all of it.
class SharedThreadIds {
 public:
  // Nothing: the id was not given yet, or what stands there is no name.
  std::optional<Ancestry> at(std::size_t id) const;
  // False: another name has it.
  bool give(std::size_t id, const Ancestry& name);

 private:
  std::atomic<std::uint64_t> words_[std::size_t{kNoThread}];  // the ordinal and, below it, the parent
};

class ThreadNames {
 public:
  ThreadNames();

  // Ids are given together with others from now on; what is known there is known here. ids must outlive it.
  // False where an id means something else there.
  bool share(SharedThreadIds& ids);

  // The id of the ordinal-th child (counted from 1) of parent.
  ThreadId child(ThreadId parent, std::uint32_t ordinal);

  // The order of docs/semantics.md: component by component, numerically, parent first.
  bool before(ThreadId a, ThreadId b) const { return rank_[a] < rank_[b]; }

  // "0.2.1"
  std::string name(ThreadId id) const;

  // The id of a name as name() writes it; nothing where the text is no such name.
  std::optional<ThreadId> parse(std::string_view name);

  // REQUIRES: id is not main.
  Ancestry ancestry(ThreadId id) const { return {entries_[id].parent, entries_[id].ordinal}; }

  std::size_t size() const { return entries_.size(); }

  // For what is kept by ids: load() gives the names the ids that they had, or false where another table has
  // given them other ones.
  void save(ByteWriter& out) const;
  bool load(ByteReader& in);

 private:
  struct Entry {
    ThreadId parent;
    std::uint32_t ordinal;
    std::vector<ThreadId> children;  // by ordinal - 1; kNoThread where not named yet
  };
  std::vector<std::uint32_t> path(ThreadId id) const;
  ThreadId add(const Ancestry& name);

  SharedThreadIds* shared_ = nullptr;
  std::vector<Entry> entries_;
  std::vector<ThreadId> order_;      // all ids, sorted
  std::vector<std::uint16_t> rank_;  // the place of each id in order_
};

}  // namespace thrum
