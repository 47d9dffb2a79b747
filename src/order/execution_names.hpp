// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides whether an execution is of a known class: whether it differs from an earlier one only in the order
// of independent operations. It is exact: no hashes that two classes could share.
//
// The idea. Each event gets a name, a number that identifies three things: the name of the thread's previous
// event; the name of the event that it reads from or follows on its object; and what it did itself. So two
// events have the same name if and only if they came about in the same way. Two executions whose threads
// ended with events of the same names have the same events, in the same order on each object. Only the order
// of independent operations can differ (reads lie between two writes, anywhere). In unfoldings, names are the
// events of the prefix (McMillan 1992; Rodriguez et al., CONCUR 2015), except that here reads of one object
// are no conflict.
//
// Example: x = 1 by thread 1, y = 1 by thread 2, in either order: two events, neither of which follows the
// other, so the same two names and one class. x = 1 by both threads: the second event follows the first.
//
// There may be more names than classes: operations on the same eight bytes do not commute here, and neither
// do posts of a semaphore. Operations that are not modelled here (futexes, time, signals) have no name, and
// then the execution has none either. The same holds for an execution that changes objects thousands of
// times.
//
// Thread safety: none. Tested by tests/oracle/execution_names_test.cpp, against partial orders of all
// executions of random programs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/event.hpp"
#include "support/slots.hpp"

namespace thrum {

class ExecutionNames {
 public:
  // The action of an event.
  struct Deed {
    Operation operation;
    Outcome outcome;
    std::uint32_t size;      // bytes, or 0: a synchronization object as a whole
    std::uint64_t object;    // its address
    std::uint64_t value;     // what it read, received, or overwrote
    std::uint64_t operand;   // what it wrote; of a wait: the mutex
    std::uint64_t argument;  // the thread that it woke
  };

  // An execution begins; thread 0 runs. grows: events without a name get a new one.
  void begin(bool grows);

  // The caller numbers the threads, in the same way in all executions. If one of these functions returns
  // false, the execution has no name, or has a new one that may not be added.
  bool create(std::uint16_t parent, std::uint16_t child, std::uint64_t who);
  bool join(std::uint16_t thread, std::uint16_t other);
  bool take(std::uint16_t thread, const Deed& deed) {
    return repeat(thread, deed) || take_first(thread, deed);
  }
  // The execution has an event that cannot be reported here: it has no name.
  bool lose();

  // The execution is over. is_kept(): whether its class was kept. keep() keeps it; REQUIRES: begin(true).
  bool is_kept();
  void keep();

  // The state in the middle of an execution, from which another one may go on.
  struct Moment;
  void save(Moment& moment) const;
  void restore(const Moment& moment, bool grows);

  // Forgets everything.
  void forget();

  std::size_t size() const { return named_.empty() ? 0 : named_.size() - 1; }
  // Whether no new names can be given until forget().
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
    Name next = kNone;  // the event that followed last; likely to follow again
    bool changes = false;
    bool ends_kept = false;  // an execution of a kept class ends with it
  };
  struct Object {
    std::uint64_t cell;
    Name last = kNone;  // the last event that changed it
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

  std::vector<Named> named_;  // by name; kNone: the predecessor of main's first event
  Slots<Name> names_;
  std::vector<Object> objects_;  // also counted from 1
  Slots<std::uint32_t> cells_;
  std::vector<Name> last_;       // of each thread; kNone: joined, so the joining thread's event counts
  std::vector<Change> changes_;  // has room for the most changes, once there are names
  std::size_t changed_ = 0;      // number of valid elements
  bool grows_ = false;
  bool lost_ = false;
};

// Whether the thread repeats the event that last followed its previous event. If so, takes it.
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
