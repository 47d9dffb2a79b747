// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every row of the table of `thrum check`: what it says of its option holds.
#include "cli/options.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "cli/checkpoint.hpp"
#include "cli/option_row.hpp"
#include "search/systematic/priorities.hpp"
#include "verdict/error.hpp"

namespace thrum {
namespace {

using Row = OptionRow<CheckOptions>;
using Words = std::vector<std::string>;

bool is_later(const Row& row) { return std::holds_alternative<std::monostate>(row.member); }
bool is_real(const Row& row) { return holds<double>(row); }
bool is_number(const Row& row) {
  return is_real(row) || holds<std::uint64_t>(row) || holds<std::uint32_t>(row) || holds<int>(row);
}

std::string text_of(long double number) { return fmt::format("{:.{}f}", number, 0); }

// A value that the option takes. It is another one than the default, where there are several.
std::string sample_of(const Row& row) {
  if (is_flag(row)) return "";
  if (is_number(row)) return text_of(row.range.least + 1);
  if (std::string_view(row.value) == "SIZE") return "77K";
  const Words words = words_of_value(row.value);
  return words.empty() ? "x" : words.back();
}

// Values that the option does not take.
Words wrong_values_of(const Row& row) {
  Words wrong;
  if (is_number(row)) {
    wrong = {"nan", "inf", "x", "1x", "-1", "-0.5"};
    if (*row.group != '\0') wrong.emplace_back("");  // else CLI11 tells no name
    if (row.range.least > 0) wrong.emplace_back("0");
    wrong.push_back(is_real(row) ? text_of(2 * row.range.most) : text_of(row.range.most + 1));
    wrong.emplace_back("99999999999999999999999");
    if (!is_real(row)) wrong.emplace_back("1.5");
  }
  if (std::string_view(row.value) == "SIZE") wrong = {"x", "-1", "0", "1X", "nan"};
  if (!words_of_value(row.value).empty()) wrong = {"x", "", "Auto"};
  return wrong;
}

Words word_of(const Row& row, const std::string& value) {
  return {row.names + (is_flag(row) ? "" : "=" + value)};
}

// Empty: the words are right.
std::string problem_with(const Words& words) {
  try {
    CheckOptions options;
    read_options(options, words);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

class EachOption : public testing::TestWithParam<const Row*> {
 protected:
  const Row& row() const { return *GetParam(); }
};

TEST_P(EachOption, IsDescribed) {
  EXPECT_TRUE(std::string_view(row().names).starts_with("--"));
  const std::string_view help = row().help;
  if (*row().group == '\0') return;  // the manual leaves it out
  EXPECT_FALSE(help.empty());
  EXPECT_FALSE(help.ends_with('.')) << "a range may follow";
  EXPECT_EQ(is_flag(row()), std::string_view(row().value).empty());
  if (is_number(row())) {
    EXPECT_LT(row().range.least, row().range.most);
  }
}

TEST_P(EachOption, TakesAValue) {
  if (is_later(row())) {
    EXPECT_EQ(problem_with(word_of(row(), "x")), std::string(row().names) + " is not available yet");
    return;
  }
  const std::string sample = sample_of(row());
  CheckOptions options;
  EXPECT_EQ(read_options(options, word_of(row(), sample)), Words{row().names});
  EXPECT_EQ(texts_of(row(), options), Words{sample});
  // The same with the value as a word of its own.
  if (is_flag(row())) return;
  CheckOptions other;
  read_options(other, {row().names, sample});
  EXPECT_EQ(texts_of(row(), other), Words{sample});
}

TEST_P(EachOption, TakesNoOtherValue) {
  for (const std::string& wrong : wrong_values_of(row())) {
    const std::string problem = problem_with(word_of(row(), wrong));
    EXPECT_TRUE(problem.starts_with(row().names)) << wrong << ": " << problem;
    EXPECT_EQ(problem.find('\n'), std::string::npos);
  }
  for (const std::string& later : CLI::detail::split(row().later, '|')) {
    if (later.empty()) continue;
    EXPECT_EQ(problem_with(word_of(row(), later)),
              fmt::format("{} {} is not available yet", row().names, later));
  }
}

TEST_P(EachOption, IsKeptInACheckpointIfItsRowSaysSo) {
  if (is_later(row())) return;
  CheckOptions options;
  read_options(options, word_of(row(), sample_of(row())));
  CheckOptions resumed;
  read_options(resumed, kept_words(options));
  Words expected = texts_of(row(), row().at_resume == AtResume::not_kept ? CheckOptions() : options);
  if (row().is_input) expected = {std::filesystem::absolute(expected.front()).string()};
  EXPECT_EQ(texts_of(row(), resumed), expected);
}

INSTANTIATE_TEST_SUITE_P(OfCheck, EachOption, testing::ValuesIn([] {
                           std::vector<const Row*> rows;
                           for (const Row& row : check_rows()) rows.push_back(&row);
                           return rows;
                         }()),
                         [](const testing::TestParamInfo<const Row*>& instance) {
                           std::string name;
                           for (char c : std::string_view(instance.param->names)) {
                             if (c != '-') name += c;
                           }
                           return name;
                         });

TEST(Options, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (const Row& row : check_rows()) EXPECT_TRUE(names.insert(row.names).second) << row.names;
}

TEST(Options, AreAsTheyWereWithoutWords) {
  CheckOptions options;
  EXPECT_EQ(read_options(options, {}), Words{});
  for (const Row& row : check_rows()) EXPECT_EQ(texts_of(row, options), texts_of(row, CheckOptions()));
}

TEST(Options, MayBeRepeatedIfTheyAreLists) {
  CheckOptions options;
  read_options(options, {"--test", "a", "--test=b", "program"});
  EXPECT_EQ(options.tests, (Words{"a", "b"}));
  EXPECT_EQ(options.inputs, Words{"program"});
  EXPECT_NE(problem_with({"--time", "1", "--time", "2"}), "");
}

TEST(Options, OfNumbersTellWhatTheyTake) {
  EXPECT_EQ(problem_with({"--seed", "-1"}), "--seed: '-1' is wrong; it takes a whole number from 0");
  EXPECT_EQ(problem_with({"--depth", "1001"}),
            "--depth: '1001' is wrong; it takes a whole number from 1 to 1000");
  EXPECT_EQ(problem_with({"--early-timeouts", "nan"}),
            "--early-timeouts: 'nan' is wrong; it takes a number from 0");
  EXPECT_EQ(problem_with({"--time-per-test", "0"}),
            "--time-per-test: '0' is wrong; it takes a number from 0.001");
  EXPECT_EQ(problem_with({"--seed", "18446744073709551615"}), "");
  EXPECT_EQ(problem_with({"--executions", "9223372036854775807"}), "");
}

TEST(Options, TimePerTestTakesThePlaceOfTime) {
  CheckOptions alone;
  read_options(alone, {"--time-per-test", "2"});
  EXPECT_EQ(alone.time_seconds, 0);
  CheckOptions both;
  read_options(both, {"--time-per-test", "2", "--time", "5"});
  EXPECT_EQ(both.time_seconds, 5);
}

// The row says in words what the code decides elsewhere.
TEST(Options, NameAllPriorities) {
  const auto rows = check_rows();
  const Row& row = *std::find_if(rows.begin(), rows.end(),
                                 [](const Row& one) { return std::string_view(one.names) == "--priority"; });
  std::string names;
  for (const PriorityRow& priority : priorities())
    names.append(names.empty() ? "" : ", ").append(priority.name);
  EXPECT_NE(std::string(row.help).find("of " + names + ";"), std::string::npos) << names;
  const auto defaults_of = [](const char* strategy) {
    CheckOptions options;
    options.inputs = {"program"};
    options.strategy = strategy;
    validate(options);
    return CLI::detail::join(options.settings.priorities, ",");
  };
  EXPECT_EQ(row.default_text,
            defaults_of("best-first") + "; best-first-dpor: " + defaults_of("best-first-dpor"));
}

// thrum::Options has a field for each row that names one, and tells it to thrum by the option's name.
TEST(Options, OfTestsInTheCodeAreThoseOfTheTable) {
  std::ifstream in(THRUM_SOURCE_DIR "/include/thrum/thrum.hpp");
  const std::string header{std::istreambuf_iterator<char>(in), {}};
  std::size_t fields = 0;
  for (const Row& row : check_rows()) {
    const std::string_view field = row.field;
    if (field.empty()) continue;
    ++fields;
    EXPECT_NE(header.find(fmt::format("  tell(\"{}\", options.{});\n", row.names, field)), std::string::npos)
        << row.names;
  }
  std::size_t told = 0;
  for (std::size_t at = header.find("  tell(\"--"); at != std::string::npos;
       at = header.find("  tell(\"--", at + 1))
    ++told;
  EXPECT_EQ(told, fields);
}

}  // namespace
}  // namespace thrum
