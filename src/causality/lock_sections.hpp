// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sections of threads that keep out others: of read-write locks, and the running of a once.
//
// A section is open from the node that begins it up to one of those that end it, which lie behind it in its
// thread's tree. A shared section and an exclusive one of the same object are not open at a time, and while a
// writer is queued, no shared one begins. That two exclusive ones are not open at a time is said by tokens
// (sync_encoding.hpp).
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "causality/node_encoding.hpp"

namespace thrum {

class LockSections {
 public:
  using Node = ThreadTrees::Node;
  using Literal = Solver::Literal;
  using Need = NodeEncoding::Need;
  enum class Kind : std::uint8_t { exclusive, shared, queued };

  // It must outlive this.
  explicit LockSections(NodeEncoding& nodes) : nodes_(nodes) {}

  void begin(std::uint64_t object, Kind kind, Node node);
  // The last section of that kind that its thread has begun there and not ended. None: it began before
  // anything that is known.
  void end(std::uint64_t object, Kind kind, Node node);

  // Each section that keeps that kind out is an option, by being open there. kNone: in the end of the
  // execution.
  void offer_open(std::uint64_t object, Kind kept_out, Node at, Need need);

 private:
  using Relation = ThreadTrees::Relation;

  struct Pair {
    std::size_t other = 0;  // the section that comes behind its end
    Need need = 0;
  };
  struct Observation {
    Node at = ThreadTrees::kNone;
    Literal is_open = 0;
  };
  struct Section {
    Kind kind = Kind::exclusive;
    Node begin = ThreadTrees::kNone;
    std::vector<Node> ends{};
    std::vector<Pair> pairs{};
    std::vector<Observation> observations{};
  };
  struct Observer {
    Kind kept_out = Kind::exclusive;
    Node at = ThreadTrees::kNone;
    Need need = 0;
  };
  struct Object {
    std::vector<Section> sections{};
    std::unordered_map<Node, std::size_t> begins{};
    std::vector<Observer> observers{};
  };

  static bool keeps_out(Kind open, Kind other);
  void separate(Object& object, std::size_t a, std::size_t b);
  void offer_end(const Object& object, const Pair& pair, Node end);
  void observe(Section& section, const Observer& observer);
  void say_closed(const Observation& observation, Node end);

  NodeEncoding& nodes_;
  std::unordered_map<std::uint64_t, Object> objects_;
};

}  // namespace thrum
