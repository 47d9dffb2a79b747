// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <string>

#include "boolprog/syntax.hpp"

namespace thrum::bp {

namespace {

// How tightly an expression of each kind binds, in the order of the parser's levels.
constexpr int kLoosest = 0;
constexpr int kUnary = 7;

int level_of(Expression::Kind kind) {
  switch (kind) {
    case Expression::Kind::conditional: return 0;
    case Expression::Kind::implication: return 1;
    case Expression::Kind::disjunction: return 2;
    case Expression::Kind::exclusive: return 3;
    case Expression::Kind::conjunction: return 4;
    case Expression::Kind::equal:
    case Expression::Kind::different: return 5;
    case Expression::Kind::negation: return kUnary;
    default: return kUnary + 1;
  }
}

const char* sign_of(Expression::Kind kind) {
  switch (kind) {
    case Expression::Kind::implication: return " => ";
    case Expression::Kind::disjunction: return " | ";
    case Expression::Kind::exclusive: return " ^ ";
    case Expression::Kind::conjunction: return " & ";
    case Expression::Kind::equal: return " = ";
    default: return " != ";
  }
}

// least: an expression that binds less tightly than this gets parentheses.
void print(const Expression& expression, int least, std::string& out) {
  int level = level_of(expression.kind);
  bool parentheses = level < least;
  if (parentheses) out += '(';
  const auto& operands = expression.operands;
  switch (expression.kind) {
    case Expression::Kind::constant: out += expression.value ? 'T' : 'F'; break;
    case Expression::Kind::nondeterministic: out += '*'; break;
    case Expression::Kind::variable: out += expression.name; break;
    case Expression::Kind::next: out += "'" + expression.name; break;
    case Expression::Kind::negation:
      out += '!';
      print(operands[0], kUnary, out);
      break;
    case Expression::Kind::choose:
      out += "schoose[";
      print(operands[0], kLoosest, out);
      out += ", ";
      print(operands[1], kLoosest, out);
      out += ']';
      break;
    case Expression::Kind::conditional:
      print(operands[0], level + 1, out);
      out += " ? ";
      print(operands[1], kLoosest, out);
      out += " : ";
      print(operands[2], kLoosest, out);
      break;
    default:
      print(operands[0], level, out);
      out += sign_of(expression.kind);
      print(operands[1], level + 1, out);
  }
  if (parentheses) out += ')';
}

template <typename Sequence, typename Each>
std::string listed(const Sequence& sequence, Each each) {
  std::string result;
  for (const auto& one : sequence) {
    if (!result.empty()) result += ", ";
    result += each(one);
  }
  return result;
}

std::string listed(const std::vector<Name>& names) {
  return listed(names, [](const Name& name) { return name.text; });
}
std::string listed(const std::vector<Expression>& values) {
  return listed(values, [](const Expression& value) { return to_text(value); });
}

class Printer {
 public:
  std::string program(const Program& program) {
    for (const Declaration& global : program.globals) declaration(global, 0);
    for (const Function& one : program.functions) {
      if (!out_.empty()) out_ += '\n';
      function(one);
    }
    return out_;
  }

 private:
  void line(int depth, const std::string& text) {
    out_.append(static_cast<std::size_t>(depth) * 2, ' ');
    out_ += text + '\n';
  }

  static std::string declared(const Declaration& one) {
    return (one.is_thread ? "thread " : "") + one.name.text;
  }
  void declaration(const Declaration& one, int depth) { line(depth, "decl " + declared(one) + ';'); }

  void function(const Function& one) {
    std::string type = one.results == 0   ? "void"
                       : one.results == 1 ? "bool"
                                          : "bool<" + std::to_string(one.results) + ">";
    line(0, (one.is_dfs ? "dfs " : "") + type + ' ' + one.name.text + '(' + listed(one.parameters, declared) +
                ')');
    line(0, "begin");
    for (const Declaration& local : one.locals) declaration(local, 1);
    if (one.enforce) line(1, "enforce " + to_text(*one.enforce) + ';');
    if (one.abort_if) line(1, "abortif " + to_text(*one.abort_if) + ';');
    block(one.body, 1);
    line(0, "end");
  }

  void block(const Block& body, int depth) {
    for (const Statement& one : body) statement(one, depth);
  }

  void statement(const Statement& one, int depth) {
    std::string labels;
    for (const Name& label : one.labels) labels += label.text + ": ";
    if (one.kind == Statement::Kind::choice) {
      const char* word = "if ";
      for (const Arm& arm : one.arms) {
        line(depth, labels + word + to_text(arm.condition) + " then");
        block(arm.body, depth + 1);
        word = "elsif ";
        labels.clear();
      }
      if (one.has_otherwise) {
        line(depth, "else");
        block(one.otherwise, depth + 1);
      }
      line(depth, "fi;");
    } else if (one.kind == Statement::Kind::loop) {
      line(depth, labels + "while " + to_text(one.arms[0].condition) + " do");
      block(one.arms[0].body, depth + 1);
      line(depth, "od;");
    } else {
      line(depth, labels + simple(one) + ';');
    }
  }

  static std::string simple(const Statement& one) {
    std::string targets = one.targets.empty() ? "" : listed(one.targets) + " := ";
    std::string constraint = one.constraint ? " constrain " + to_text(*one.constraint) : "";
    switch (one.kind) {
      case Statement::Kind::skip: return "skip";
      case Statement::Kind::go_to: return "goto " + listed(one.names);
      case Statement::Kind::assume: return "assume(" + to_text(one.values[0]) + ')' + constraint;
      case Statement::Kind::assertion: return "assert(" + to_text(one.values[0]) + ')';
      case Statement::Kind::assign: return targets + listed(one.values) + constraint;
      case Statement::Kind::call: return targets + one.callee.text + '(' + listed(one.values) + ')';
      case Statement::Kind::give_back: return one.values.empty() ? "return" : "return " + listed(one.values);
      case Statement::Kind::dead: return "dead " + listed(one.targets);
      case Statement::Kind::print: return "print(" + listed(one.values) + ')';
      case Statement::Kind::start_goto: return targets + "start_thread goto " + one.names[0].text;
      case Statement::Kind::start_call:
        return targets + "start_thread " + one.callee.text + '(' + listed(one.values) + ')';
      case Statement::Kind::end_thread: return "end_thread";
      case Statement::Kind::join: return "join " + one.targets[0].text;
      case Statement::Kind::sync: return "sync " + one.names[0].text;
      case Statement::Kind::atomic_begin: return "atomic_begin";
      case Statement::Kind::atomic_end: return "atomic_end";
      case Statement::Kind::wait: return "wait";
      default: return "broadcast";
    }
  }

  std::string out_;
};

}  // namespace

std::string to_text(const Expression& expression) {
  std::string out;
  print(expression, kLoosest, out);
  return out;
}

std::string to_text(const Program& program) { return Printer().program(program); }

}  // namespace thrum::bp
