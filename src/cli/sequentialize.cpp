// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/sequentialize.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>

#include "cli/boolean_program.hpp"
#include "cli/load_module.hpp"
#include "cli/options.hpp"
#include "cli/process.hpp"
#include "cli/sequential_check.hpp"
#include "cli/sequential_trace.hpp"
#include "report/fingerprint.hpp"
#include "report/result.hpp"
#include "sequentialize/module.hpp"
#include "verdict/error.hpp"
#include "verdict/found_bugs.hpp"
#include "verdict/text_file.hpp"

namespace thrum {

namespace {

seq::Sequential sequential_program(const SequentializeOptions& options) {
  seq::Request request;
  request.files = options.files;
  request.options.form = options.normal_form   ? seq::Form::normal
                         : options.rounds == 0 ? seq::Form::kiss
                         : options.eager       ? seq::Form::eager
                                               : seq::Form::lazy;
  request.options.rounds = options.rounds;
  request.options.pending = options.pending;
  request.options.threads = options.threads_max;
  request.options.race = options.race;
  request.options.flags = split_words(options.compile_flags);
  seq::Reply reply;
  auto function = reinterpret_cast<seq::ModuleFunction>(module_function(
      options.files[0],
      {seq::kModule, seq::kModuleFunction, "cannot read C for this, since Clang 19's library was not there",
       "libclang-19-dev, libclang-cpp19-dev and llvm-19-dev"}));
  function(request, reply);
  if (reply.message.empty()) return std::move(reply.program);
  const seq::Place& at = reply.where;
  if (at.file.empty()) throw std::runtime_error(reply.message);
  throw UserError(at.line == 0 ? at.file + ": " + reply.message
                               : fmt::format("{}:{}:{}: {}", at.file, at.line, at.column, reply.message));
}

std::string plural_of(unsigned count, const char* what) {
  return fmt::format("{} {}{}", count, what, plural(count));
}

// The executions of the program with threads that the sequential one represents, in words.
std::string covered(const SequentializeOptions& o) {
  std::string numbers =
      o.checker == "bool" ? fmt::format(", integers of up to {} bits", BoolOptions().bits) : "";
  if (o.rounds == 0) {
    return fmt::format(
        "executions whose switches are nested as calls are (with two threads all with up to 2 switches; "
        "with n some with up to 2n - 2), with up to {} started threads that wait and {}{}",
        o.pending, plural_of(o.threads_max, "thread"), numbers);
  }
  return fmt::format(
      "executions of {} in which up to {} take turns in the order of their starts (all with up to {}){}",
      plural_of(o.rounds, "round"), plural_of(o.threads_max, "thread"),
      o.rounds == 2 ? "1 switch" : fmt::format("{} switches", o.rounds - 1), numbers);
}

std::string text_of_line(const std::string& file, unsigned line) {
  std::ifstream in(file);
  std::string text;
  for (unsigned i = 0; i < line && std::getline(in, text); ++i) {
  }
  text.erase(0, std::min(text.find_first_not_of(" \t"), text.size()));
  return text;
}

// Sequentializes, runs a checker, and tells its answer in terms of the program with threads.
class SequentialCheck {
 public:
  SequentialCheck(const SequentializeOptions& options, const std::vector<std::string>& command)
      : options_(options) {
    result_.command = command;
  }

  int run() {
    program_ = sequential_program(options_);
    prepare_trace_folder(options_.trace_folder);
    std::string file = options_.out.empty() ? options_.trace_folder + "/sequential.c" : options_.out;
    write_file(file, program_.text);
    CheckerRequest request{.checker = options_.checker,
                           .pattern = options_.pattern,
                           .file = file,
                           .flags = options_.compile_flags,
                           .folder = options_.trace_folder,
                           .seconds = options_.seconds};
    answer_ = run_checker(request);
    if (answer_.kind == CheckerAnswer::Kind::fails) follow(request);
    describe();
    if (options_.json != "-") print_report();
    if (!options_.json.empty()) write_result(result_, options_.json);
    return exit_code();
  }

 private:
  // From the checker's failure to an execution, and from there to a schedule.
  void follow(CheckerRequest request) {
    CheckerAnswer found = answer_;
    if (options_.checker != "thrum") {
      request.checker = "thrum";
      found = run_checker(request);
      if (found.kind != CheckerAnswer::Kind::fails) return;
    }
    std::vector<RecordedStep> steps =
        recorded_steps(found.trace, options_.compile_flags, options_.trace_folder);
    // With copies of the variables for each round the threads run one after the other. In the program with
    // threads they take turns.
    if (options_.eager) {
      std::stable_sort(steps.begin(), steps.end(), [](const RecordedStep& a, const RecordedStep& b) {
        return std::pair(a.round, a.thread) < std::pair(b.round, b.thread);
      });
    }
    // A crash has no message.
    bool crashed =
        !options_.eager && !steps.empty() && found.line &&
        std::none_of(steps.begin(), steps.end(), [](const RecordedStep& step) { return step.fails; });
    if (crashed) {
      steps.push_back(steps.back());
      steps.back().line = *found.line;
      steps.back().fails = true;
      steps.back().message = found.message;
    }
    auto failing =
        std::find_if(steps.begin(), steps.end(), [](const RecordedStep& step) { return step.fails; });
    if (failing == steps.end()) return;
    steps.erase(failing + 1, steps.end());
    trace_ = SequentialTrace();
    for (const std::string& name : options_.files)
      trace_->files.push_back(std::filesystem::absolute(name).string());
    for (const RecordedStep& step : steps) {
      if (step.line == 0 || step.line > program_.origins.size()) continue;
      const seq::Origin& origin = program_.origins[step.line - 1];
      if (origin.line == 0) continue;
      trace_->steps.push_back(
          {step.thread, origin.file, origin.line, text_of_line(origin.file, origin.line)});
      while (trace_->threads.size() <= step.thread) trace_->threads.push_back("");
      trace_->threads[step.thread] = step.function == 0 ? "main" : program_.functions.at(step.function);
    }
    if (trace_->steps.empty()) {
      trace_.reset();
      return;
    }
    name_failure(steps.back().message, crashed ? found.bug_kind : "");
    const SequentialStep& last = trace_->steps.back();
    bool is_race = bug_kind_ == "data-race";
    std::string folder = options_.trace_folder;
    auto original = confirming_trace(options_.files, options_.compile_flags, last.file, last.line, is_race,
                                     options_.seconds, folder + "/original");
    trace_->sequential = std::filesystem::relative(found.trace, folder).string();
    if (original) trace_->original = std::filesystem::relative(*original, folder).string();
    trace_file_ = folder + "/bug-1.trace.json";
    write_file(trace_file_, to_json(*trace_));
  }

  // said: the output of the sequential program. kind: the kind of a crash.
  void name_failure(const std::string& said, const std::string& kind) {
    bug_kind_ = !kind.empty()                  ? kind
                : said == "data race"          ? "data-race"
                : said.starts_with("unlocked") ? "lock-misuse"
                                               : "assertion";
    bool called = said == "reach_error" || said == "abort" || said == "__VERIFIER_error";
    trace_->message = bug_kind_ == "data-race"   ? "data race on " + options_.race
                      : bug_kind_ != "assertion" ? said
                      : called                   ? said + " was called"
                                                 : "assertion failed: " + said;
  }

  void describe() {
    TestResult test;
    test.name = std::filesystem::path(options_.files[0]).filename().string();
    test.engine = "sequential";
    test.strategy = options_.rounds == 0 ? "kiss" : options_.eager ? "eager-rounds" : "lazy-rounds";
    test.inputs = options_.checker == "thrum" ? "fixed" : "all";
    test.heap = "none";
    test.seconds = answer_.seconds;
    test.executions = answer_.executions;
    test.guarantee = "nothing";
    BoundResult bound;
    bound.kind = options_.rounds == 0 ? "pending" : "rounds";
    bound.limit = options_.rounds == 0 ? options_.pending : options_.rounds;
    switch (answer_.kind) {
      case CheckerAnswer::Kind::fails:
        if (trace_) {
          test.verdict = Verdict::bug;
          test.reason = "a bug was found";
          add_bug(test);
        } else {
          test.reason = fmt::format(
              "{} says that the sequential program fails{}, but no execution that fails was found",
              options_.checker, answer_.line ? fmt::format(" in line {}", *answer_.line) : "");
        }
        break;
      case CheckerAnswer::Kind::proved:
        test.verdict = Verdict::exhausted;
        test.reason = "every execution that is covered was checked";
        bound.completed = bound.limit;
        test.guarantee = covered(options_);
        break;
      case CheckerAnswer::Kind::silent: test.reason = answer_.reason; break;
    }
    for (const auto& [kind, text] : answer_.assumptions) test.assumptions.push_back({kind, 1, text});
    test.bounds.push_back(bound);
    result_.tests.push_back(std::move(test));
  }

  void add_bug(TestResult& test) {
    const SequentialStep& last = trace_->steps.back();
    BugResult bug;
    bug.kind = bug_kind_;
    bug.message = trace_->message;
    bug.seconds = answer_.seconds;
    bug.heap = "none";
    bug.switches = switches_of(*trace_);
    bug.preemptions = preemptions_of(*trace_);
    bug.locations.push_back({"failure", std::to_string(last.thread), last.file, last.line, ""});
    bug.trace = trace_file_;
    bug.fingerprint = text_fingerprint(bug.kind + last.file + last.text);
    test.bugs.push_back(std::move(bug));
  }

  void print_report() const {
    const TestResult& test = result_.tests[0];
    TextStyle style = style_for(STDOUT_FILENO, colour_of(options_.color));
    const char* colour = test.verdict == Verdict::bug         ? kRed
                         : test.verdict == Verdict::exhausted ? kGreen
                                                              : kYellow;
    std::string verdict = test.verdict == Verdict::bug         ? "BUG: "
                          : test.verdict == Verdict::exhausted ? "NO BUG: "
                                                               : "INCONCLUSIVE: ";
    fmt::print("{}", coloured(wrap(verdict + test.reason + ".", test.name + ": ", style.width), colour,
                              style.colours));
    if (trace_) {
      fmt::print("\nBug 1: {}", sequential_trace_text(*trace_, style));
      if (trace_->original.empty()) {
        fmt::print("\n  A search of the compiled program did not show it.\n");
      } else {
        fmt::print("\n  The compiled program fails there too: thrum replay {}/{}\n", options_.trace_folder,
                   trace_->original);
      }
      fmt::print("  Run it again: thrum replay {}\n", trace_file_);
    }
    std::string races = options_.race.empty() ? "" : ", and races on " + options_.race;
    fmt::print("\n{}", wrap("Looked for: assertions that fail" + races + ".", "", style.width));
    bool all = test.verdict == Verdict::exhausted;
    std::string coverage =
        (all ? "all " : "of ") + covered(options_) + (all ? "." : ", what was run until then.");
    fmt::print("{}", wrap("Covered: " + coverage, "", style.width));
    for (const Assumption& each : test.assumptions) fmt::print("{}", wrap(each.text, "  - ", style.width));
    if (answer_.executions != 0)
      fmt::print("{} execution{} of the sequential program, ", answer_.executions,
                 plural(answer_.executions));
    fmt::print("{:.2f} s, checker {}.\n", answer_.seconds, options_.checker);
  }

  int exit_code() const {
    switch (result_.tests[0].verdict) {
      case Verdict::bug: return kExitBug;
      case Verdict::exhausted: return kExitDone;
      default: break;
    }
    return answer_.budget_ended && !options_.require_exhausted ? kExitDone : kExitInconclusive;
  }

  const SequentializeOptions& options_;
  seq::Sequential program_;
  CheckerAnswer answer_;
  std::optional<SequentialTrace> trace_;
  std::string bug_kind_;
  std::string trace_file_;
  Result result_;
};

}  // namespace

int sequentialize_command(const SequentializeOptions& options, const std::vector<std::string>& command) {
  if (options.eager && options.rounds == 0)
    throw UserError("--eager is of rounds: say how many with --rounds");
  if (!options.checker.empty()) {
    if (options.normal_form) throw UserError("--normal-form has threads still; leave out --checker");
    return SequentialCheck(options, command).run();
  }
  seq::Sequential program = sequential_program(options);
  if (options.out.empty()) {
    fmt::print("{}", program.text);
  } else {
    write_file(options.out, program.text);
    fmt::print("{}", wrap("Covered: " + covered(options) + ".", "",
                          style_for(STDOUT_FILENO, colour_of(options.color)).width));
  }
  return kExitDone;
}

}  // namespace thrum
