// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Broken files: programs with words changed, moved and removed, or bytes. Each is refused with a place in the
// file, or answered; THRUM_BOOLPROG_MUTANTS says how many.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "boolprog/check.hpp"
#include "boolprog/lexer.hpp"
#include "boolprog/random_program.hpp"
#include "support/random.hpp"

namespace thrum::bp {
namespace {

std::string without_a_place(std::string text, const InputError& error) {
  std::uint32_t lines = 1;
  for (char c : text) lines += c == '\n' ? 1 : 0;
  bool inside = error.where().line >= 1 && error.where().line <= lines && error.where().column >= 1;
  return inside && *error.what() != '\0' ? "" : "no place in the file: " + std::string(error.what());
}

// Some bytes of the text are changed.
std::string with_other_bytes(std::string text, Random& random) {
  for (std::uint64_t i = 1 + random.below(4); i > 0 && !text.empty(); --i) {
    std::uint64_t at = random.below(text.size());
    switch (random.below(3)) {
      case 0: text[at] = static_cast<char>(random.below(256)); break;
      case 1: text.erase(at, 1 + random.below(8)); break;
      default: text.insert(at, 1, static_cast<char>(32 + random.below(95)));
    }
  }
  return text;
}

// Some words of it are.
std::string with_other_words(const std::string& text, Random& random) {
  std::vector<Token> words = split(text);
  words.pop_back();
  for (std::uint64_t i = 1 + random.below(2); i > 0 && !words.empty(); --i) {
    std::uint64_t at = random.below(words.size());
    std::uint64_t from = random.below(words.size());
    while (words[from].kind != words[at].kind) from = random.below(words.size());
    switch (random.below(8)) {
      case 0: words.insert(words.begin() + static_cast<long>(at), words[random.below(words.size())]); break;
      case 1: words.erase(words.begin() + static_cast<long>(at)); break;
      case 2: words.insert(words.begin() + static_cast<long>(at), words[from]); break;
      case 3: std::swap(words[at], words[from]); break;
      default: words[at].text = words[from].text;
    }
  }
  std::string result;
  for (const Token& word : words) result += word.text + (word.text == ";" ? "\n" : " ");
  return result;
}

// Empty: it was refused or answered as it should be.
std::string problem_with(const std::string& text, std::uint64_t& answered) {
  Flow flow;
  try {
    Program program = parse(text);
    flow = to_flow(program, {});
    // What is read can be printed and read again.
    if (to_text(parse(to_text(program))) != to_text(program)) return "is printed as another program";
  } catch (const InputError& error) {
    return without_a_place(text, error);
  }
  ++answered;
  Limits limits;
  limits.contexts = 2;
  limits.seconds = 2;
  limits.memory = 64U << 20U;
  Answer answer = check(flow, {}, Engine::pushdown, limits);
  if (answer.kind == Answer::Kind::bug && !answer.bug && answer.trace_missing.empty())
    return "a bug without a trace";
  return "";
}

TEST(Mutation, BrokenFilesAreRefusedOrAnswered) {
  const char* wanted = std::getenv("THRUM_BOOLPROG_MUTANTS");
#ifdef __SANITIZE_ADDRESS__
  constexpr std::uint64_t kByDefault = 1000;
#else
  constexpr std::uint64_t kByDefault = 5000;
#endif
  std::uint64_t count = wanted == nullptr ? kByDefault : std::strtoull(wanted, nullptr, 10);
  Random random(20);
  std::uint64_t answered = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    std::string text = to_text(random_program(random.below(1000), {.starts_threads = random.below(4) == 0}));
    text = random.below(2) == 0 ? with_other_bytes(text, random) : with_other_words(text, random);
    std::string problem = problem_with(text, answered);
    ASSERT_EQ(problem, "") << "mutant " << i << ":\n" << text;
  }
  printf("%llu of %llu were programs\n", static_cast<unsigned long long>(answered),
         static_cast<unsigned long long>(count));
  EXPECT_GT(answered, count / 20);
  EXPECT_LT(answered, count * 9 / 10);
}

}  // namespace
}  // namespace thrum::bp
