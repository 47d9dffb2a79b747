// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells whether an execution is of a class that was met before: the same as an earlier one but for the order
// of independent operations. Exactly, without hashes that two classes could share.
//
// The idea. Give each event a name, a number that stands for all that it is made of: what its thread did
// last, the event that it reads from or comes behind on its object, both by their names, and what it did
// itself. Then two events have one name if and only if they have come about in the same way, and two
// executions whose threads have all done last what has the same names consist of the same events, in the
// same order on each object. That is all that the order of independent operations leaves (reads stand
// between two writes, wherever they stand there). In unfoldings names are the events of the prefix (McMillan
// 1992; Rodriguez et al., CONCUR 2015), but that reads of one object are no conflict here.
//
// Example: x = 1 by thread 1, y = 1 by thread 2, in either order: two events of which none comes behind the
// other, so the same two names and one class. x = 1 by both: whoever is second comes behind the first.
//
// More classes may be told apart than there are: operations on what lies in the same eight bytes do not
// commute, nor do posts of a semaphore. What is not understood here (futexes, time, signals) has no name, nor
// has its execution; nor one that changes objects thousands of times.
//
// Thread safety: none. Tested by tests/oracle/execution_names_test.cpp, against partial orders of all
// executions of random programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/event.hpp"

namespace thrum {

class ExecutionNames {
 public:
  // What an event did.
  struct Deed {
    Operation operation;
    Outcome outcome;
    std::uint32_t size;      // bytes, or 0: a synchronization object as a whole
    std::uint64_t object;    // its address
    std::uint64_t value;     // what it read, received, or overwrote
    std::uint64_t operand;   // what it wrote; of a wait: the mutex
    std::uint64_t argument;  // whom it woke
  };

  // An execution begins, of which thread 0 runs. grows: what has no name yet gets one.
  void begin(bool grows);

  // Threads are numbered as the caller likes, in the same way in all executions. Where one of these gives
  // false, the execution has no name, or a new one and may not grow.
  bool create(std::uint16_t parent, std::uint16_t child, std::uint64_t who);
  bool join(std::uint16_t thread, std::uint16_t other);
  bool take(std::uint16_t thread, const Deed& deed) {
    return repeat(thread, deed) || take_first(thread, deed);
  }
  // All the same for an execution of which something is not told here.
  bool lose();

  // The execution is over. Whether its class was kept; and keeps it. keep() REQUIRES that it grows.
  bool is_kept();
  void keep();

  // An execution in the middle, from where another one may go on.
  struct Moment;
  void save(Moment& moment) const;
  void restore(const Moment& moment, bool grows);

  // All of it.
  void forget();

  std::size_t size() const { return named_.empty() ? 0 : named_.size() - 1; }
  // Nothing new gets a name until all are forgotten.
  bool is_full() const { return size() == kNamesMax; }

 private:
  using Name = std::uint32_t;
  static constexpr Name kNone = 0;
  static constexpr std::size_t kNamesMax = std::size_t{1} << 18;
  static constexpr std::size_t kObjectsMax = std::size_t{1} << 14;
  static constexpr std::size_t kChangesMax = std::size_t{1} << 12;  // of one execution

  struct Key {
    Name previous = kNone;  // of the same thread
    Name behind = kNone;
    Name also_behind = kNone;
    std::uint32_t what = 0;
    std::uint64_t object = 0;
    std::uint64_t value = 0;
    std::uint64_t operand = 0;
    std::uint64_t argument = 0;
    bool operator==(const Key&) const = default;
  };
  // Aligned to a cache line.
  struct alignas(64) Named {
    Key key;
    std::uint32_t object = 0;  // what it touches, by number
    std::uint32_t also = 0;
    Name next = kNone;  // what came behind it last: what comes is likely to be that again
    bool changes = false;
    bool ends_kept = false;  // an execution of a class that was kept
  };
  // Numbers of what is kept in a vector, found by hash: half of it empty at least. 0: nothing.
  class Index {
   public:
    template <typename Is, typename HashOf>
    std::uint32_t& find(std::uint64_t hash, std::size_t count, Is is, HashOf hash_of);
    void clear() { slots_.clear(); }

   private:
    std::vector<std::uint32_t> slots_;
  };
  struct Object {
    std::uint64_t cell;
    Name last = kNone;  // that changed it
  };
  struct Change {
    std::uint32_t object;
    Name name;
  };

  static std::uint64_t hash(const Key& key);
  static std::uint64_t hash(std::uint64_t cell);
  static std::uint32_t what(const Deed& deed) {
    return static_cast<std::uint32_t>(deed.operation) | static_cast<std::uint32_t>(deed.outcome) << 8 |
           deed.size << 16;
  }
  bool repeat(std::uint16_t thread, const Deed& deed);
  bool take_first(std::uint16_t thread, const Deed& deed);
  Name name(const Key& key);
  Name name_of_other(const Key& key);
  std::uint32_t object_at(std::uint64_t address);
  bool find_objects(const Deed& deed, bool two, std::uint32_t& object, std::uint32_t& also);
  Name last_change(std::uint32_t object) const { return objects_[object - 1].last; }
  void change(std::uint32_t object, Name name) {
    objects_[object - 1].last = name;
    changes_[changed_++] = {object, name};
    lost_ = lost_ || changed_ >= kChangesMax;
  }
  void do_changes(const Named& named, Name name) {
    if (!named.changes) return;
    change(named.object, name);
    if (named.also != 0) change(named.also, name);
  }
  void undo();
  Name whole();

  std::vector<Named> named_;  // by name; kNone is what main begins behind
  Index names_;
  std::vector<Object> objects_;  // counted from 1 too
  Index cells_;
  std::vector<Name> last_;       // of each thread; kNone once it was joined: the other's tells
  std::vector<Change> changes_;  // room for all, where there are names
  std::size_t changed_ = 0;      // so many
  bool grows_ = false;
  bool lost_ = false;
};

// Whether the thread did the same behind its last event before, and has done so again.
[[gnu::always_inline]] inline bool ExecutionNames::repeat(std::uint16_t thread, const Deed& deed) {
  if (__builtin_expect(lost_, 0)) return false;
  const Name previous = last_[thread];
  const Name guess = named_[previous].next;
  const Named& named = named_[guess];
  const Key& key = named.key;
  const bool same_deed = (((key.object ^ deed.object) | (key.value ^ deed.value)) |
                          ((key.operand ^ deed.operand) | (key.argument ^ deed.argument)) |
                          ((key.what ^ what(deed)) | (key.previous ^ previous))) == 0;
  if (!same_deed || named.object == 0 || key.behind != last_change(named.object) ||
      (named.also != 0 && key.also_behind != last_change(named.also)))
    return false;
  last_[thread] = guess;
  do_changes(named, guess);
  return true;
}

struct ExecutionNames::Moment {
  std::vector<Change> changes;
  std::vector<Name> last;
  bool lost = false;
};

}  // namespace thrum
