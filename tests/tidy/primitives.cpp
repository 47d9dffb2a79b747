// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tidy/primitives.hpp"

#include <algorithm>
#include <regex>

namespace tidy {

namespace {

constexpr std::string_view kTable = "docs/primitives.md";
constexpr std::string_view kExports = "src/runtime/exports.map";
constexpr std::string_view kPrograms = "tests/programs/";

struct Name {
  std::string text;       // * stands for any end
  bool mentioned = true;  // in the tests; not where it stands in parentheses
};

struct Row {
  std::size_t line = 0;
  std::vector<Name> names;
  std::string control;  // the first word
  std::string correct;
  std::string wrong;
};

bool matches(const std::string& pattern, const std::string& name) {
  if (!pattern.ends_with('*')) return pattern == name;
  return name.starts_with(pattern.substr(0, pattern.size() - 1));
}

std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> result;
  for (std::size_t begin = 1; begin < line.size();) {
    std::size_t end = std::min(line.find('|', begin), line.size());
    std::string cell = line.substr(begin, end - begin);
    cell.erase(0, std::min(cell.find_first_not_of(' '), cell.size()));
    cell.erase(cell.find_last_not_of(' ') + 1);
    result.push_back(cell);
    begin = end + 1;
  }
  return result;
}

// "a, b (c, d)", or "a: in words".
std::vector<Name> names_of(const std::string& cell) {
  static const std::regex kName(R"([\w:<>]*[\w>]\*?)");
  std::vector<Name> names;
  std::size_t parenthesis = std::min(cell.find('('), cell.size());
  std::size_t words = std::min(cell.find(": "), cell.size());
  for (std::sregex_iterator match(cell.begin(), cell.end(), kName), end; match != end; ++match) {
    auto at = static_cast<std::size_t>(match->position());
    if (at > words && at < parenthesis) continue;
    names.push_back({match->str(), at < parenthesis});
  }
  return names;
}

std::vector<Row> read_table(const File& file) {
  constexpr std::size_t kColumns = 6;
  std::vector<Row> rows;
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    const std::string& line = file.lines[i];
    if (!line.starts_with("| ") || line.starts_with("| call ")) continue;
    std::vector<std::string> columns = cells(line);
    Row row;
    row.line = i + 1;
    if (columns.size() == kColumns) {
      row.names = names_of(columns[0]);
      row.control = columns[1].substr(0, columns[1].find_first_of(" :,"));
      row.correct = columns[4];
      row.wrong = columns[5];
    }
    rows.push_back(row);
  }
  return rows;
}

// The names of lines that say where else a call is described: "Elsewhere (why): a, b, c".
std::vector<std::string> read_elsewhere(const File& file) {
  static const std::regex kWord(R"([\w]+\*?)");
  std::vector<std::string> names;
  for (const std::string& line : file.lines) {
    std::size_t colon = line.find("): ");
    if (!line.starts_with("Elsewhere (") || colon == std::string::npos) continue;
    std::string list = line.substr(colon);
    for (std::sregex_iterator word(list.begin(), list.end(), kWord), end; word != end; ++word)
      names.push_back(word->str());
  }
  return names;
}

// The functions of the lines "- `name(arguments)`: what it reads and writes", each with the one that has a
// list in place of an ellipsis. They may have a row, too.
std::set<std::string> read_described(const File& file) {
  static const std::regex kDescribed(R"(^- `(\w+)\(.*)");
  std::set<std::string> names;
  for (const std::string& line : file.lines) {
    std::smatch match;
    if (!std::regex_match(line, match, kDescribed)) continue;
    names.insert(match.str(1));
    if (line.find("...)`") != std::string::npos) names.insert("v" + match.str(1));
  }
  return names;
}

// What the version script lets out, without what compilers and linkers call.
std::vector<std::string> exported(const File& file) {
  static const std::regex kExport(R"(([\w]+\*?);)");
  std::vector<std::string> patterns;
  for (const std::string& line : file.lines) {
    if (line.starts_with('#') || line.find("local:") != std::string::npos) continue;
    for (std::sregex_iterator match(line.begin(), line.end(), kExport), end; match != end; ++match) {
      std::string pattern = match->str(1);
      if (!pattern.starts_with("__tsan_") && !pattern.starts_with("__wrap_")) patterns.push_back(pattern);
    }
  }
  return patterns;
}

// The names that the runtime's sources define: behind THRUM_EXPORT or THRUM_LOOP_IMPL, or by a macro whose
// arguments they are. What is exported by its full name counts wherever it is defined.
std::set<std::string> defined(const Tree& tree, const std::vector<std::string>& exports) {
  static const std::regex kDefinition(R"(^THRUM_(?:EXPORT|LOOP_IMPL) .*?(\w+)\()");
  static const std::regex kMacro(R"(^[A-Z][A-Z_]+\((.*)\)$)");
  static const std::regex kWord(R"(\w+)");
  std::set<std::string> names;
  auto add = [&](const std::string& name) {
    if (std::any_of(exports.begin(), exports.end(),
                    [&](const std::string& pattern) { return matches(pattern, name); }))
      names.insert(name);
  };
  for (const std::string& pattern : exports) {
    if (!pattern.ends_with('*')) names.insert(pattern);
  }
  for (const File& file : tree.files) {
    if (!file.path.starts_with("src/runtime/") || !file.has_extension({".cpp"})) continue;
    for (const std::string& line : split(file).code) {
      std::smatch match;
      if (std::regex_search(line, match, kDefinition)) {
        std::string name = match.str(1);
        if (name.ends_with("_impl") && line.starts_with("THRUM_LOOP")) name.resize(name.size() - 5);
        add(name);
      } else if (std::regex_search(line, match, kMacro)) {
        std::string arguments = match.str(1);
        for (std::sregex_iterator word(arguments.begin(), arguments.end(), kWord), end; word != end; ++word)
          if (!word->str().ends_with("_t")) add(word->str());
      }
    }
  }
  return names;
}

// What is to be found in a test: of a qualified or patterned name its last part that is written out.
std::string shown_part(std::string name) {
  if (name.ends_with('*')) name.pop_back();
  std::size_t colon = name.rfind("::", name.find('<'));
  if (colon != std::string::npos) name.erase(0, colon + 2);
  return name.substr(0, name.find('<'));
}

std::string test_fault(const Tree& tree, const Row& row, const std::string& path) {
  const File* file = tree.find(path);
  if (!file) return path + " does not exist";
  for (const Name& name : row.names) {
    if (!name.mentioned) continue;
    std::string part = shown_part(name.text);
    bool found = std::any_of(file->lines.begin(), file->lines.end(),
                             [&](const std::string& line) { return line.find(part) != std::string::npos; });
    if (found) return "";
  }
  return path + " does not mention the call";
}

bool names(const Row& row, const std::string& name) {
  return std::any_of(row.names.begin(), row.names.end(),
                     [&](const Name& one) { return matches(one.text, name); });
}

// What is wrong with a row by itself, given the names that the runtime defines.
std::vector<std::string> row_faults(const Tree& tree, const Row& row, const std::set<std::string>& defined) {
  static const std::set<std::string> kControls = {"visible", "invisible", "virtual", "forwarded", "through"};
  if (row.names.empty() || !kControls.contains(row.control))
    return {"a row is | call | controlled | object | dependence | correct | wrong |"};
  std::vector<std::string> faults;
  for (const auto& [folder, path] : {std::pair{"correct/", row.correct}, std::pair{"wrong/", row.wrong}}) {
    std::string fault = test_fault(tree, row, std::string(kPrograms) + folder + path);
    if (!fault.empty()) faults.push_back(fault);
  }
  bool ours = row.control != "forwarded" && row.control != "through";
  bool any = false;
  for (const Name& name : row.names) {
    bool known = std::any_of(defined.begin(), defined.end(),
                             [&](const std::string& one) { return matches(name.text, one); });
    any = any || known;
    if (!ours && known) faults.push_back(name.text + " is defined by the runtime");
  }
  if (ours && !any) faults.push_back(row.names[0].text + " is not defined by the runtime");
  return faults;
}

}  // namespace

Findings faulty_primitives(const Tree& tree) {
  const File* map = tree.find(kExports);
  if (!map) return {};
  const File* table = tree.find(kTable);
  if (!table) return {{std::string(kExports), 1, std::string(kTable) + " does not exist"}};
  Findings findings;
  std::set<std::string> names_defined = defined(tree, exported(*map));
  std::vector<Row> rows = read_table(*table);
  for (const Row& row : rows) {
    for (const std::string& fault : row_faults(tree, row, names_defined))
      findings.push_back({table->path, row.line, fault});
  }
  std::vector<std::string> elsewhere = read_elsewhere(*table);
  std::set<std::string> described = read_described(*table);
  for (const std::string& name : names_defined) {
    bool excused = std::any_of(elsewhere.begin(), elsewhere.end(),
                               [&](const std::string& one) { return matches(one, name); });
    bool listed = std::any_of(rows.begin(), rows.end(), [&](const Row& row) { return names(row, name); });
    if (!listed && !excused && !described.contains(name))
      findings.push_back({std::string(kExports), 1, name + " stands in no row of " + std::string(kTable)});
    if (listed && excused)
      findings.push_back({table->path, 1, name + " has a row, and stands elsewhere too"});
  }
  return findings;
}

}  // namespace tidy
