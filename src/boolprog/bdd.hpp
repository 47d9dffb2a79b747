// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sets of valuations of boolean variables, as binary decision diagrams (BDDs); a thin interface over BuDDy.
//
// BuDDy keeps one table of nodes for the whole process, so there is one BddSpace at a time, and one thread
// uses it. A Bdd must not outlive its space.
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace thrum::bp {

// Thrown when the diagrams need more nodes than `nodes_max`.
class BddMemoryError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Thrown when `is_over` of the BddSpace returned true.
class BddInterrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Bdd {
 public:
  Bdd() = default;  // false
  Bdd(const Bdd& other);
  Bdd(Bdd&& other) noexcept : node_(std::exchange(other.node_, 0)) {}
  Bdd& operator=(Bdd other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~Bdd();

  static Bdd constant(bool value);
  static Bdd variable(int number);
  static Bdd literal(int number, bool value);

  bool is_false() const { return node_ == 0; }
  bool is_true() const { return node_ == 1; }
  friend bool operator==(const Bdd& a, const Bdd& b) { return a.node_ == b.node_; }

  Bdd operator!() const;
  friend Bdd operator&(const Bdd& a, const Bdd& b);
  friend Bdd operator|(const Bdd& a, const Bdd& b);
  friend Bdd operator^(const Bdd& a, const Bdd& b);
  friend Bdd minus(const Bdd& a, const Bdd& b);  // in a and not in b
  friend Bdd equal(const Bdd& a, const Bdd& b);  // where both agree
  Bdd& operator&=(const Bdd& other) { return *this = *this & other; }
  Bdd& operator|=(const Bdd& other) { return *this = *this | other; }

  // Nodes of this diagram.
  std::uint64_t size() const;

  // The values of these variables in one valuation of the set. REQUIRES: the set is not empty.
  std::vector<bool> pick(const std::vector<int>& variables) const;

 private:
  friend class Cube;
  friend class Renaming;
  friend class BddSpace;
  explicit Bdd(int node);

  int node_ = 0;
};

// Variables to quantify over.
class Cube {
 public:
  Cube() : all_(Bdd::constant(true)) {}
  explicit Cube(const std::vector<int>& variables);

  Bdd exists(const Bdd& set) const;
  // exists(a & b), without building a & b.
  Bdd exists(const Bdd& a, const Bdd& b) const;

 private:
  Bdd all_;
};

// Renames variables, all at once: {from, to}.
class Renaming {
 public:
  explicit Renaming(const std::vector<std::pair<int, int>>& pairs);
  ~Renaming();
  Renaming(Renaming&& other) noexcept : pairs_(std::exchange(other.pairs_, nullptr)) {}
  Renaming(const Renaming&) = delete;
  Renaming& operator=(const Renaming&) = delete;
  Renaming& operator=(Renaming&&) = delete;

  Bdd operator()(const Bdd& set) const;

 private:
  void* pairs_ = nullptr;  // nullptr: none
};

class BddSpace {
 public:
  // Variables are numbered from 0, in their order in the diagrams. nodes_max: 20 bytes each. is_over: is
  // called now and then; if it returns true, the operation ends with BddInterrupted.
  BddSpace(int variables, std::uint64_t nodes_max, std::function<bool()> is_over);
  ~BddSpace();
  BddSpace(const BddSpace&) = delete;
  BddSpace& operator=(const BddSpace&) = delete;

  // Nodes in the table, including those that nothing refers to any more.
  static std::uint64_t nodes();

  // The first and the last of adjacent variables, which stay adjacent in every order.
  using Block = std::pair<int, int>;
  // Sifts the blocks (Rudell, ICCAD 1993): finds an order in which the diagrams in use are small. Returns the
  // numbers of the blocks in this order, or nothing if the diagrams have more than `nodes_max` nodes. The
  // space cannot be used afterwards. REQUIRES: few renamings, since each is kept up to date.
  static std::vector<std::uint32_t> sift(const std::vector<Block>& blocks, std::uint64_t nodes_max);
};

}  // namespace thrum::bp
