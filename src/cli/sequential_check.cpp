// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/sequential_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "cli/driver.hpp"
#include "cli/process.hpp"
#include "verdict/error.hpp"
#include "verdict/text_file.hpp"

namespace thrum {

namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

std::string thrum_itself() { return installation_prefix() + "/bin/thrum"; }

Json read_json(const std::string& path, const std::string& said) {
  std::ifstream in(path);
  Json json = Json::parse(in, nullptr, false);
  if (json.is_object()) return json;
  std::string line = said.substr(0, said.find('\n'));
  if (line.starts_with("thrum: ")) line.erase(0, 7);
  throw UserError(line.empty() ? path + ": cannot be read" : line);
}

// Runs `thrum check` in a process of its own, without output here.
Json searched(const Command& arguments, const std::string& folder) {
  std::string result = folder + "/result.json";
  Command command = {thrum_itself(), "check"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  command.insert(command.end(), {"--json", result, "--out", folder, "--color", "never"});
  std::string said = output_of(command).value_or("");
  Json json = read_json(result, said);
  std::error_code ignored;
  fs::remove(result, ignored);
  return json;
}

// The compiler must not optimise: a read whose value is not used may still fail.
std::string unoptimised(const std::string& flags) { return flags.empty() ? "-O0" : "-O0 " + flags; }

Command flags_option(const std::string& flags) {
  return flags.empty() ? Command{} : Command{"--compile-flags", flags};
}

CheckerAnswer run_thrum(const CheckerRequest& request) {
  Command command = {request.file, "--time", fmt::format("{}", request.seconds)};
  for (const std::string& word : flags_option(unoptimised(request.flags))) command.push_back(word);
  Json json = searched(command, request.folder + "/sequential");
  const Json& test = json.at("tests").at(0);
  CheckerAnswer answer;
  answer.reason = test.at("reason");
  answer.seconds = test.at("seconds");
  answer.executions = test.at("executions");
  std::string verdict = test.at("verdict");
  for (const Json& each : test.at("guarantee").at("assumptions")) {
    std::string text = each.at("text");
    bool drawn = each.at("kind") == "inputs-fixed" && text.find("__VERIFIER_nondet") != std::string::npos;
    if (drawn) answer.assumptions.emplace_back("inputs", text);
  }
  if (verdict == "bug") {
    answer.kind = CheckerAnswer::Kind::fails;
    const Json& bug = test.at("bugs").at(0);
    answer.trace = bug.at("trace");
    answer.bug_kind = bug.at("kind");
    answer.message = bug.at("message");
    for (const Json& location : bug.at("locations")) {
      bool of_program =
          fs::path(std::string(location.at("file"))).filename() == fs::path(request.file).filename();
      if (location.at("role") == "failure" && of_program) answer.line = location.at("line");
    }
  } else if (verdict == "exhausted" && test.at("complete") && answer.assumptions.empty()) {
    answer.kind = CheckerAnswer::Kind::proved;
  } else if (verdict == "exhausted") {
    answer.reason = "not all inputs were tried";
  } else {
    answer.budget_ended = verdict == "inconclusive" && answer.reason.starts_with("the time ended");
  }
  return answer;
}

std::vector<std::string> with_limit(double seconds, Command command) {
  if (seconds > 0) command.insert(command.begin(), {"timeout", fmt::format("{}", seconds)});
  return command;
}

// As a boolean program: exact, with stacks of any depth, for integers of a few bits.
CheckerAnswer run_bool(const CheckerRequest& request) {
  std::string result = request.folder + "/result.json";
  Command command = {thrum_itself(), "bool",
                     "check",        request.file,
                     "--time",       fmt::format("{}", request.seconds),
                     "--out",        request.folder + "/boolean",
                     "--json",       result};
  // It looks at the clock only between its steps, which may be long.
  std::string said =
      output_of(with_limit(request.seconds == 0 ? 0 : request.seconds + 5, command)).value_or("");
  CheckerAnswer answer;
  if (said.empty() && !fs::exists(result)) {
    answer.budget_ended = true;
    answer.reason = fmt::format("the time ended (--time {:g})", request.seconds);
    return answer;
  }
  Json json = read_json(result, said);
  std::error_code ignored;
  fs::remove(result, ignored);
  const Json& test = json.at("tests").at(0);
  std::string verdict = test.at("verdict");
  answer.reason = test.at("reason");
  for (const Json& each : test.at("guarantee").at("assumptions"))
    answer.assumptions.emplace_back(each.at("kind"), each.at("text"));
  if (verdict == "bug") {
    answer.kind = CheckerAnswer::Kind::fails;
  } else if (verdict == "exhausted") {
    answer.kind = CheckerAnswer::Kind::proved;
  }
  return answer;
}

// Defines in plain C the functions that verifiers know.
std::string plain_header() { return installation_prefix() + "/include/thrum/verifier.h"; }

// The first of these programs that is installed.
std::string found_program(const std::vector<std::string>& names, const std::string& package) {
  for (const std::string& name : names) {
    if (output_of({name, "--version"})) return name;
  }
  throw UserError(fmt::format("--checker: {} is not there; install {}", names[0], package));
}

// The line of the file in the first message of the compiler from this place of its output on.
std::optional<unsigned> line_in(const std::string& output, std::size_t from, const std::string& file) {
  std::size_t at = output.find(file + ":", from);
  if (at == std::string::npos) return std::nullopt;
  return static_cast<unsigned>(std::strtoul(output.c_str() + at + file.size() + 1, nullptr, 10));
}

CheckerAnswer run_analyser(const CheckerRequest& request, const Command& command,
                           const std::string& failing) {
  Command words = command;
  for (const std::string& flag : split_words(request.flags)) words.push_back(flag);
  words.insert(words.end(), {"-include", plain_header(), request.file});
  std::string output = output_of(with_limit(request.seconds, words)).value_or("");
  std::size_t error = std::min(output.find(": error: "), output.find(": fatal error: "));
  if (error != std::string::npos) {
    std::size_t begin = output.rfind('\n', error);
    begin = begin == std::string::npos ? 0 : begin + 1;
    throw UserError("--checker " + request.checker + ": " +
                    output.substr(begin, output.find('\n', error) - begin));
  }
  CheckerAnswer answer;
  std::size_t at = output.find(failing);
  answer.reason = "the analyser found no failure, which proves nothing";
  if (at == std::string::npos) return answer;
  answer.kind = CheckerAnswer::Kind::fails;
  answer.reason = "a failure was found";
  std::size_t begin = output.rfind('\n', at);
  answer.line = line_in(output, begin == std::string::npos ? 0 : begin + 1, request.file);
  return answer;
}

CheckerAnswer run_frama_c(const CheckerRequest& request) {
  std::string program = found_program({"frama-c"}, "frama-c-base");
  Command words = {program,
                   "-eva",
                   "-eva-precision",
                   "2",
                   "-cpp-extra-args=-include " + plain_header() + " " + request.flags,
                   fs::absolute(request.file).string()};  // it uses PWD
  std::string output = output_of(with_limit(request.seconds, words)).value_or("");
  CheckerAnswer answer;
  if (output.find("assertion got status invalid") != std::string::npos) {
    answer.kind = CheckerAnswer::Kind::fails;
    answer.reason = "a failure was found";
  } else if (output.find("assertion got status unknown") != std::string::npos) {
    answer.reason = "Frama-C cannot tell whether it fails";
  } else if (output.find("[eva] done") != std::string::npos) {
    answer.kind = CheckerAnswer::Kind::proved;
    answer.reason = "Frama-C proved that it does not fail";
  } else {
    std::size_t at = output.find("Error: ");
    answer.reason =
        "Frama-C did not get to its end" +
        (at == std::string::npos ? "" : ": " + output.substr(at + 7, output.find('\n', at) - at - 7));
  }
  return answer;
}

CheckerAnswer run_command_line(const CheckerRequest& request) {
  if (request.pattern.empty())
    throw UserError("--checker '" + request.checker +
                    "': say with --pattern what it prints where the program fails");
  Command words = split_words(request.checker);
  bool named = false;
  for (std::string& word : words) {
    if (std::size_t at = word.find("{}"); at != std::string::npos) {
      word.replace(at, 2, request.file);
      named = true;
    }
  }
  if (!named) words.push_back(request.file);
  if (!output_of({"sh", "-c", "command -v \"$0\" >/dev/null || exit 127", words[0]}))
    throw UserError("--checker: " + words[0] + " is not there");
  std::optional<std::string> output = output_of(with_limit(request.seconds, words));
  if (!output) throw UserError("--checker: " + words[0] + " cannot be run");
  CheckerAnswer answer;
  std::smatch match;
  std::istringstream in(*output);
  const std::regex pattern = [&] {
    try {
      return std::regex(request.pattern);
    } catch (const std::regex_error&) {
      throw UserError("--pattern '" + request.pattern + "': is no regular expression");
    }
  }();
  for (std::string line; std::getline(in, line);) {
    if (!std::regex_search(line, match, pattern)) continue;
    answer.kind = CheckerAnswer::Kind::fails;
    if (match.size() > 1 && match[1].matched)
      answer.line = static_cast<unsigned>(std::atoi(match[1].str().c_str()));
    break;
  }
  answer.reason =
      answer.kind == CheckerAnswer::Kind::fails ? "a failure was found" : "the checker reported no failure";
  return answer;
}

}  // namespace

CheckerAnswer run_checker(const CheckerRequest& request) {
  fs::create_directories(request.folder);
  if (request.checker == "thrum") return run_thrum(request);
  auto begin = std::chrono::steady_clock::now();
  CheckerAnswer answer;
  if (request.checker == "clang-analyzer") {
    std::string clang = found_program({"clang-19", "clang"}, "clang-19");
    answer = run_analyser(request, {clang, "--analyze", "-w", "--analyzer-output", "text"},
                          "warning: Dereference of null pointer");
  } else if (request.checker == "gcc-analyzer") {
    std::string gcc = found_program({"gcc"}, "gcc");
    answer = run_analyser(request,
                          {gcc, "-O0", "-fanalyzer", "-Wanalyzer-null-dereference", "--param",
                           "analyzer-max-enodes-per-program-point=16", "--param",
                           "analyzer-bb-explosion-factor=20", "-c", "-o", "/dev/null"},
                          "warning: dereference of NULL");
  } else if (request.checker == "frama-c") {
    answer = run_frama_c(request);
  } else if (request.checker == "bool") {
    answer = run_bool(request);
  } else {
    answer = run_command_line(request);
  }
  answer.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return answer;
}

// Builds the program again with macros that tell each step, and runs it under the plan of the trace.
std::vector<RecordedStep> recorded_steps(const std::string& trace, const std::string& flags,
                                         const std::string& folder) {
  std::string header = fs::absolute(folder).string() + "/recorder.h";
  write_file(
      header,
      "extern int dprintf(int, const char *, ...);\n"
      "#define THRUM_SAY(what, thread, round, message) dprintf(1, \"\\nthrum-%s %u %u %u %u %s\\n\", what, "
      "(unsigned)(thread), (unsigned)thrum_function[thread], (unsigned)(round), (unsigned)__LINE__, "
      "message)\n"
      "#define THRUM_STEP(thread, round) THRUM_SAY(\"step\", thread, round, \"\");\n"
      "#define THRUM_FAILED(thread, round, message) THRUM_SAY(\"fail\", thread, round, message)\n");
  Json json = read_json(trace, "");
  json["compile_flags"] = unoptimised(flags) + " -include '" + header + "'";
  std::string copy = folder + "/recorded.json";
  write_file(copy, json.dump());
  std::string output = output_of({thrum_itself(), "replay", copy}).value_or("");
  std::error_code ignored;
  fs::remove(copy, ignored);
  fs::remove(header, ignored);
  std::vector<RecordedStep> steps;
  std::istringstream in(output);
  for (std::string line; std::getline(in, line);) {
    bool fails = line.starts_with("thrum-fail ");
    if (!fails && !line.starts_with("thrum-step ")) continue;
    std::istringstream words(line.substr(11));
    RecordedStep step;
    step.fails = fails;
    words >> step.thread >> step.function >> step.round >> step.line;
    std::getline(words >> std::ws, step.message);
    steps.push_back(step);
  }
  return steps;
}

std::optional<std::string> confirming_trace(const std::vector<std::string>& files, const std::string& flags,
                                            const std::string& file, unsigned line, bool is_race,
                                            double seconds, const std::string& folder) {
  Command command(files.begin(), files.end());
  command.insert(command.end(), {"--time", fmt::format("{}", seconds), "--keep-going", "--races",
                                 is_race ? "report" : "explore"});
  for (const std::string& word : flags_option(flags)) command.push_back(word);
  try {
    Json json = searched(command, folder);
    for (const Json& bug : json.at("tests").at(0).at("bugs")) {
      std::string kind = bug.at("kind");
      if ((kind == "data-race") != is_race) continue;
      for (const Json& location : bug.at("locations")) {
        std::string role = location.at("role");
        bool same = fs::path(std::string(location.at("file"))).filename() == fs::path(file).filename() &&
                    location.at("line") == line;
        if (same && (role == "failure" || is_race)) return std::string(bug.at("trace"));
      }
    }
  } catch (const UserError&) {
    // It does not compile with the macros, or does something that cannot be controlled.
  } catch (const Json::exception&) {
  }
  return std::nullopt;
}

}  // namespace thrum
