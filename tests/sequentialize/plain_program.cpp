// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sequentialize/plain_program.hpp"

#include <random>
#include <set>
#include <vector>

namespace thrum::seq::random {

namespace {

constexpr const char* kTypes[] = {"_Bool", "char",           "signed char", "unsigned char",
                                  "short", "unsigned short", "int",         "unsigned",
                                  "long",  "unsigned long",  "long long",   "int"};

constexpr const char* kPlainBefore = R"(#include <stddef.h>
extern void out(long value);
enum color { red, green = 5, blue };
typedef unsigned char byte;
struct pair { int x; short y; };
struct bits { unsigned a : 3; int b : 4; _Bool c : 1; unsigned long d : 20; int e; short f[2];
              struct pair n; };
union both { int i; unsigned char c[4]; };
struct deep { int k; union { int u; short v; }; struct pair p[2]; };
static int g0 = 3, g1 = -7;
static unsigned short g2 = 65530;
long g3 = 1L << 33;
static signed char g4 = 100;
static _Bool g5;
static struct bits gs = {.a = 5, .e = 9, .f = {1, 2}, .n.y = 4};
static int ga[4] = {[2] = 7, [0] = 1};
static byte gb[6] = "ab\n\x01";
static int gm[2][2] = {{1, 2}, {3}};
static union both gu = {.i = 0x01020304};
static struct deep gd = {1, {2}, {{3, 4}, {5, 6}}};
static int target0 = 1, target1 = 2;
static int *gp = &target0;
static int twice(int x, int y);
static int change(int x, int y);
static int (*const table[2])(int, int) = {twice, change};
static int sum(int n) {
  return n <= 0 ? 0 : n + sum(n - 1);
}
static int twice(int x, int y) {
  return 2 * x - y;
}
static int change(int x, int y) {
  static int count = 3;
  count += y;
  g0 = x;
  gs.a++;
  ga[x & 3] ^= y;
  return count + g1;
}
static struct pair make(int x, short y) {
  struct pair result = {x, .y = y};
  return result;
}
static int total(struct pair p, const int *a, byte b) {
  return p.x + p.y + a[b & 1];
}
static void exchange(int *a, int *b) {
  int t = *a;
  *a = *b;
  *b = t;
}
)";

// What an expression must not touch in a second operand.
struct Touched {
  std::set<std::string> read{};
  std::set<std::string> written{};
};

struct Variable {
  std::string text;
  std::string object;  // what is touched
  bool is_index = false;
};

class Writer {
 public:
  explicit Writer(std::uint64_t seed) : random_(seed * 0x9E3779B97F4A7C15U + 7) {}

  std::string run() {
    out_ = kPlainBefore;
    for (int i = 0; i < 2; ++i)
      function("static int f" + std::to_string(i) + "(int v0, unsigned char v1)", i);
    function("int main(void)", 2);
    return std::move(out_);
  }

 private:
  int pick(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  bool chance(int percent) { return pick(100) < percent; }
  std::string num(int n) { return std::to_string(n); }
  std::string literal() {
    static const char* const kLiterals[] = {
        "0",    "1",       "2",  "-1",   "7",     "255",      "'a'",
        "1000", "0x7fffL", "3U", "blue", "40000", "1L << 31", "sizeof(struct pair)"};
    return "(" + std::string(kLiterals[pick(14)]) + ")";
  }
  void line(const std::string& text) { out_ += std::string(2 * scopes_.size(), ' ') + text + "\n"; }

  void function(const std::string& head, int number) {
    callable_ = number;
    labels_ = 0;
    out_ += head + " {\n";
    scopes_.push_back({});
    bool is_main = number == 2;
    if (!is_main) {
      scopes_.back().push_back({"v0", "v0"});
      scopes_.back().push_back({"v1", "v1"});
    }
    for (int i = is_main ? 0 : 2; i < 5; ++i) scalar("v" + num(i));
    line("struct bits ls = {.b = -3, .d = 99};");
    line("struct bits *ps = " + std::string(chance(50) ? "&gs;" : "&ls;"));
    line("int la[4] = {4, 3, [3] = 1};");
    line("int *p = &target1;");
    line("static int count = 5;");
    declared_ = 5;
    for (int i = 0; i < 6; ++i) statement(2);
    for (int i = 0; i < 5; ++i) line("out(v" + num(i) + ");");
    line("out(ls.a + ls.b + ls.c + ls.d + ls.e + ls.f[0] + ls.n.x);");
    line("out(la[0] ^ la[1] ^ la[2] ^ la[3] ^ count);");
    if (is_main) {
      line("out(g0); out(g1); out(g2); out(g3); out(g4); out(g5); out(target0); out(target1);");
      line("out(gs.a); out(gs.b); out(gs.c); out(gs.d); out(gs.e); out(gs.f[1]); out(gs.n.x); out(gs.n.y);");
      line(
          "out(ga[0]); out(ga[1]); out(ga[2]); out(ga[3]); out(gm[0][1]); out(gm[1][1]); out(gu.i); "
          "out(gd.u);");
    }
    line("return " + (is_main ? "0" : expression(2)) + ";");
    scopes_.pop_back();
    out_ += "}\n";
  }

  void scalar(const std::string& name) {
    line(std::string(kTypes[pick(12)]) + " " + name + " = " + num(pick(20) - 5) + ";");
    scopes_.back().push_back({name, name});
  }

  // --- What can be read and written ---

  std::vector<std::string> named() const {
    std::vector<std::string> result;
    for (const auto& scope : scopes_) {
      for (const Variable& each : scope) result.push_back(each.text);
    }
    return result;
  }

  // Index expressions may have effects of their own.
  std::string index(int depth, int most) {
    return "(" + value(depth > 0 ? depth - 1 : 0) + ") & " + num(most);
  }

  struct Place {
    std::string text;
    std::vector<std::string> objects;
    bool is_bits = false;
  };

  Place place(int depth) {
    static const char* const kFields[] = {"a", "b", "c", "d", "e", "n.x", "n.y"};
    switch (pick(16)) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4: {
        std::vector<std::string> all = named();
        std::string name = all[static_cast<std::size_t>(pick(static_cast<int>(all.size())))];
        return {name, {name}};
      }
      case 5:
      case 6: {
        std::string name = "g" + num(pick(6));
        return {name, {name, "globals"}};
      }
      case 7: return {"gs." + std::string(kFields[pick(7)]), {"gs", "globals"}, true};
      case 8: return {"ls." + std::string(kFields[pick(7)]), {"ls"}, true};
      case 9: return {"ps->" + std::string(kFields[pick(7)]), {"gs", "ls", "globals"}, true};
      case 10: return {"ga[" + index(depth, 3) + "]", {"ga", "globals"}};
      case 11: return {"la[" + index(depth, 3) + "]", {"la"}};
      case 12: return {"gm[" + index(depth, 1) + "][" + index(depth, 1) + "]", {"gm", "globals"}};
      case 13: return chance(50) ? Place{"*p", {"targets", "globals"}} : Place{"*gp", {"targets", "globals"}};
      case 14: {
        static const char* const kUnions[] = {"gu.i", "gu.c[1]", "gd.u", "gd.v", "gd.k", "gd.p[1].y"};
        return {kUnions[pick(6)], {"gu", "globals"}};
      }
      default: return {"gb[" + index(depth, 3) + "]", {"gb", "globals"}};
    }
  }

  bool may_read(const Place& place) const {
    for (const std::string& each : place.objects) {
      if (touched_.written.contains(each)) return false;
    }
    return true;
  }
  bool may_write(const Place& place) const {
    for (const std::string& each : place.objects) {
      if (each == "globals") continue;
      if (touched_.written.contains(each) || touched_.read.contains(each)) return false;
    }
    return !touched_.written.contains("globals");
  }

  // --- Expressions, in parentheses ---

  std::string expression(int depth) {
    touched_ = {};
    return value(depth);
  }

  std::string reading(int depth) {
    Touched before = touched_;
    Place it = place(depth);
    if (!may_read(it)) {
      touched_ = before;
      return literal();
    }
    for (const std::string& each : it.objects) touched_.read.insert(each);
    return "(" + it.text + ")";
  }

  std::string writing(int depth) {
    Touched before = touched_;
    Place it = place(depth);
    if (!may_write(it)) {
      touched_ = before;
      return literal();
    }
    for (const std::string& each : it.objects) {
      (each == "globals" ? touched_.read : touched_.written).insert(each);
    }
    switch (pick(5)) {
      case 0:  // Compilers do not agree on the type of a bit field's old value.
        return (it.is_bits ? "((long)(" : "((") + it.text + ")++)";
      case 1: return "(--(" + it.text + "))";
      case 2: return "(" + it.text + " = " + value(depth - 1) + ")";
      case 3: {
        static const char* const kOperators[] = {"+=", "-=", "*=", "&=", "|=", "^="};
        return "(" + it.text + " " + kOperators[pick(6)] + " " + value(depth - 1) + ")";
      }
      default: {
        static const char* const kOperators[] = {"<<=", ">>=", "/=", "%="};
        int which = pick(4);
        std::string by = "((" + value(depth - 1) + " & 7)" + (which > 1 ? " + 1)" : ")");
        return "(" + it.text + " " + kOperators[which] + " " + by + ")";
      }
    }
  }

  // What comes after a sequence point may touch anything that its own side did not.
  std::string sequenced(int depth, const Touched& before, Touched& all) {
    touched_ = before;
    std::string text = value(depth);
    all.read.insert(touched_.read.begin(), touched_.read.end());
    all.written.insert(touched_.written.begin(), touched_.written.end());
    return text;
  }

  std::string branching(int depth) {
    Touched before = touched_;
    Touched all;
    std::string left = sequenced(depth - 1, before, all);
    std::string text;
    switch (pick(6)) {
      case 0: text = left + " && " + sequenced(depth - 1, before, all); break;
      case 1: text = left + " || " + sequenced(depth - 1, before, all); break;
      case 2: text = left + ", " + sequenced(depth - 1, before, all); break;
      case 3: text = left + " ?: " + sequenced(depth - 1, before, all); break;
      default:
        text = left + " ? " + sequenced(depth - 1, before, all);
        text += " : " + sequenced(depth - 1, before, all);
    }
    touched_ = all;
    return "(" + text + ")";
  }

  // A call that reads and writes variables of the file.
  std::string calling(int depth) {
    bool quiet = !touched_.read.contains("globals") && !touched_.written.contains("globals");
    std::string first = "(" + value(depth - 1) + ")";
    std::string arguments = "(" + first + ", " + value(depth - 1) + ")";
    quiet = quiet && !touched_.read.contains("globals") && !touched_.written.contains("globals");
    if (!quiet) return chance(50) ? "twice" + arguments : "sum(" + first + " & 7)";
    touched_.read.insert("globals");
    touched_.written.insert({"globals", "ls", "gs", "ga", "gb", "gm", "gu", "targets"});
    switch (pick(5)) {
      case 0: return "table[" + num(pick(2)) + "]" + arguments;
      case 1: return "(" + first + " & 1 ? twice : change)" + arguments;
      case 2: return callable_ > 0 ? "f" + num(pick(callable_)) + arguments : "change" + arguments;
      default: return "change" + arguments;
    }
  }

  std::string special(int depth) {
    switch (pick(8)) {
      case 0: {
        std::string name = "w" + num(declared_++);
        return "({ " + std::string(kTypes[pick(12)]) + " " + name + " = " + value(depth - 1) + "; " + name +
               " += 2; " + name + "; })";
      }
      case 1: return "((struct pair){.y = 3, .x = " + value(depth - 1) + "}.x)";
      case 2: {
        std::string first = value(depth - 1);
        return "((int[]){" + first + ", 5, " + value(depth - 1) + "}[" + num(pick(3)) + "])";
      }
      case 3: {
        std::string x = value(depth - 1);
        return "make(" + x + ", " + value(depth - 1) + ").y";
      }
      case 4: {
        std::string x = value(depth - 1);
        return "total((struct pair){" + x + ", 2}, (int[]){8, 9}, " + value(depth - 1) + ")";
      }
      case 5: return "(&(struct pair){1, " + value(depth - 1) + "})->y";
      case 6: return "(\"xyz\"[" + index(depth, 1) + "])";
      default: return "(int)(sizeof(la) + offsetof(struct bits, e))";
    }
  }

  std::string value(int depth) {
    if (depth <= 0) return chance(75) ? reading(0) : literal();
    switch (pick(16)) {
      case 0:
      case 1: return reading(depth);
      case 2:
      case 3:
      case 4: return writing(depth);
      case 5:
      case 6:
      case 7: return branching(depth);
      case 8: return calling(depth);
      case 9: return special(depth);
      case 10: {
        static const char* const kUnary[] = {"-", "~", "!", "+"};
        return "(" + std::string(kUnary[pick(4)]) + value(depth - 1) + ")";
      }
      case 11: return "((" + std::string(kTypes[pick(12)]) + ")" + value(depth - 1) + ")";
      case 12: {
        std::string left = value(depth - 1);
        return "(" + left + (chance(50) ? " << (" : " >> (") + value(depth - 1) + " & 7))";
      }
      case 13: {
        std::string left = value(depth - 1);
        return "(" + left + (chance(50) ? " / ((" : " % ((") + value(depth - 1) + " & 7) + 1))";
      }
      default: {
        static const char* const kBinary[] = {"+", "-", "*", "&", "|", "^", "==", "!=", "<", ">", "<=", ">="};
        std::string left = value(depth - 1);
        return "(" + left + " " + kBinary[pick(12)] + " " + value(depth - 1) + ")";
      }
    }
  }

  // --- Statements ---

  void scope(const std::string& head, int depth, const std::string& foot = "}") {
    line(head);
    scopes_.push_back({});
    if (chance(40)) shadow();
    for (int i = 1 + pick(3); i > 0; --i) statement(depth - 1);
    if (loops_ > 0 && chance(25)) line("if (" + expression(1) + ") " + (chance(50) ? "continue;" : "break;"));
    scopes_.pop_back();
    line(foot);
  }

  // A local of the same name as another, and of another type.
  void shadow() {
    std::string name = "v" + num(pick(5));
    std::string inside = expression(1);
    if (inside.find(name) != std::string::npos) inside = literal();
    line((chance(20) ? "register " : "") + std::string(kTypes[pick(12)]) + " " + name + " = " + inside + ";");
  }

  void loop(int depth) {
    std::string counter = "i" + num(declared_++);
    std::string test = counter + " < " + num(1 + pick(3));
    ++loops_;
    switch (pick(3)) {
      case 0: scope("for (int " + counter + " = 0; " + test + "; " + counter + "++) {", depth); break;
      case 1:
        line("int " + counter + " = 0;");
        scope("while (" + counter + "++ < " + num(1 + pick(3)) + " && (" + expression(2) + " | 1)) {", depth);
        break;
      default:
        line("int " + counter + " = 0;");
        scope("do {", depth, "} while (++" + test + " && " + expression(2) + ");");
    }
    --loops_;
  }

  void choose(int depth) {
    int around = loops_;
    line("switch (" + expression(2) + " & 7) {");
    static const char* const kLabels[] = {
        "case 0:", "case 1 ... 2:", "case green:", "case 'a' - 94:", "default:"};
    loops_ = 0;
    for (const char* label : kLabels) {
      scope(std::string(label) + " {", depth, chance(50) ? "} break;" : "}");
    }
    loops_ = around;
    line("}");
  }

  void declaration() {
    std::string name = "w" + num(declared_++);
    switch (pick(6)) {
      case 0: line("struct bits " + name + " = {.e = " + expression(2) + ", .n.y = 3};"); break;
      case 1: line("struct bits " + name + " = " + (chance(50) ? "gs;" : "ls;")); break;
      case 2: {
        touched_ = {};
        std::string first = value(1);
        line("struct deep " + name + " = {" + first + ", .p[1] = {2, " + value(1) + "}};");
        line("out(" + name + ".p[1].y + " + name + ".k + " + name + ".u + " + name + ".p[0].x);");
        return;
      }
      case 3: {
        touched_ = {};
        std::string first = value(1);
        line("short " + name + "[3][2] = {[1] = {" + first + "}, [2][1] = " + value(1) + "};");
        line("out(" + name + "[1][0] + 3 * " + name + "[2][1] + " + name + "[0][1]);");
        return;
      }
      case 4:
        line("struct bits " + name + "; " + name + " = *ps; " + name + ".b = " + expression(2) + ";");
        break;
      default:
        line("static int " + name + " = 2;");
        line(name + " += " + expression(2) + ";");
        line("out(" + name + ");");
        return;
    }
    line("out(" + name + ".a + " + name + ".b + " + name + ".e + " + name + ".n.y + " + name + ".f[1]);");
  }

  void jump(int depth) {
    std::string label = "L" + num(labels_++);
    if (chance(50)) {
      line("if (" + expression(2) + ") goto " + label + ";");
      statement(depth - 1);
      line(label + ":;");
      return;
    }
    std::string counter = "i" + num(declared_++);
    line("int " + counter + " = 0; " + label + ":;");
    statement(0);
    line("if (++" + counter + " < 3) goto " + label + ";");
  }

  void statement(int depth) {
    int which = depth <= 0 ? 8 + pick(8) : pick(18);
    switch (which) {
      case 0:
      case 1: scope("if (" + expression(3) + ") {", depth); return;
      case 2:
        scope("if (" + expression(3) + ") {", depth, "} else {");
        scope("", depth);
        return;
      case 3:
      case 4: loop(depth); return;
      case 5: choose(depth); return;
      case 6:
        if (loops_ == 0) jump(depth);
        return;
      case 7: scope("{", depth); return;
      case 8:
      case 9: line("out(" + expression(3) + ");"); return;
      case 10: pointers(); return;
      case 16: declaration(); return;
      default: line(expression(3) + ";"); return;
    }
  }

  void pointers() {
    switch (pick(6)) {
      case 0: line("p = " + std::string(chance(50) ? "gp;" : "&target0;")); return;
      case 1: line("gp = " + std::string(chance(50) ? "p;" : "&target1;")); return;
      case 2: line("ps = " + std::string(chance(50) ? "&gs;" : "&ls;")); return;
      case 3: line("*ps = " + std::string(chance(50) ? "gs;" : "ls;")); return;
      case 4: line("exchange(&la[1], &la[" + num(pick(4)) + "]);"); return;
      default: line("exchange(&g0, &ga[" + num(pick(4)) + "]);"); return;
    }
  }

  std::mt19937_64 random_;
  std::string out_;
  std::vector<std::vector<Variable>> scopes_;
  Touched touched_;
  int callable_ = 0;
  int declared_ = 5;
  int labels_ = 0;
  int loops_ = 0;
};

}  // namespace

std::string random_plain_program(std::uint64_t seed) { return Writer(seed).run(); }

}  // namespace thrum::seq::random
