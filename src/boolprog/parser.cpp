// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A recursive-descent parser for the grammar of SatAbs and Boom. It also reads the dialect of Getafix, whose
// conditions in parentheses are expressions in parentheses. Binary operators, from the tightest: = != <>, &,
// ^, |, =>, ?:. All but the last are left-associative.
#include <algorithm>
#include <array>

#include "boolprog/lexer.hpp"
#include "boolprog/syntax.hpp"

namespace thrum::bp {

namespace {

using TokenKind = Token::Kind;

// Deeper nesting is refused, so that the recursion of the parser does not overflow the stack.
constexpr int kDepthMax = 400;
constexpr std::uint32_t kResultsMax = 1024;

class Parser {
 public:
  explicit Parser(const std::string& text) : tokens_(split(text)) {}

  Program program() {
    Program program;
    while (is("decl")) declarations(program.globals);
    while (peek().kind != TokenKind::end) program.functions.push_back(function());
    if (program.functions.empty()) fail("a function");
    return program;
  }

 private:
  // One level of nesting, for as long as the object lives.
  class Depth {
   public:
    explicit Depth(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > kDepthMax) {
        throw InputError(parser_.peek().where, "nested deeper than " + std::to_string(kDepthMax) + " levels");
      }
    }
    ~Depth() { --parser_.depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;

   private:
    Parser& parser_;
  };

  const Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  Token take() {
    Token token = peek();
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
  }
  bool is(const char* text, std::size_t ahead = 0) const {
    const Token& token = peek(ahead);
    return (token.kind == TokenKind::keyword || token.kind == TokenKind::symbol) && token.text == text;
  }
  bool accept(const char* text) {
    if (!is(text)) return false;
    take();
    return true;
  }
  // A word with a meaning only here; elsewhere it is an identifier like any other.
  bool is_word(const char* text) const { return peek().kind == TokenKind::identifier && peek().text == text; }

  [[noreturn]] void fail(const std::string& expected) const {
    const Token& token = peek();
    std::string found = token.kind == TokenKind::end ? token.text : "'" + token.text + "'";
    throw InputError(token.where, "expected " + expected + ", found " + found);
  }
  Position expect(const char* text) {
    if (!is(text)) fail(std::string("'") + text + "'");
    return take().where;
  }
  Name identifier(const char* what) {
    if (peek().kind != TokenKind::identifier) fail(what);
    Token token = take();
    return {token.text, token.where};
  }
  Name label() {
    if (peek().kind != TokenKind::identifier && peek().kind != TokenKind::number) fail("a label");
    Token token = take();
    return {token.text, token.where};
  }

  Declaration declaration() {
    bool is_thread = is_word("thread") && peek(1).kind == TokenKind::identifier;
    if (is_thread) take();
    return {identifier("the name of a variable"), is_thread};
  }

  // `decl thread a, b;`: `thread` applies to all names of the line.
  void declarations(std::vector<Declaration>& into) {
    expect("decl");
    Declaration first = declaration();
    into.push_back(first);
    while (accept(",")) into.push_back({identifier("the name of a variable"), first.is_thread});
    expect(";");
  }

  std::uint32_t result_type() {
    if (accept("void")) return 0;
    expect("bool");
    if (!accept("<")) return 1;
    if (peek().kind != TokenKind::number) fail("the number of results");
    Token token = take();
    unsigned long count = token.text.size() > 4 ? kResultsMax + 1UL : std::stoul(token.text);
    if (count == 0 || count > kResultsMax) {
      throw InputError(token.where, "a function has 1 to " + std::to_string(kResultsMax) + " results, not " +
                                        token.text + " ('void' for none)");
    }
    expect(">");
    return static_cast<std::uint32_t>(count);
  }

  Function function() {
    Function result;
    result.is_dfs = accept("dfs");
    if (!is("void") && !is("bool")) fail("a function, which begins with 'void' or 'bool'");
    result.results = result_type();
    result.name = identifier("the name of a function");
    expect("(");
    if (!is(")")) {
      do result.parameters.push_back(declaration());
      while (accept(","));
    }
    expect(")");
    expect("begin");
    while (is("decl")) declarations(result.locals);
    while (is("enforce") || is("abortif")) {
      std::optional<Expression>& clause = is("enforce") ? result.enforce : result.abort_if;
      if (clause) throw InputError(peek().where, "'" + peek().text + "' stands here a second time");
      take();
      clause = expression();
      expect(";");
    }
    result.body = block({"end"});
    result.end = expect("end");
    accept(";");
    return result;
  }

  Block block(std::initializer_list<const char*> ends) {
    Block result;
    while (std::none_of(ends.begin(), ends.end(), [this](const char* word) { return is(word); })) {
      if (peek().kind == TokenKind::end) fail(std::string("a statement or '") + *ends.begin() + "'");
      result.push_back(statement());
    }
    return result;
  }

  Statement statement() {
    Depth depth(*this);
    Statement result;
    while ((peek().kind == TokenKind::identifier || peek().kind == TokenKind::number) && is(":", 1)) {
      result.labels.push_back(label());
      take();
    }
    result.where = peek().where;
    if (is("if")) {
      choice(result);
      accept(";");
    } else if (is("while")) {
      loop(result);
      accept(";");
    } else {
      simple(result);
      expect(";");
    }
    return result;
  }

  void choice(Statement& result) {
    result.kind = Statement::Kind::choice;
    take();
    do {
      Arm arm;
      arm.condition = expression();
      expect("then");
      arm.body = block({"fi", "elsif", "else"});
      result.arms.push_back(std::move(arm));
    } while (accept("elsif"));
    if (accept("else")) {
      result.has_otherwise = true;
      result.otherwise = block({"fi"});
    }
    expect("fi");
  }

  void loop(Statement& result) {
    result.kind = Statement::Kind::loop;
    take();
    Arm arm;
    arm.condition = expression();
    expect("do");
    arm.body = block({"od"});
    result.arms.push_back(std::move(arm));
    expect("od");
  }

  void simple(Statement& result) {
    struct Plain {
      const char* word;
      Statement::Kind kind;
    };
    constexpr std::array<Plain, 6> kPlain = {{{"skip", Statement::Kind::skip},
                                              {"end_thread", Statement::Kind::end_thread},
                                              {"atomic_begin", Statement::Kind::atomic_begin},
                                              {"atomic_end", Statement::Kind::atomic_end},
                                              {"wait", Statement::Kind::wait},
                                              {"broadcast", Statement::Kind::broadcast}}};
    for (const Plain& plain : kPlain) {
      if (!accept(plain.word)) continue;
      result.kind = plain.kind;
      return;
    }
    if (is("goto")) {
      jump(result);
    } else if (is("assume") || is("assert")) {
      result.kind = take().text == "assume" ? Statement::Kind::assume : Statement::Kind::assertion;
      result.values.push_back(in_parentheses());
      if (result.kind == Statement::Kind::assume) constraint(result);
    } else if (accept("return")) {
      result.kind = Statement::Kind::give_back;
      if (!is(";")) result.values = expressions();
    } else if (accept("dead")) {
      result.kind = Statement::Kind::dead;
      result.targets = names("a variable");
    } else if (accept("print")) {
      result.kind = Statement::Kind::print;
      expect("(");
      if (!is(")")) result.values = expressions();
      expect(")");
    } else if (accept("sync")) {
      result.kind = Statement::Kind::sync;
      result.names.push_back(label());
    } else if (is("start_thread")) {
      start(result);
    } else if (peek().kind == TokenKind::identifier) {
      named(result);
    } else {
      fail("a statement");
    }
  }

  void jump(Statement& result) {
    result.kind = Statement::Kind::go_to;
    expect("goto");
    do result.names.push_back(label());
    while (accept(","));
  }

  void start(Statement& result) {
    expect("start_thread");
    if (accept("goto")) {
      result.kind = Statement::Kind::start_goto;
      result.names.push_back(label());
      return;
    }
    result.kind = Statement::Kind::start_call;
    result.callee = identifier("'goto' or a function");
    result.values = arguments();
  }

  // A statement that begins with an identifier: a join, a call or an assignment.
  void named(Statement& result) {
    if (is_word("join") && peek(1).kind == TokenKind::identifier) {
      take();
      result.kind = Statement::Kind::join;
      result.targets.push_back(identifier("a variable that holds a thread"));
      return;
    }
    if (is_word("constrain") && is("(", 1)) {  // Getafix
      take();
      result.kind = Statement::Kind::assume;
      result.values.push_back(Expression{.value = true, .where = peek().where});
      result.values.back().kind = Expression::Kind::constant;
      result.constraint = in_parentheses();
      return;
    }
    if (is("(", 1)) {
      result.kind = Statement::Kind::call;
      result.callee = identifier("a function");
      result.values = arguments();
      return;
    }
    result.targets = names("a variable");
    expect(":=");
    if (is("start_thread")) {
      start(result);
      if (result.targets.size() != 1) {
        throw InputError(result.where, "a new thread is given to one variable");
      }
    } else if (peek().kind == TokenKind::identifier && is("(", 1)) {
      result.kind = Statement::Kind::call;
      result.callee = identifier("a function");
      result.values = arguments();
    } else {
      result.kind = Statement::Kind::assign;
      result.values = expressions();
      constraint(result);
    }
  }

  void constraint(Statement& result) {
    if (!is_word("constrain")) return;
    take();
    result.constraint = expression();
  }

  std::vector<Name> names(const char* what) {
    std::vector<Name> result;
    do result.push_back(identifier(what));
    while (accept(","));
    return result;
  }

  std::vector<Expression> arguments() {
    expect("(");
    std::vector<Expression> result;
    if (!is(")")) result = expressions();
    expect(")");
    return result;
  }

  std::vector<Expression> expressions() {
    std::vector<Expression> result;
    do result.push_back(expression());
    while (accept(","));
    return result;
  }

  Expression in_parentheses() {
    expect("(");
    Expression result = expression();
    expect(")");
    return result;
  }

  Expression expression() {
    Depth depth(*this);
    Expression first = binary(0);
    if (!is("?")) return first;
    Expression result{.kind = Expression::Kind::conditional, .where = take().where};
    result.operands.push_back(std::move(first));
    result.operands.push_back(expression());
    expect(":");
    result.operands.push_back(expression());
    return result;
  }

  // Parses the operators of one level; level 0 binds loosest. A loop takes all operators of the level, so a
  // long chain gives a deep tree without deep recursion.
  Expression binary(std::size_t level) {
    struct Operator {
      const char* text;
      std::size_t level;
      Expression::Kind kind;
    };
    constexpr std::array<Operator, 7> kOperators = {{{"=>", 0, Expression::Kind::implication},
                                                     {"|", 1, Expression::Kind::disjunction},
                                                     {"^", 2, Expression::Kind::exclusive},
                                                     {"&", 3, Expression::Kind::conjunction},
                                                     {"=", 4, Expression::Kind::equal},
                                                     {"!=", 4, Expression::Kind::different},
                                                     {"<>", 4, Expression::Kind::different}}};
    if (level == 5) return unary();
    Expression left = binary(level + 1);
    int chain = 0;
    while (true) {
      const auto* found = std::find_if(kOperators.begin(), kOperators.end(), [&](const Operator& one) {
        return one.level == level && is(one.text);
      });
      if (found == kOperators.end()) return left;
      if (++chain > kDepthMax) {
        throw InputError(peek().where, "more than " + std::to_string(kDepthMax) + " operators in a row");
      }
      Expression both{.kind = found->kind, .where = take().where};
      both.operands.push_back(std::move(left));
      both.operands.push_back(binary(level + 1));
      left = std::move(both);
    }
  }

  Expression unary() {
    if (!is("!") && !is("~")) return primary();
    Depth depth(*this);
    Expression result{.kind = Expression::Kind::negation, .where = take().where};
    result.operands.push_back(unary());
    return result;
  }

  Expression primary() {
    Expression result{.where = peek().where};
    if (is("(")) return in_parentheses();
    if (accept("*")) {
      result.kind = Expression::Kind::nondeterministic;
    } else if (is("T") || is("F")) {
      result.value = take().text == "T";
    } else if (peek().kind == TokenKind::number) {
      Token token = take();
      if (token.text != "0" && token.text != "1") {
        throw InputError(token.where, "a truth value is 0 or 1, not " + token.text);
      }
      result.value = token.text == "1";
    } else if (accept("'")) {
      result.kind = Expression::Kind::next;
      result.name = identifier("the name of a variable").text;
    } else if (accept("schoose")) {
      result.kind = Expression::Kind::choose;
      expect("[");
      result.operands.push_back(expression());
      expect(",");
      result.operands.push_back(expression());
      expect("]");
    } else {
      result.kind = Expression::Kind::variable;
      result.name = identifier("an expression").text;
    }
    return result;
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Program parse(const std::string& text) { return Parser(text).program(); }

}  // namespace thrum::bp
