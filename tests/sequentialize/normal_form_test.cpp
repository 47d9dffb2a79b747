// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs without threads print the same in each form as they do themselves.
//
// THRUM_SEQUENTIAL_PLAIN: how many; THRUM_SEQUENTIAL_SEED: the first seed.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "sequentialize/execute.hpp"
#include "sequentialize/plain_program.hpp"
#include "sequentialize/sequentialize.hpp"

namespace thrum::seq::random {
namespace {

struct Written {
  std::string name;
  Form form;
};
const std::vector<Written> kForms = {{"normal", Form::normal}, {"kiss", Form::kiss}, {"lazy", Form::lazy}};

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// The program, then each of its forms; or why there is none.
std::vector<std::string> forms_of(const std::string& text, std::string& trouble) {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("thrum-plain-" + std::to_string(getpid()) + ".c");
  std::ofstream(path) << text;
  std::vector<std::string> result{text};
  try {
    for (const Written& each : kForms) {
      Options options;
      options.form = each.form;
      result.push_back(sequentialize({path}, options).text);
    }
  } catch (const SourceError& error) {
    trouble = error.what();
  }
  std::filesystem::remove(path);
  return result;
}

// No choice goes any other way than the first.
constexpr Executed kOnce{1, 10};

// Of one program, whose forms were run.
std::string difference(const std::vector<Runs>& runs) {
  const Runs& own = runs.at(0);
  if (!own.trouble.empty()) return "the program itself: " + own.trouble;
  for (std::size_t i = 1; i < runs.size(); ++i) {
    const std::string& name = kForms.at(i - 1).name;
    if (!runs[i].trouble.empty()) return name + ": " + runs[i].trouble;
    if (runs[i].printed == own.printed) continue;
    auto [a, b] =
        std::mismatch(own.printed.begin(), own.printed.end(), runs[i].printed.begin(), runs[i].printed.end());
    auto said = [](auto at, auto end) { return at == end ? "nothing" : std::to_string(*at); };
    return name + " differs: number " + std::to_string(a - own.printed.begin()) + " is " +
           said(b, runs[i].printed.end()) + ", not " + said(a, own.printed.end());
  }
  return "";
}

std::string difference(const std::string& text) {
  std::string trouble;
  std::vector<std::string> forms = forms_of(text, trouble);
  if (!trouble.empty()) return "refused: " + trouble;
  return difference(run_all(forms, kOnce));
}

std::string sort_of(const std::string& difference) { return difference.substr(0, difference.find(':')); }

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& each : lines) text += each + "\n";
  return text;
}

// Leaves out lines, many at once at first.
std::string shrunk(const std::string& program) {
  std::vector<std::string> lines;
  std::istringstream in(program);
  for (std::string each; std::getline(in, each);) lines.push_back(each);
  std::string sort = sort_of(difference(program));
  int attempts = 0;
  for (std::size_t size = 16; size > 0; size /= 2) {
    for (std::size_t i = lines.size(); i-- > 0 && attempts < 200;) {
      if (i + size > lines.size()) continue;
      std::vector<std::string> fewer = lines;
      fewer.erase(fewer.begin() + static_cast<long>(i), fewer.begin() + static_cast<long>(i + size));
      ++attempts;
      if (sort_of(difference(joined(fewer))) == sort) lines = std::move(fewer);
    }
  }
  return difference(joined(lines)) + "\n" + joined(lines);
}

TEST(Agree, NormalFormBehavesAsTheOriginal) {
  std::uint64_t first = from_environment("THRUM_SEQUENTIAL_SEED", 1);
  std::uint64_t count = from_environment("THRUM_SEQUENTIAL_PLAIN", 10);
  bool all = from_environment("THRUM_SEQUENTIAL_ALL", 0) != 0;
  std::size_t printed = 0;
  std::vector<std::uint64_t> seeds;
  std::vector<std::string> texts;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    std::string trouble;
    std::vector<std::string> forms = forms_of(random_plain_program(seed), trouble);
    if (!trouble.empty()) {
      ADD_FAILURE() << "seed " << seed << ": " << trouble;
      if (!all) return;
      continue;
    }
    seeds.push_back(seed);
    texts.insert(texts.end(), forms.begin(), forms.end());
    if (seeds.size() < 10 && seed + 1 < first + count) continue;
    std::vector<Runs> runs = run_all(texts, kOnce);
    for (std::size_t i = 0; i < seeds.size(); ++i) {
      auto begin = runs.begin() + static_cast<long>(i * forms.size());
      std::vector<Runs> own(begin, begin + static_cast<long>(forms.size()));
      printed += own[0].printed.size();
      std::string what = difference(own);
      if (what.empty()) continue;
      std::cout << "seed " << seeds[i] << ": " << what << std::endl;  // it takes a while to make it smaller
      ADD_FAILURE() << "seed " << seeds[i] << ": " << what
                    << "\nshrunk: " << shrunk(random_plain_program(seeds[i]));
      if (!all) return;
    }
    seeds.clear();
    texts.clear();
  }
  std::cout << count << " programs, which print " << printed << " numbers\n";
  EXPECT_GE(printed, count * 20);
}

TEST(Agree, DISABLED_PrintPlain) {
  std::cout << random_plain_program(from_environment("THRUM_SEQUENTIAL_SEED", 1));
}

}  // namespace
}  // namespace thrum::seq::random
