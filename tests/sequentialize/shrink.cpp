// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sequentialize/shrink.hpp"

namespace thrum::seq::random {

namespace {

using Path = std::vector<std::size_t>;

Node& at(Program& program, std::size_t function, const Path& path) {
  Node* node = &program.functions[function].body;
  for (std::size_t i : path) node = &node->children[i];
  return *node;
}

class Shrinker {
 public:
  explicit Shrinker(const std::function<bool(const Program&)>& holds) : holds_(holds) {}

  Program run(Program program) {
    for (bool more = true; more;) {
      more = false;
      for (std::size_t i = 0; i < program.functions.size(); ++i) {
        more |= attempt(
            program, [&](Program& p) { p.functions[i].body.children.clear(); },
            !program.functions[i].body.children.empty());
        more |= node(program, i, {});
        more |= attempt(
            program, [&](Program& p) { p.functions[i].pointers.clear(); },
            !program.functions[i].pointers.empty());
      }
    }
    return program;
  }

 private:
  bool attempt(Program& program, const std::function<void(Program&)>& change, bool worthwhile = true) {
    if (!worthwhile) return false;
    Program smaller = program;
    change(smaller);
    if (!holds_(smaller)) return false;
    program = std::move(smaller);
    return true;
  }

  bool node(Program& program, std::size_t function, const Path& path) {
    bool any = false;
    bool is_block = at(program, function, path).kind == Kind::block;
    for (std::size_t i = at(program, function, path).children.size(); i-- > 0;) {
      if (is_block && attempt(program, [&](Program& p) {
            auto& children = at(p, function, path).children;
            children.erase(children.begin() + static_cast<long>(i));
          })) {
        any = true;
        continue;
      }
      Path inside = path;
      inside.push_back(i);
      any |= is_block ? unwrap(program, function, path, i) : simplify(program, function, inside);
      if (i < at(program, function, path).children.size()) any |= node(program, function, inside);
    }
    return any;
  }

  // A statement's blocks in its place.
  bool unwrap(Program& program, std::size_t function, const Path& path, std::size_t i) {
    const Node one = at(program, function, path).children[i];
    for (const Node& each : one.children) {
      if (each.kind != Kind::block) continue;
      if (attempt(program, [&](Program& p) {
            auto& children = at(p, function, path).children;
            auto where = children.erase(children.begin() + static_cast<long>(i));
            children.insert(where, each.children.begin(), each.children.end());
          }))
        return true;
    }
    return false;
  }

  bool simplify(Program& program, std::size_t function, const Path& path) {
    const Node one = at(program, function, path);
    if (one.kind == Kind::block || one.kind == Kind::global || one.kind == Kind::number) return false;
    for (Node each : one.children) {
      if (attempt(program, [&](Program& p) { at(p, function, path) = each; })) return true;
    }
    if (attempt(program, [&](Program& p) { at(p, function, path) = Node{Kind::global, 0}; })) return true;
    for (int value = 0; value < 2; ++value) {
      if (attempt(program, [&](Program& p) { at(p, function, path) = Node{Kind::number, value}; }))
        return true;
    }
    return false;
  }

  const std::function<bool(const Program&)>& holds_;
};

}  // namespace

Program shrink(Program program, const std::function<bool(const Program&)>& holds) {
  return Shrinker(holds).run(std::move(program));
}

}  // namespace thrum::seq::random
