// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/sequentialize.hpp"

#include <fmt/format.h>

#include "cli/error.hpp"
#include "cli/found_bugs.hpp"
#include "cli/load_module.hpp"
#include "sequentialize/module.hpp"

namespace thrum {

namespace {

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  for (char c : text + ' ') {
    if (c != ' ') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(word);
      word.clear();
    }
  }
  return words;
}

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
  request.options.flags = words_of(options.compile_flags);
  seq::Reply reply;
  auto function = reinterpret_cast<seq::ModuleFunction>(
      module_function(options.files[0], seq::kModule, seq::kModuleFunction,
                      "libclang-19-dev, libclang-cpp19-dev and llvm-19-dev"));
  function(request, reply);
  if (reply.message.empty()) return std::move(reply.program);
  const seq::Place& at = reply.where;
  if (at.file.empty()) throw std::runtime_error(reply.message);
  throw UserError(at.line == 0 ? at.file + ": " + reply.message
                               : fmt::format("{}:{}:{}: {}", at.file, at.line, at.column, reply.message));
}

}  // namespace

int sequentialize_command(const SequentializeOptions& options, const std::vector<std::string>& /*command*/) {
  seq::Sequential program = sequential_program(options);
  if (options.out.empty()) {
    fmt::print("{}", program.text);
  } else {
    write_file(options.out, program.text);
  }
  return kExitDone;
}

}  // namespace thrum
