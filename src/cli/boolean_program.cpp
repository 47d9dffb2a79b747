// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/boolean_program.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "boolprog/check.hpp"
#include "cli/commands.hpp"
#include "report/fingerprint.hpp"
#include "report/result.hpp"
#include "verdict/error.hpp"
#include "verdict/found_bugs.hpp"
#include "verdict/sizes.hpp"
#include "verdict/text_file.hpp"

namespace thrum {

namespace {

std::string contexts_words(std::uint32_t count) { return fmt::format("{} context{}", count, plural(count)); }

class BooleanCheck {
 public:
  BooleanCheck(const BoolOptions& options, const std::vector<std::string>& command) : options_(options) {
    result_.command = command;
  }

  int run() {
    first_ = options_.first;
    target_ = options_.target;
    flow_ = read_bool_flow(options_.file, options_.bits, options_.threads, first_, target_);
    choose_goal();
    bp::Limits limits;
    limits.contexts = options_.contexts;
    limits.seconds = options_.seconds;
    limits.memory = read_size("--search-memory", options_.memory);
    limits.depth = options_.depth;
    limits.threads = options_.threads_max;
    auto begin = std::chrono::steady_clock::now();
    bp::Engine engine = options_.engine == "explicit" ? bp::Engine::explicit_states : bp::Engine::pushdown;
    answer_ = bp::check(flow_, goal_, engine, limits);
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    describe();
    if (options_.json != "-") print_report();
    if (!options_.json.empty()) write_result(result_, options_.json);
    return exit_code();
  }

 private:
  void choose_goal() {
    labels_ = options_.labels;
    bool only_asserts = false;
    std::erase_if(labels_, [&](const std::string& label) {
      if (label == "asserts") only_asserts = true;
      return label == "asserts";
    });
    asserts_ = only_asserts || labels_.empty();
    if (options_.labels.empty() && !flow_.labelled("SLIC_ERROR").empty()) labels_ = {"SLIC_ERROR"};
    for (const std::string& label : labels_) {
      if (flow_.labelled(label).empty()) {
        throw UserError(fmt::format("--label {}: {} has no such label", label, options_.file));
      }
    }
    goal_ = bp::goal_of(flow_, asserts_, labels_);
  }

  std::string goal_words() const {
    if (!target_.empty()) return fmt::format("a way from {} to {}", first_, target_);
    std::string words = asserts_ ? "an assertion that fails" : "";
    for (const std::string& label : labels_)
      words += (words.empty() ? "" : ", ") + fmt::format("label {}", label);
    return words;
  }

  void describe() {
    TestResult test;
    test.name = std::filesystem::path(options_.file).filename().string();
    test.engine = options_.engine;
    test.strategy = "context-bounded";
    test.inputs = "all";
    test.heap = "none";
    test.seconds = seconds_;
    BoundResult bound;
    bound.kind = "contexts";
    if (options_.contexts != 0) bound.limit = options_.contexts;
    switch (answer_.kind) {
      case bp::Answer::Kind::bug:
        test.verdict = Verdict::bug;
        test.reason = "a bug was found";
        if (answer_.searched > 0) bound.completed = answer_.searched;
        add_bug(test);
        break;
      case bp::Answer::Kind::exhausted:
        test.verdict = Verdict::exhausted;
        test.complete = answer_.complete;
        bound.completed = answer_.contexts;
        test.reason = answer_.complete
                          ? "every execution was covered: " + answer_.complete_since
                          : "every execution with up to " + contexts_words(answer_.contexts) + " was covered";
        break;
      case bp::Answer::Kind::inconclusive:
        test.verdict = Verdict::inconclusive;
        test.reason = answer_.reason;
        if (answer_.searched > 0) bound.completed = answer_.searched;
        break;
    }
    // Wider integers of C may have more behaviours.
    if (is_c_file(options_.file)) {
      test.complete = false;
      test.assumptions.push_back(
          {"narrow-integers", 1,
           fmt::format("integers have {} bits at most, and wrap around there", options_.bits)});
    }
    test.bounds.push_back(bound);
    test.guarantee = guarantee(bound);
    std::size_t threads = flow_.threads.size();
    if (answer_.bug) {
      for (const bp::Step& step : answer_.bug->steps) threads = std::max(threads, step.after.threads.size());
    }
    test.threads_max = static_cast<int>(threads);
    result_.tests.push_back(std::move(test));
  }

  std::string guarantee(const BoundResult& bound) const {
    std::string stacks = options_.engine == "pushdown"
                             ? ", stacks of any depth"
                             : fmt::format(", stacks of up to {} frames", options_.depth);
    if (is_c_file(options_.file)) stacks += fmt::format(", integers of up to {} bits", options_.bits);
    if (answer_.complete) return "every execution, any number of contexts" + stacks;
    if (!bound.completed) return "nothing yet";
    return fmt::format("every execution with up to {}{}", contexts_words(*bound.completed), stacks);
  }

  void add_bug(TestResult& test) {
    BugResult bug;
    bug.kind = "assertion";
    bug.seconds = seconds_;
    bug.heap = "none";
    bug.switches = answer_.contexts - 1;
    if (answer_.bug) bug.preemptions = bp::Interpreter(flow_).preemptions(*answer_.bug);
    bug.message = target_.empty() ? "the assertion may fail" : target_ + " can be reached";
    if (answer_.bug) {
      trace_ = bp::stored(flow_, *answer_.bug);
      trace_->file = std::filesystem::absolute(options_.file).string();
      trace_->bits = is_c_file(options_.file) ? options_.bits : 0;
      trace_->engine = options_.engine;
      trace_->entries = options_.threads;
      trace_->first = first_;
      trace_->target = target_;
      trace_->asserts = asserts_;
      trace_->labels = labels_;
      if (target_.empty() && !trace_->failing_statement.starts_with("assert"))
        bug.message = "a label is reached";
      trace_->message = bug.message;
      if (trace_->bits != 0) show_lines_of_c();
      bug.locations.push_back({"failure", std::to_string(trace_->failing), options_.file,
                               trace_->failing_where.line, trace_->failing_function});
      prepare_trace_folder(options_.out);
      bug.trace = (std::filesystem::path(options_.out) / "bug-1.trace.json").string();
      write_file(bug.trace, bp::to_json(*trace_));
    }
    bug.fingerprint = text_fingerprint(
        bug.kind + (trace_ ? trace_->failing_function + '\n' + trace_->failing_statement : ""));
    test.bugs.push_back(std::move(bug));
  }

  // The line of C says more than the statement that it was translated to.
  void show_lines_of_c() {
    std::ifstream in(options_.file);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) {
      lines.push_back(line.substr(std::min(line.find_first_not_of(" \t"), line.size())));
    }
    auto show = [&](std::string& statement, bp::Position where) {
      if (where.line >= 1 && where.line <= lines.size()) statement = lines[where.line - 1];
    };
    for (bp::StoredStep& step : trace_->steps) show(step.statement, step.where);
    show(trace_->failing_statement, trace_->failing_where);
  }

  void print_report() const {
    const TestResult& test = result_.tests[0];
    TextStyle style = style_for(STDOUT_FILENO, colour_of(options_.color));
    style.directory = std::filesystem::current_path().string();
    const char* colour = test.verdict == Verdict::bug         ? kRed
                         : test.verdict == Verdict::exhausted ? kGreen
                                                              : kYellow;
    std::string verdict = test.verdict == Verdict::bug         ? "BUG: "
                          : test.verdict == Verdict::exhausted ? "NO BUG: "
                                                               : "INCONCLUSIVE, no bug so far: ";
    fmt::print("{}", coloured(wrap(verdict + test.reason + ".", test.name + ": ", style.width), colour,
                              style.colours));
    if (!test.bugs.empty()) {
      fmt::print("\nBug 1: ");
      if (trace_) {
        fmt::print("{}", bool_trace_text(*trace_, style));
        fmt::print("\n  Run it again: thrum replay {}\n", test.bugs[0].trace);
      } else {
        fmt::print("{}, in {}; its trace is missing: {}\n", test.bugs[0].message,
                   contexts_words(answer_.contexts), answer_.trace_missing);
      }
    }
    fmt::print("\n{}", wrap("Looked for: " + goal_words() + ".", "", style.width));
    fmt::print("{}", wrap("Covered: " + test.guarantee + ".", "", style.width));
    if (answer_.schedules == 0 && answer_.complete) {
      fmt::print("All states explored in {:.2f} s; engine pushdown.\n", seconds_);
    } else if (options_.engine == "pushdown") {
      fmt::print("{} schedule{} in {:.2f} s; {} variables of diagrams, up to {} nodes; engine pushdown.\n",
                 answer_.schedules, plural(answer_.schedules), seconds_, answer_.bdd_variables,
                 answer_.bdd_nodes);
    } else {
      fmt::print("{} state{} in {:.2f} s; engine explicit.\n", answer_.states, plural(answer_.states),
                 seconds_);
    }
  }

  int exit_code() const {
    switch (answer_.kind) {
      case bp::Answer::Kind::bug: return kExitBug;
      case bp::Answer::Kind::exhausted: return kExitDone;
      case bp::Answer::Kind::inconclusive: break;
    }
    return answer_.budget_ended && !options_.require_exhausted ? kExitDone : kExitInconclusive;
  }

  const BoolOptions& options_;
  bp::Flow flow_;
  std::string first_, target_;  // of a pushdown file
  bp::Goal goal_;
  bool asserts_ = true;
  std::vector<std::string> labels_;
  bp::Answer answer_;
  double seconds_ = 0;
  std::optional<bp::StoredTrace> trace_;
  Result result_;
};

}  // namespace

int bool_check_command(const BoolOptions& options, const std::vector<std::string>& command) {
  return BooleanCheck(options, command).run();
}

int bool_print_command(const std::string& file) {
  std::string none;
  if (file.ends_with(".pds")) throw UserError(file + ": only programs are printed");
  read_bool_flow(file, BoolOptions().bits, {}, none, none);
  fmt::print("{}", bp::to_text(read_bool_program(file, BoolOptions().bits)));
  return kExitDone;
}

}  // namespace thrum
