// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "boolprog/flow.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace thrum::bp {

namespace {

using Kind = Instruction::Kind;

std::string counted(std::size_t count, const char* what) {
  return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
}

// The text of a statement in a trace, without the statements nested in it.
std::string headline(Statement statement) {
  statement.labels.clear();
  if (statement.kind == Statement::Kind::choice) return "if " + to_text(statement.arms[0].condition);
  if (statement.kind == Statement::Kind::loop) return "while " + to_text(statement.arms[0].condition);
  Program one;
  one.functions.push_back({.name = {"f"}, .body = {std::move(statement)}});
  std::string text = to_text(one);  // "void f()\nbegin\n  TEXT;\nend\n"
  std::size_t begin = text.find("begin\n") + 8;
  return text.substr(begin, text.rfind(";\nend") - begin);
}

class Builder {
 public:
  Builder(const Program& program, const std::vector<std::string>& threads) : program_(program) {
    declare(program.globals, globals_);
    flow_.globals = program.globals;
    for (const Function& function : program.functions) declare(function);
    for (std::uint32_t i = 0; i < program.functions.size(); ++i) {
      procedure_ = i;
      this->function(program.functions[i]);
    }
    choose_threads(threads);
  }

  Flow flow() { return std::move(flow_); }

 private:
  using Names = std::map<std::string, std::uint32_t>;

  static void declare(const std::vector<Declaration>& declarations, Names& names) {
    for (const Declaration& one : declarations) {
      if (!names.emplace(one.name.text, static_cast<std::uint32_t>(names.size())).second) {
        throw InputError(one.name.where, "'" + one.name.text + "' is declared twice");
      }
    }
  }

  void declare(const Function& function) {
    auto number = static_cast<std::uint32_t>(flow_.procedures.size());
    if (!functions_.emplace(function.name.text, number).second) {
      throw InputError(function.name.where, "there are two functions '" + function.name.text + "'");
    }
    Procedure procedure;
    procedure.name = function.name.text;
    procedure.parameters = static_cast<std::uint32_t>(function.parameters.size());
    procedure.results = function.results;
    procedure.locals = function.parameters;
    procedure.locals.insert(procedure.locals.end(), function.locals.begin(), function.locals.end());
    flow_.procedures.push_back(std::move(procedure));
  }

  // --- Names ---

  const Declaration& declaration(Variable variable) const { return flow_.declaration(variable, procedure_); }

  Variable look_up(const std::string& name, Position where) const {
    if (auto local = locals_.find(name); local != locals_.end()) return {false, local->second};
    if (auto global = globals_.find(name); global != globals_.end()) return {true, global->second};
    throw InputError(where, "'" + name + "' is not declared");
  }

  std::uint32_t function_named(const Name& name) const {
    auto found = functions_.find(name.text);
    if (found == functions_.end()) throw InputError(name.where, "there is no function '" + name.text + "'");
    return found->second;
  }

  // in_constraint: 'x may occur.
  Expression truth_value(Expression expression, bool in_constraint = false) const {
    resolve(expression, in_constraint);
    return expression;
  }

  void resolve(Expression& expression, bool in_constraint) const {
    bool next = expression.kind == Expression::Kind::next;
    if (next && !in_constraint) {
      throw InputError(expression.where, "'" + expression.name + " stands behind 'constrain' only");
    }
    if (next || expression.kind == Expression::Kind::variable) {
      expression.variable = look_up(expression.name, expression.where);
      if (declaration(expression.variable).is_thread) {
        throw InputError(expression.where, "'" + expression.name + "' holds a thread, and is no truth value");
      }
    }
    for (Expression& operand : expression.operands) resolve(operand, in_constraint);
  }

  // The value that is assigned to a variable. thread: the variable holds a thread.
  Expression given(const Expression& value, bool thread) const {
    if (!thread) return truth_value(value);
    if (value.kind == Expression::Kind::variable) {
      Expression copy = value;
      copy.variable = look_up(value.name, value.where);
      if (declaration(copy.variable).is_thread) return copy;
    }
    throw InputError(value.where, "a thread is expected: a variable that holds one");
  }

  std::vector<Variable> targets(const std::vector<Name>& names) const {
    std::vector<Variable> result;
    for (const Name& name : names) {
      Variable variable = look_up(name.text, name.where);
      if (std::find(result.begin(), result.end(), variable) != result.end()) {
        throw InputError(name.where, "'" + name.text + "' is assigned twice at once");
      }
      result.push_back(variable);
    }
    return result;
  }

  std::vector<Expression> arguments(const Statement& statement, std::uint32_t callee) const {
    const Procedure& procedure = flow_.procedures[callee];
    if (statement.values.size() != procedure.parameters) {
      throw InputError(statement.callee.where, "'" + procedure.name + "' takes " +
                                                   counted(procedure.parameters, "argument") + ", not " +
                                                   std::to_string(statement.values.size()));
    }
    std::vector<Expression> result;
    for (std::size_t i = 0; i < statement.values.size(); ++i) {
      result.push_back(given(statement.values[i], procedure.locals[i].is_thread));
    }
    return result;
  }

  // --- Code ---

  Instruction& emit(Kind kind, const Statement& statement) {
    Instruction instruction;
    instruction.kind = kind;
    instruction.procedure = procedure_;
    instruction.where = statement.where;
    instruction.text = headline(statement);
    for (const Name& label : statement.labels) instruction.labels.push_back(label.text);
    flow_.code.push_back(std::move(instruction));
    return flow_.code.back();
  }

  Pc here() const { return static_cast<Pc>(flow_.code.size()); }

  void function(const Function& function) {
    locals_.clear();
    labels_.clear();
    jumps_.clear();
    std::vector<Declaration> all = flow_.procedures[procedure_].locals;
    declare(all, locals_);
    Procedure& procedure = flow_.procedures[procedure_];
    procedure.entry = here();
    if (function.enforce) procedure.enforce.push_back(truth_value(*function.enforce));
    if (function.abort_if) {
      Expression negation{.kind = Expression::Kind::negation, .where = function.abort_if->where};
      negation.operands.push_back(truth_value(*function.abort_if));
      procedure.enforce.push_back(std::move(negation));
    }
    block(function.body);
    fall_off(function);
    for (const Jump& jump : jumps_) {
      auto found = labels_.find(jump.label.text);
      if (found == labels_.end()) {
        throw InputError(jump.label.where,
                         "'" + function.name.text + "' has no label '" + jump.label.text + "'");
      }
      Instruction& from = flow_.code[jump.from];
      if (from.kind == Kind::start_thread) {
        from.entry = found->second;
      } else {
        from.next.push_back(found->second);
      }
    }
  }

  // A function that reaches its end returns arbitrary results.
  void fall_off(const Function& function) {
    Statement end;
    end.kind = Statement::Kind::give_back;
    end.where = function.end;
    Instruction& instruction = emit(Kind::give_back, end);
    for (std::uint32_t i = 0; i < function.results; ++i) {
      instruction.values.push_back({.kind = Expression::Kind::nondeterministic, .where = function.end});
    }
  }

  void block(const Block& body) {
    for (const Statement& one : body) statement(one);
  }

  void define_labels(const Statement& statement) {
    for (const Name& label : statement.labels) {
      if (!labels_.emplace(label.text, here()).second) {
        throw InputError(label.where, "the label '" + label.text + "' stands twice in this function");
      }
    }
  }

  void statement(const Statement& one) {
    define_labels(one);
    switch (one.kind) {
      case Statement::Kind::choice: return choice(one);
      case Statement::Kind::loop: return loop(one);
      case Statement::Kind::call:
      case Statement::Kind::start_call:
        // Older files start a thread by a call with such a label.
        return invoke(one, one.kind == Statement::Kind::start_call || has_async_label(one));
      case Statement::Kind::go_to: {
        Pc from = here();
        emit(Kind::jump, one);
        for (const Name& label : one.names) jumps_.push_back({from, label});
        return;
      }
      case Statement::Kind::start_goto: return start_here(one);
      case Statement::Kind::give_back: return give_back(one);
      default: plain(one);
    }
  }

  static bool has_async_label(const Statement& one) {
    return one.targets.empty() && std::any_of(one.labels.begin(), one.labels.end(), [](const Name& label) {
             return label.text.starts_with("ASYNC_");
           });
  }

  // Statements after which control goes on at the next statement.
  void plain(const Statement& one) {
    std::vector<Variable> into = targets(one.targets);
    std::vector<Expression> values;
    std::optional<Expression> constraint;
    if (one.constraint) constraint = truth_value(*one.constraint, true);
    Kind kind = Kind::skip;
    switch (one.kind) {
      case Statement::Kind::assume:
      case Statement::Kind::assertion:
        kind = one.kind == Statement::Kind::assume ? Kind::assume : Kind::assertion;
        values.push_back(truth_value(one.values[0]));
        if (constraint) kind = Kind::assign;  // without targets, under both conditions
        break;
      case Statement::Kind::assign:
        kind = Kind::assign;
        values = assigned(one, into);
        break;
      case Statement::Kind::dead:
        kind = Kind::assign;
        for (Variable variable : into) forget(variable, one, values);
        break;
      case Statement::Kind::print:
        for (const Expression& value : one.values) truth_value(value);
        break;
      case Statement::Kind::join:
        kind = Kind::join;
        if (!declaration(into[0]).is_thread) {
          throw InputError(one.targets[0].where, "'" + one.targets[0].text +
                                                     "' holds no thread: decl thread " + one.targets[0].text);
        }
        break;
      case Statement::Kind::end_thread: kind = Kind::end_thread; break;
      case Statement::Kind::atomic_begin: kind = Kind::atomic_begin; break;
      case Statement::Kind::atomic_end: kind = Kind::atomic_end; break;
      case Statement::Kind::wait: kind = Kind::wait; break;
      case Statement::Kind::broadcast: kind = Kind::broadcast; break;
      default: break;
    }
    Instruction& instruction = emit(kind, one);
    if (one.kind == Statement::Kind::assume && constraint) {
      Expression both{.kind = Expression::Kind::conjunction, .where = one.where};
      both.operands = {std::move(values[0]), std::move(*constraint)};
      constraint = std::move(both);
      values.clear();
    }
    instruction.targets = std::move(into);
    instruction.values = std::move(values);
    instruction.constraint = std::move(constraint);
    instruction.next.push_back(here());
  }

  std::vector<Expression> assigned(const Statement& one, const std::vector<Variable>& into) const {
    if (into.size() != one.values.size()) {
      throw InputError(one.where, counted(into.size(), "variable") + " and " +
                                      counted(one.values.size(), "value") + " do not go together");
    }
    std::vector<Expression> values;
    for (std::size_t i = 0; i < into.size(); ++i) {
      values.push_back(given(one.values[i], declaration(into[i]).is_thread));
    }
    return values;
  }

  // A dead variable has an arbitrary value.
  void forget(Variable variable, const Statement& one, std::vector<Expression>& values) const {
    if (declaration(variable).is_thread) {
      throw InputError(one.where, "a variable that holds a thread is not declared dead");
    }
    values.push_back({.kind = Expression::Kind::nondeterministic, .where = one.where});
  }

  void choice(const Statement& one) {
    std::vector<Pc> to_end;
    bool first = true;
    for (const Arm& arm : one.arms) {
      Statement condition;
      condition.where = first ? one.where : arm.condition.where;
      if (first) condition.labels = one.labels;
      first = false;
      Pc branch = branch_on(arm.condition, condition, "if ");
      block(arm.body);
      to_end.push_back(jump_from(one));
      flow_.code[branch].next.push_back(here());
    }
    block(one.otherwise);
    for (Pc jump : to_end) flow_.code[jump].next.push_back(here());
  }

  void loop(const Statement& one) {
    Pc branch = branch_on(one.arms[0].condition, one, "while ");
    block(one.arms[0].body);
    flow_.code[jump_from(one)].next.push_back(branch);
    flow_.code[branch].next.push_back(here());
  }

  // The code to run if the condition holds comes next.
  Pc branch_on(const Expression& condition, const Statement& at, const char* word) {
    Expression value = truth_value(condition);
    Pc branch = here();
    Statement plain;
    plain.where = at.where;
    plain.labels = at.labels;
    Instruction& instruction = emit(Kind::branch, plain);
    instruction.text = word + to_text(condition);
    instruction.values.push_back(std::move(value));
    instruction.next.push_back(here());
    return branch;
  }

  Pc jump_from(const Statement& one) {
    Statement plain;
    plain.where = one.where;
    Pc from = here();
    emit(Kind::jump, plain).text = "goto";
    return from;
  }

  void invoke(const Statement& one, bool starts_thread) {
    std::uint32_t callee = function_named(one.callee);
    const Procedure& procedure = flow_.procedures[callee];
    std::vector<Expression> values = arguments(one, callee);
    std::vector<Variable> into = targets(one.targets);
    if (starts_thread) {
      thread_target(one, into);
    } else {
      if (!into.empty() && into.size() != procedure.results) {
        throw InputError(one.callee.where, "'" + procedure.name + "' gives " +
                                               counted(procedure.results, "result") + ", not " +
                                               std::to_string(into.size()));
      }
      for (std::size_t i = 0; i < into.size(); ++i) {
        if (declaration(into[i]).is_thread) {
          throw InputError(one.targets[i].where,
                           "'" + one.targets[i].text + "' holds a thread, and a function gives truth values");
        }
      }
    }
    Instruction& instruction = emit(starts_thread ? Kind::start_thread : Kind::call, one);
    instruction.callee = callee;
    instruction.values = std::move(values);
    instruction.targets = std::move(into);
    instruction.next.push_back(here());
    if (starts_thread) entries_.push_back({here() - 1, callee});
  }

  void thread_target(const Statement& one, const std::vector<Variable>& into) const {
    if (!into.empty() && !declaration(into[0]).is_thread) {
      throw InputError(one.targets[0].where,
                       "'" + one.targets[0].text + "' holds no thread: decl thread " + one.targets[0].text);
    }
  }

  void start_here(const Statement& one) {
    std::vector<Variable> into = targets(one.targets);
    thread_target(one, into);
    Pc from = here();
    Instruction& instruction = emit(Kind::start_thread, one);
    instruction.callee = procedure_;
    instruction.copies_locals = true;
    instruction.targets = std::move(into);
    instruction.next.push_back(here());
    jumps_.push_back({from, one.names[0]});
  }

  void give_back(const Statement& one) {
    const Procedure& procedure = flow_.procedures[procedure_];
    if (!one.values.empty() && one.values.size() != procedure.results) {
      throw InputError(one.where, "'" + procedure.name + "' gives " + counted(procedure.results, "result") +
                                      ", not " + std::to_string(one.values.size()));
    }
    std::vector<Expression> values;
    for (const Expression& value : one.values) values.push_back(truth_value(value));
    while (values.size() < procedure.results) {
      values.push_back({.kind = Expression::Kind::nondeterministic, .where = one.where});
    }
    emit(Kind::give_back, one).values = std::move(values);
  }

  // --- Threads ---

  void choose_threads(const std::vector<std::string>& wanted) {
    for (auto [from, callee] : entries_) flow_.code[from].entry = flow_.procedures[callee].entry;
    bool getafix = program_.functions[0].name.text == "init" &&
                   (globals_.contains("atomic") || globals_.contains("super_atomic"));
    if (getafix) {
      flow_.init = 0;
      refuse_starts_from_init();
      for (const char* name : {"atomic", "super_atomic"}) {
        if (auto found = globals_.find(name); found != globals_.end()) {
          const Declaration& global = flow_.globals[found->second];
          if (global.is_thread)
            throw InputError(global.name.where, "'" + global.name.text + "' is a truth value");
          flow_.atomic_globals.push_back(found->second);
        }
      }
    }
    std::vector<std::string> names = wanted;
    if (names.empty()) names = getafix ? uncalled() : std::vector<std::string>{"main"};
    for (const std::string& name : names) {
      auto found = functions_.find(name);
      if (found == functions_.end()) {
        throw InputError(program_.functions[0].name.where,
                         "there is no function '" + name + "' to be a thread");
      }
      const Function& function = program_.functions[found->second];
      if (!function.parameters.empty()) {
        throw InputError(function.name.where, "'" + name + "' is to be a thread, and takes " +
                                                  counted(function.parameters.size(), "argument"));
      }
      flow_.threads.push_back(found->second);
    }
    if (flow_.threads.empty()) {
      throw InputError(program_.functions[0].name.where,
                       "there is no thread: each function is called by another one");
    }
  }

  // `init` runs alone, before the threads of the program.
  void refuse_starts_from_init() const {
    std::set<std::uint32_t> reached;
    std::vector<std::uint32_t> work{0};
    while (!work.empty()) {
      std::uint32_t procedure = work.back();
      work.pop_back();
      if (!reached.insert(procedure).second) continue;
      for (const Instruction& one : flow_.code) {
        if (one.procedure != procedure) continue;
        if (one.kind == Kind::start_thread) throw InputError(one.where, "'init' starts no threads");
        if (one.kind == Kind::call) work.push_back(one.callee);
      }
    }
  }

  std::vector<std::string> uncalled() const {
    std::set<std::uint32_t> called{0};
    for (const Instruction& one : flow_.code) {
      bool calls = one.kind == Kind::call || one.kind == Kind::start_thread;
      if (calls && one.callee != one.procedure) called.insert(one.callee);
    }
    std::vector<std::string> result;
    for (std::uint32_t i = 0; i < flow_.procedures.size(); ++i) {
      if (!called.contains(i)) result.push_back(flow_.procedures[i].name);
    }
    return result;
  }

  struct Jump {
    Pc from;
    Name label;
  };
  struct Entry {
    Pc from;
    std::uint32_t callee;
  };

  const Program& program_;
  Flow flow_;
  Names globals_;
  Names functions_;
  std::uint32_t procedure_ = 0;  // the one that is being built
  Names locals_;
  std::map<std::string, Pc> labels_;
  std::vector<Jump> jumps_;
  std::vector<Entry> entries_;
};

}  // namespace

bool Flow::uses(Instruction::Kind kind) const {
  return std::any_of(code.begin(), code.end(), [kind](const Instruction& one) { return one.kind == kind; });
}

std::vector<Pc> Flow::labelled(const std::string& label) const {
  std::vector<Pc> result;
  for (Pc pc = 0; pc < code.size(); ++pc) {
    const auto& labels = code[pc].labels;
    if (std::find(labels.begin(), labels.end(), label) != labels.end()) result.push_back(pc);
  }
  return result;
}

Flow to_flow(const Program& program, const std::vector<std::string>& threads) {
  return Builder(program, threads).flow();
}

}  // namespace thrum::bp
