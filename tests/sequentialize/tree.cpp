// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints programs as C.
#include "sequentialize/tree.hpp"

namespace thrum::seq::random {

std::vector<int> cells(const Program& program) {
  std::vector<int> result;
  int next = 0;
  for (const Global& each : program.globals) {
    result.push_back(next);
    next += cells_of(each);
  }
  return result;
}

namespace {

std::string num(int value) { return std::to_string(value); }

const char* text_of(int op) {
  static const char* const texts[] = {"+", "-", "&", "|", "^", "==", "!=", "<", "<="};
  return texts[op];
}

class Printer {
 public:
  explicit Printer(const Program& program) : program_(program), cells_(cells(program)) {}

  std::string run() {
    out_ =
        "#include <assert.h>\n#include <pthread.h>\n#include <semaphore.h>\n#include <stdatomic.h>\n"
        "#include <stdlib.h>\n"
        "extern void __VERIFIER_assume(int);\nextern void __VERIFIER_atomic_begin(void);\n"
        "extern void __VERIFIER_atomic_end(void);\n";
    for (std::size_t i = 0; i < program_.globals.size(); ++i) global(static_cast<int>(i));
    for (int i = 0; i < program_.mutexes; ++i)
      out_ += "static pthread_mutex_t m" + num(i) + " = PTHREAD_MUTEX_INITIALIZER;\n";
    for (int i = 0; i < program_.conditions; ++i)
      out_ += "static pthread_cond_t c" + num(i) + " = PTHREAD_COND_INITIALIZER;\n";
    for (std::size_t i = 0; i < program_.semaphores.size(); ++i)
      out_ += "static sem_t s" + std::to_string(i) + ";\n";
    for (std::size_t i = 1; i < program_.functions.size(); ++i) out_ += head(static_cast<int>(i)) + ";\n";
    for (std::size_t i = program_.functions.size(); i-- > 0;) function(static_cast<int>(i));
    return out_;
  }

 private:
  // The place of a cell, for pointers.
  std::string cell(int wanted) const {
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      int at = wanted - cells_[i];
      if (at < 0 || at >= cells_of(program_.globals[i])) continue;
      std::string name = "g" + std::to_string(i);
      if (program_.globals[i].type == Global::Type::array) return name + "[" + num(at) + "]";
      if (program_.globals[i].type == Global::Type::structure) return name + (at == 0 ? ".a" : ".b");
      return name;
    }
    return "nowhere";
  }

  void global(int i) {
    const Global& it = program_.globals[static_cast<std::size_t>(i)];
    std::string name = "g" + num(i);
    std::string both = "{" + num(it.first) + ", " + num(it.second) + "};\n";
    switch (it.type) {
      case Global::Type::plain: out_ += "static int " + name + " = " + num(it.first) + ";\n"; break;
      case Global::Type::atomic: out_ += "static _Atomic int " + name + " = " + num(it.first) + ";\n"; break;
      case Global::Type::array: out_ += "static int " + name + "[2] = " + both; break;
      case Global::Type::structure: out_ += "static struct { int a, b; } " + name + " = " + both; break;
      case Global::Type::pointer: out_ += "static int *" + name + " = &" + cell(it.first) + ";\n"; break;
    }
  }

  std::string name(int i) const {
    switch (program_.functions[static_cast<std::size_t>(i)].role) {
      case Function::Role::main: return "main";
      case Function::Role::thread: return "t" + num(i);
      case Function::Role::helper: return "f" + num(i);
      case Function::Role::atomic_helper: return "__VERIFIER_atomic_f" + num(i);
    }
    return "";
  }

  std::string head(int i) const {
    const Function& it = program_.functions[static_cast<std::size_t>(i)];
    if (it.role == Function::Role::main) return "int main(void)";
    if (it.role == Function::Role::thread) return "static void *" + name(i) + "(void *argument)";
    std::string text = "static int " + name(i) + "(";
    for (int p = 0; p < it.parameters; ++p) text += (p == 0 ? "int l" : ", int l") + num(p);
    return text + (it.parameters == 0 ? "void)" : ")");
  }

  void function(int i) {
    const Function& it = program_.functions[static_cast<std::size_t>(i)];
    function_ = &it;
    out_ += head(i) + " {\n";
    bool thread = it.role == Function::Role::thread;
    for (int l = it.parameters; l < it.locals; ++l)
      line("int l" + num(l) + (thread && l == 0 ? " = (int)(long)argument;" : " = 0;"));
    for (std::size_t p = 0; p < it.pointers.size(); ++p)
      line("int *q" + std::to_string(p) + " = &" + cell(it.pointers[p]) + ";");
    for (int h = 0; h < it.handles; ++h) line("pthread_t h" + num(h) + " = 0;");
    if (it.role == Function::Role::main) {
      for (std::size_t s = 0; s < program_.semaphores.size(); ++s)
        line("sem_init(&s" + std::to_string(s) + ", 0, " + num(program_.semaphores[s]) + ");");
    }
    for (const Node& each : it.body.children) statement(each);
    line("return 0;");
    out_ += "}\n";
  }

  void line(const std::string& text) { out_ += std::string(2 * depth_, ' ') + text + "\n"; }

  void inside(const Node& block) {
    ++depth_;
    for (const Node& each : block.children) statement(each);
    --depth_;
  }

  void statement(const Node& n) {
    auto child = [&](std::size_t i) -> const Node& { return n.children.at(i); };
    switch (n.kind) {
      case Kind::block:
        line("{");
        inside(n);
        line("}");
        return;
      case Kind::evaluate: line(expression(child(0)) + ";"); return;
      case Kind::set: line(place(child(0)) + " = " + expression(child(1)) + ";"); return;
      case Kind::set_local: line("l" + num(n.a) + " = " + expression(child(0)) + ";"); return;
      case Kind::update:
        line(place(child(0)) + " " + text_of(n.a) + "= " + expression(child(1)) + ";");
        return;
      case Kind::update_local:
        line("l" + num(n.a) + " " + text_of(n.b) + "= " + expression(child(0)) + ";");
        return;
      case Kind::point_local: line("q" + num(n.a) + " = &" + place(child(0)) + ";"); return;
      case Kind::point_global: line("g" + num(n.a) + " = &" + place(child(0)) + ";"); return;
      case Kind::break_: line("break;"); return;
      case Kind::continue_: line("continue;"); return;
      case Kind::jump: line("goto L" + num(n.a) + ";"); return;
      case Kind::label: line("L" + num(n.a) + ":;"); return;
      case Kind::return_:
        line(function_->role == Function::Role::thread ? "return (void *)(long)" + expression(child(0)) + ";"
                                                       : "return " + expression(child(0)) + ";");
        return;
      case Kind::assume: line("__VERIFIER_assume(" + expression(child(0)) + ");"); return;
      case Kind::check:
        line("if (!" + expression(child(0)) + ") __assert_fail(\"" + num(n.a) + "\", \"f\", 1, \"f\");");
        return;
      case Kind::atomic:
        line("__VERIFIER_atomic_begin();");
        inside(child(0));
        line("__VERIFIER_atomic_end();");
        return;
      case Kind::quit: line("exit(0);"); return;
      default: break;
    }
    if (!control(n)) threads(n);
  }

  bool control(const Node& n) {
    auto child = [&](std::size_t i) -> const Node& { return n.children.at(i); };
    std::string l = "l" + num(n.a);
    switch (n.kind) {
      case Kind::if_:
        line("if (" + expression(child(0)) + ") {");
        inside(child(1));
        if (!child(2).children.empty()) {
          line("} else {");
          inside(child(2));
        }
        line("}");
        return true;
      case Kind::for_:
        line("for (" + l + " = 0; " + l + " < " + num(n.b) + "; " + l + "++) {");
        inside(child(0));
        line("}");
        return true;
      case Kind::while_:
        line(l + " = 0;");
        line("while (" + l + "++ < " + num(n.b) + " && " + expression(child(0)) + ") {");
        inside(child(1));
        line("}");
        return true;
      case Kind::do_:
        line(l + " = 0;");
        line("do {");
        inside(child(1));
        line("} while (++" + l + " < " + num(n.b) + " && " + expression(child(0)) + ");");
        return true;
      case Kind::switch_:
        line("switch (" + expression(child(0)) + ") {");
        for (std::size_t i = 1; i < n.children.size(); ++i) {
          line(i + 1 == n.children.size() ? "default:;" : "case " + std::to_string(i - 1) + ":;");
          inside(n.children[i]);
          if ((n.a >> i & 1) == 0) line("  break;");
        }
        line("}");
        return true;
      case Kind::spin: {
        std::string text = expression(child(0));
        if (n.a == 0) line("while (!" + text + ");");
        if (n.a == 1) line("do {} while (!" + text + ");");
        if (n.a == 2) line("for (;;) { if (" + text + ") break; }");
        if (n.a == 3) line("while (1) { if (!" + text + ") continue; break; }");
        return true;
      }
      default: return false;
    }
  }

  void threads(const Node& n) {
    std::string m = "(&m" + num(n.a) + ");";
    std::string c = "(&c" + num(n.a);
    switch (n.kind) {
      case Kind::lock: line("pthread_mutex_lock" + m); return;
      case Kind::unlock: line("pthread_mutex_unlock" + m); return;
      case Kind::wait: line("pthread_cond_wait" + c + ", &m" + num(n.b) + ");"); return;
      case Kind::signal: line("pthread_cond_signal" + c + ");"); return;
      case Kind::broadcast: line("pthread_cond_broadcast" + c + ");"); return;
      case Kind::down: line("sem_wait(&s" + num(n.a) + ");"); return;
      case Kind::up: line("sem_post(&s" + num(n.a) + ");"); return;
      case Kind::create:
        line("pthread_create(&h" + num(n.a) + ", 0, " + name(n.b) + ", (void *)(long)" +
             expression(n.children.at(0)) + ");");
        return;
      case Kind::join:
        if (n.b < 0) {
          line("pthread_join(h" + num(n.a) + ", 0);");
        } else {
          line("{ void *result; pthread_join(h" + num(n.a) + ", &result); l" + num(n.b) +
               " = (int)(long)result; }");
        }
        return;
      case Kind::leave: line("pthread_exit((void *)(long)" + expression(n.children.at(0)) + ");"); return;
      default: line("no statement;");
    }
  }

  std::string place(const Node& n) {
    std::string g = "g" + num(n.a);
    switch (n.kind) {
      case Kind::global: return g;
      case Kind::element: return g + "[" + expression(n.children.at(0)) + " & 1]";
      case Kind::field: return g + (n.b == 0 ? ".a" : ".b");
      case Kind::behind_local: return "*q" + num(n.a);
      case Kind::behind_global: return "*" + g;
      default: return "no place";
    }
  }

  std::string arguments(const Node& n, std::size_t first) {
    std::string text = "(";
    for (std::size_t i = first; i < n.children.size(); ++i)
      text += (i == first ? "" : ", ") + expression(n.children[i]);
    return text + ")";
  }

  // In parentheses, unless it needs none.
  std::string expression(const Node& n) {
    auto child = [&](std::size_t i) { return expression(n.children.at(i)); };
    std::string atomic = "(&g" + num(n.a) + ", ";
    switch (n.kind) {
      case Kind::number: return n.a < 0 ? "(" + num(n.a) + ")" : num(n.a);
      case Kind::local: return "l" + num(n.a);
      case Kind::load: return "(" + place(n.children.at(0)) + ")";
      case Kind::binary: return "(" + child(0) + " " + text_of(n.a) + " " + child(1) + ")";
      case Kind::negation: return "(!" + child(0) + ")";
      case Kind::both: return "(" + child(0) + " && " + child(1) + ")";
      case Kind::either: return "(" + child(0) + " || " + child(1) + ")";
      case Kind::choice: return "(" + child(0) + " ? " + child(1) + " : " + child(2) + ")";
      case Kind::call: return name(n.a) + arguments(n, 0);
      case Kind::call_either:
        return "(" + child(0) + " ? " + name(n.a) + " : " + name(n.b) + ")" + arguments(n, 1);
      case Kind::step_before:
        return (n.a > 0 ? "(++" : "(--") + std::string("(") + place(n.children.at(0)) + "))";
      case Kind::step_behind: return "((" + place(n.children.at(0)) + (n.a > 0 ? ")++)" : ")--)");
      case Kind::assigned: return "(" + place(n.children.at(0)) + " = " + child(1) + ")";
      case Kind::try_lock: return "pthread_mutex_trylock(&m" + num(n.a) + ")";
      case Kind::try_down: return "sem_trywait(&s" + num(n.a) + ")";
      case Kind::fetch_add: return "atomic_fetch_add" + atomic + child(0) + ")";
      case Kind::fetch_xor: return "atomic_fetch_xor" + atomic + child(0) + ")";
      case Kind::exchange: return "atomic_exchange" + atomic + child(0) + ")";
      case Kind::compare:
        return "atomic_compare_exchange_strong" + atomic + "&l" + num(n.b) + ", " + child(0) + ")";
      default: return "no expression";
    }
  }

  const Program& program_;
  std::vector<int> cells_;
  const Function* function_ = nullptr;
  std::string out_;
  std::size_t depth_ = 1;
};

}  // namespace

std::string to_c(const Program& program) { return Printer(program).run(); }

}  // namespace thrum::seq::random
