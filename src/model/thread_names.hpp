// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads are named by ancestry: main is "0", its second child "0.2", and the first child of that "0.2.1". A
// name means the same in every execution and on every machine; a ThreadId is its short form within one
// search.
//
// Thread safety: none; a worker owns one table. Workers that share a search share the meaning of ids.
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
inline constexpr std::uint32_t kThreadsMax = 1024;  // alive at once in an execution, main included

// The parts of a thread's name; main has none.
struct Ancestry {
  ThreadId parent;
  std::uint32_t ordinal;  // from 1
};

// The meaning of ids for several workers, in shared memory; zeros are an empty table. An id is assigned by
// one write of a word, so a worker that dies leaves it complete. Thread safety: complete.
class SharedThreadIds {
 public:
  // Nothing if the id is not assigned yet, or if the word is no valid name.
  std::optional<Ancestry> at(std::size_t id) const;
  // False if another name has the id.
  bool give(std::size_t id, const Ancestry& name);

 private:
  std::atomic<std::uint64_t> words_[std::size_t{kNoThread}];  // the ordinal and, below it, the parent
};

class ThreadNames {
 public:
  ThreadNames();

  // From now on ids are assigned together with other workers; names known there are known here. ids must
  // outlive this table. False if an id means something else there.
  bool share(SharedThreadIds& ids);

  // The id of the ordinal-th child (counted from 1) of parent.
  ThreadId child(ThreadId parent, std::uint32_t ordinal);

  // The order of docs/semantics.md: component by component, numerically; a parent comes first.
  bool before(ThreadId a, ThreadId b) const { return rank_[a] < rank_[b]; }

  // "0.2.1"
  std::string name(ThreadId id) const;

  // The id of a name in the format of name(); nothing if the text is no such name.
  std::optional<ThreadId> parse(std::string_view name);

  // REQUIRES: id is not main.
  Ancestry ancestry(ThreadId id) const { return {entries_[id].parent, entries_[id].ordinal}; }

  std::size_t size() const { return entries_.size(); }

  // For data that is stored by ids: load() gives the names their old ids; false if these are taken by other
  // names.
  void save(ByteWriter& out) const;
  bool load(ByteReader& in);

 private:
  struct Entry {
    ThreadId parent;
    std::uint32_t ordinal;
    std::vector<ThreadId> children;  // by ordinal - 1; kNoThread: not named yet
  };
  std::vector<std::uint32_t> path(ThreadId id) const;
  ThreadId add(const Ancestry& name);

  SharedThreadIds* shared_ = nullptr;
  std::vector<Entry> entries_;
  std::vector<ThreadId> order_;      // all ids, sorted
  std::vector<std::uint16_t> rank_;  // the position of each id in order_
};

}  // namespace thrum
