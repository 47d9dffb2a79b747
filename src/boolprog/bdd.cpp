// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "boolprog/bdd.hpp"

// BuDDy's header also has a C++ class. Its macros hide the C functions with these names.
#include <bdd.h>
#undef bdd_init
#undef bdd_ithvar
#undef bdd_nithvar
#undef bdd_makeset

#include <algorithm>
#include <numeric>
#include <string>

#include "support/check.hpp"

namespace thrum::bp {

namespace {

std::function<bool()> g_is_over;

// The hooks may throw through BuDDy. After that only bdd_done() is called on it.
void on_error(int error) {
  if (error == BDD_NODENUM || error == BDD_MEMORY) throw BddMemoryError(bdd_errstring(error));
  THRUM_CHECK(false && "BuDDy reports an error");
}

void on_collection(int before, bddGbcStat*) {
  if (before != 0 && g_is_over && g_is_over()) throw BddInterrupted("out of time");
}

void on_resize(int, int) {
  if (g_is_over && g_is_over()) throw BddInterrupted("out of time");
}

}  // namespace

Bdd::Bdd(int node) : node_(bdd_addref(node)) {}
Bdd::Bdd(const Bdd& other) : Bdd(other.node_) {}
Bdd::~Bdd() {
  if (node_ > 1 && bdd_isrunning() != 0) bdd_delref(node_);
}

Bdd Bdd::constant(bool value) { return Bdd(value ? 1 : 0); }
Bdd Bdd::variable(int number) { return Bdd(bdd_ithvar(number)); }
Bdd Bdd::literal(int number, bool value) { return Bdd(value ? bdd_ithvar(number) : bdd_nithvar(number)); }

Bdd Bdd::operator!() const { return Bdd(bdd_not(node_)); }
Bdd operator&(const Bdd& a, const Bdd& b) { return Bdd(bdd_apply(a.node_, b.node_, bddop_and)); }
Bdd operator|(const Bdd& a, const Bdd& b) { return Bdd(bdd_apply(a.node_, b.node_, bddop_or)); }
Bdd operator^(const Bdd& a, const Bdd& b) { return Bdd(bdd_apply(a.node_, b.node_, bddop_xor)); }
Bdd minus(const Bdd& a, const Bdd& b) { return Bdd(bdd_apply(a.node_, b.node_, bddop_diff)); }
Bdd equal(const Bdd& a, const Bdd& b) { return Bdd(bdd_apply(a.node_, b.node_, bddop_biimp)); }

std::uint64_t Bdd::size() const { return static_cast<std::uint64_t>(bdd_nodecount(node_)); }

std::vector<bool> Bdd::pick(const std::vector<int>& variables) const {
  THRUM_CHECK(!is_false());
  std::vector<signed char> values(static_cast<std::size_t>(bdd_varnum()), 0);
  for (int node = node_; node > 1;) {
    bool high = bdd_low(node) == 0;
    values[static_cast<std::size_t>(bdd_var(node))] = high ? 1 : 0;
    node = high ? bdd_high(node) : bdd_low(node);
  }
  std::vector<bool> result;
  for (int variable : variables) result.push_back(values[static_cast<std::size_t>(variable)] != 0);
  return result;
}

Cube::Cube(const std::vector<int>& variables) {
  std::vector<int> all = variables;
  all_ = Bdd(all.empty() ? 1 : bdd_makeset(all.data(), static_cast<int>(all.size())));
}

Bdd Cube::exists(const Bdd& set) const {
  return all_.is_true() ? set : Bdd(bdd_exist(set.node_, all_.node_));
}

Bdd Cube::exists(const Bdd& a, const Bdd& b) const {
  // BuDDy's cache distinguishes cubes only by the lower bits of their node numbers.
  constexpr int kNodesToldApart = 1 << 23;
  if (all_.node_ >= kNodesToldApart) return exists(a & b);
  return all_.is_true() ? a & b : Bdd(bdd_appex(a.node_, b.node_, bddop_and, all_.node_));
}

Renaming::Renaming(const std::vector<std::pair<int, int>>& pairs) {
  if (pairs.empty()) return;
  bddPair* all = bdd_newpair();
  for (auto [from, to] : pairs) bdd_setpair(all, from, to);
  pairs_ = all;
}

Renaming::~Renaming() {
  if (pairs_ != nullptr && bdd_isrunning() != 0) bdd_freepair(static_cast<bddPair*>(pairs_));
}

Bdd Renaming::operator()(const Bdd& set) const {
  return pairs_ == nullptr ? set : Bdd(bdd_replace(set.node_, static_cast<bddPair*>(pairs_)));
}

BddSpace::BddSpace(int variables, std::uint64_t nodes_max, std::function<bool()> is_over) {
  THRUM_CHECK(bdd_isrunning() == 0);
  nodes_max = std::max<std::uint64_t>(nodes_max, 30000);  // BuDDy begins with about this many
  int begin = 20000;
  bdd_init(begin, begin / 4);
  bdd_error_hook(on_error);
  bdd_gbc_hook(on_collection);
  bdd_resize_hook(on_resize);
  bdd_setcacheratio(4);
  bdd_setmaxincrease(1 << 22);
  bdd_setmaxnodenum(static_cast<int>(std::min<std::uint64_t>(nodes_max, 1U << 30U)));
  bdd_setvarnum(std::max(variables, 1));
  g_is_over = std::move(is_over);
}

BddSpace::~BddSpace() {
  g_is_over = nullptr;
  bdd_done();
}

std::uint64_t BddSpace::nodes() { return static_cast<std::uint64_t>(bdd_getnodenum()); }

std::vector<std::uint32_t> BddSpace::sift(const std::vector<Block>& blocks, std::uint64_t nodes_max) {
  bdd_gbc();
  if (nodes() > nodes_max) return {};
  for (auto [first, last] : blocks) bdd_intaddvarblock(first, last, BDD_REORDER_FIXED);
  bdd_reorder(BDD_REORDER_SIFT);
  std::vector<std::uint32_t> order(blocks.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return bdd_var2level(blocks[a].first) < bdd_var2level(blocks[b].first);
  });
  return order;
}

}  // namespace thrum::bp
