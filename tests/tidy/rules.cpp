// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tidy/rules.hpp"

#include <algorithm>
#include <cctype>
#include <istream>
#include <iterator>
#include <ostream>
#include <regex>
#include <sstream>

#include "tidy/cycles.hpp"
#include "tidy/functions.hpp"
#include "tidy/primitives.hpp"

namespace tidy {
namespace {

constexpr std::string_view kExceptions = "tests/tidy/exceptions.txt";
constexpr std::string_view kFolders = "src/README.md";

void append(Findings& findings, Findings more) {
  std::move(more.begin(), more.end(), std::back_inserter(findings));
}

// The folder of src/ in which a file lies, such as "search" or "search/random"; or "".
std::string source_folder(const std::string& path) {
  std::size_t slash = path.rfind('/');
  return path.starts_with("src/") && slash > 3 && slash != std::string::npos ? path.substr(4, slash - 4) : "";
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Finding& finding) {
  return out << finding.path << ':' << finding.line << ": " << finding.what;
}

Dependencies parse_dependencies(std::istream& in) {
  Dependencies dependencies;
  for (std::string line; std::getline(in, line);) {
    std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    std::string folder = line.substr(0, colon);
    std::set<std::string> allowed = {folder};
    std::istringstream names(line.substr(colon + 1));
    for (std::string name; names >> name;) {
      allowed.insert(name);
      allowed.insert(dependencies[name].begin(), dependencies[name].end());
    }
    dependencies[folder] = allowed;
  }
  return dependencies;
}

Findings long_files(const Tree& tree) {
  Findings findings;
  for (const File& file : tree.files) {
    bool is_source = file.is_c_family() || file.has_extension({".cmake", "CMakeLists.txt"}) ||
                     file.path.starts_with("scripts/");
    if (!is_source || file.lines.size() <= kFileLinesMax) continue;
    findings.push_back({file.path, kFileLinesMax + 1,
                        "the file has " + std::to_string(file.lines.size()) + " lines; past " +
                            std::to_string(kFileLinesMax) + " it holds two ideas",
                        "file-length " + file.path});
  }
  return findings;
}

Findings long_functions(const Tree& tree) {
  Findings findings;
  for (const File& file : tree.files) {
    if (!file.has_extension({".c", ".cpp", ".h", ".hpp"})) continue;
    for (const Function& function : find_functions(split(file).code)) {
      if (function.length <= kFunctionLinesMax) continue;
      findings.push_back({file.path, function.line,
                          function.name + " has " + std::to_string(function.length) +
                              " lines; a function fits a screen, about " + std::to_string(kFunctionLinesMax),
                          "function-length " + file.path + ":" + function.name});
    }
  }
  return findings;
}

namespace {

// What is wrong with a file of `folder` including `header`, or "".
std::string include_fault(const std::string& folder, const std::string& header,
                          const Dependencies& dependencies) {
  auto declared = dependencies.find(folder);
  if (declared == dependencies.end()) return "src/" + folder + " is no component that CMake knows";
  std::string included = header.substr(0, header.rfind('/'));
  if (included == header) return "an include names the folder: \"" + folder + "/" + header + "\"";
  // The public headers are the one thing outside src/ that the product shares with its users.
  if (included == "thrum" || included.starts_with("thrum/") || declared->second.contains(included)) return "";
  return folder + " may not depend on " + included + ": see DEPENDS in CMakeLists.txt";
}

}  // namespace

std::vector<Include> includes_of(const File& file) {
  static const std::regex kInclude(R"rx(^\s*#\s*include\s*"([^"]+)")rx");
  std::vector<Include> includes;
  const std::vector<std::string> code = split(file).code;
  for (std::size_t i = 0; i < code.size(); ++i) {
    std::smatch match;
    if (std::regex_search(code[i], match, kInclude)) includes.push_back({i + 1, match.str(1)});
  }
  return includes;
}

Findings wrong_includes(const Tree& tree, const Dependencies& dependencies) {
  Findings findings;
  for (const File& file : tree.files) {
    std::string folder = source_folder(file.path);
    if (folder.empty() || !file.is_c_family()) continue;
    for (const Include& include : includes_of(file)) {
      std::string fault = include_fault(folder, include.header, dependencies);
      if (!fault.empty())
        findings.push_back({file.path, include.line, fault, "include " + file.path + ":" + include.header});
    }
  }
  return findings;
}

namespace {

// Whether some file has this path, or a path that ends in it.
bool exists(const Tree& tree, const std::string& name) {
  return std::any_of(tree.paths.begin(), tree.paths.end(),
                     [&](const std::string& path) { return path == name || path.ends_with("/" + name); });
}

// FILE.cpp stands for any file (a document may have such a name), _test.cpp for all that end so, and what
// is below build/ comes to be there.
bool promises_nothing(const std::string& name) {
  if (name.starts_with('_') || name.starts_with("build/")) return true;
  std::size_t dot = name.rfind('.');
  return !name.ends_with(".md") && std::all_of(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(dot),
                                               [](char c) { return (c >= 'A' && c <= 'Z') || c == '_'; });
}

// The text of a file in which a name is a promise that the file exists: comments, and all of a document.
std::vector<std::string> prose(const File& file) {
  if (file.has_extension({".md"})) return file.lines;
  if (file.is_c_family()) return split(file).comments;
  std::vector<std::string> comments;
  bool has_comments = file.has_extension({".cmake", "CMakeLists.txt"}) || file.path.starts_with("scripts/");
  for (const std::string& line : file.lines) {
    std::size_t hash = line.find('#');
    comments.push_back(has_comments && hash != std::string::npos ? line.substr(hash) : "");
  }
  return comments;
}

}  // namespace

Findings missing_named_files(const Tree& tree) {
  // A name inside <> is a system header, one after * ends a pattern, one in a URL or under an absolute path
  // is elsewhere: a name before which any of these stands is not taken.
  static const std::regex kName(
      R"(([^\s`'"(),;=]*?)([\w][\w./+-]*\.(?:cpp|hpp|cmake|txt|map|md|h|c|S))(?![\w-]|\.\w))");
  Findings findings;
  for (const File& file : tree.files) {
    std::vector<std::string> lines = prose(file);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      for (std::sregex_iterator match(lines[i].begin(), lines[i].end(), kName), end; match != end; ++match) {
        std::string before = match->str(1);
        std::string name = match->str(2);
        if (before.find_first_of("<*/$}>") != std::string::npos || name.find("//") != std::string::npos)
          continue;
        if (promises_nothing(name) || exists(tree, name)) continue;
        findings.push_back(
            {file.path, i + 1, name + " does not exist in the tree", "named-file " + file.path + ":" + name});
      }
    }
  }
  return findings;
}

Findings undescribed_folders(const Tree& tree) {
  std::set<std::string> folders;
  for (const std::string& path : tree.paths) {
    std::string folder = source_folder(path);
    if (!folder.empty()) folders.insert(folder);
  }
  std::string text;
  if (const File* file = tree.find(kFolders)) {
    for (const std::string& line : file->lines) text += line + "\n";
  }
  Findings findings;
  for (const std::string& folder : folders) {
    if (text.find("`" + folder + "/`") != std::string::npos) continue;
    findings.push_back({std::string(kFolders), 1, "src/" + folder + " is not described"});
  }
  return findings;
}

Findings untidy_lines(const Tree& tree) {
  static const std::regex kMachinePath(R"((^|[^\w./-])/(home|root|work|Users)/\w)");
  Findings findings;
  for (const File& file : tree.files) {
    // In a patch an empty context line is a space.
    bool is_patch = file.has_extension({".patch", ".diff"});
    for (std::size_t i = 0; i < file.lines.size(); ++i) {
      const std::string& line = file.lines[i];
      if (!is_patch && (line.ends_with(' ') || line.ends_with('\t') || line.ends_with('\r'))) {
        findings.push_back({file.path, i + 1, "trailing whitespace"});
      }
      if (line.find('/') != std::string::npos && std::regex_search(line, kMachinePath)) {
        findings.push_back({file.path, i + 1, "a path of somebody's machine"});
      }
    }
  }
  return findings;
}

namespace {

// With the word of docs/glossary.md, or of plain English, that says it.
struct PrivateWord {
  std::string_view word;
  std::string_view instead;
};
constexpr PrivateWord kPrivateWords[] = {
    {"likewise", "\"the same\", \"also\", or the thing itself"},
    {"anew", "\"again\""},
    {"lent", "\"delegated\""},
    {"relies", "\"depends on\", \"assumes\""},
    {"come to the same", "\"are equal\""},
    {"comes to the same", "\"is equal\""},
    {"what is there", "the noun"},
    {"put down", "\"saved\", \"inserted\""},
    {"puts down", "\"saves\", \"inserts\""},
    {"putting down", "\"saving\", \"inserting\""},
    {"put it down", "\"save it\", \"insert it\""},
    {"put them down", "\"save them\", \"insert them\""},
};

bool is_word_char(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Where the words stand in the text as whole words; npos: nowhere.
std::size_t find_words(std::string_view text, std::string_view words) {
  for (std::size_t at = text.find(words); at != std::string_view::npos; at = text.find(words, at + 1)) {
    const std::size_t end = at + words.size();
    if ((at == 0 || !is_word_char(text[at - 1])) && (end == text.size() || !is_word_char(text[end])))
      return at;
  }
  return std::string_view::npos;
}

// In small letters, without the space at its beginning.
std::string plain(const std::string& comment) {
  std::string text = comment.substr(std::min(comment.find_first_not_of(' '), comment.size()));
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

Findings private_words(const Tree& tree) {
  Findings findings;
  for (const File& file : tree.files) {
    if (!file.path.starts_with("src/") || !file.is_c_family()) continue;
    const std::vector<std::string> comments = split(file).comments;
    for (std::size_t i = 0; i < comments.size(); ++i) {
      std::string text = plain(comments[i]);
      const std::size_t length = text.size();
      if (length == 0) continue;
      if (i + 1 < comments.size()) text += " " + plain(comments[i + 1]);  // a phrase may go on there
      for (const PrivateWord& word : kPrivateWords) {
        if (find_words(text, word.word) >= length) continue;
        findings.push_back(
            {file.path, i + 1,
             "\"" + std::string(word.word) + "\" in a comment; say " + std::string(word.instead),
             "private-word " + file.path});
      }
    }
  }
  return findings;
}

Findings apply_exceptions(const Tree& tree, Findings findings) {
  const File* file = tree.find(kExceptions);
  if (file == nullptr) return findings;
  for (std::size_t i = 0; i < file->lines.size(); ++i) {
    const std::string& line = file->lines[i];
    if (line.empty() || line.starts_with('#')) continue;
    std::istringstream words(line);
    std::string rule, subject, reason;
    words >> rule >> subject >> reason;
    if (reason.empty()) findings.push_back({file->path, i + 1, "an exception gives its reason"});
    const std::string key = rule + " " + subject;
    std::size_t allowed = std::erase_if(findings, [&](const Finding& finding) {
      return finding.exception_key == key || (key.ends_with('/') && finding.exception_key.starts_with(key));
    });
    if (allowed == 0) findings.push_back({file->path, i + 1, "nothing needs this exception"});
  }
  return findings;
}

void describe(const Tree& tree, std::ostream& out) {
  std::map<std::string, std::size_t> folders;  // files of each
  const File* longest_file = nullptr;
  const File* file_of_function = nullptr;
  Function longest;
  for (const File& file : tree.files) {
    const std::string folder = source_folder(file.path);
    if (folder.empty() || !file.is_c_family()) continue;
    ++folders[folder];
    if (!longest_file || file.lines.size() > longest_file->lines.size()) longest_file = &file;
    for (const Function& function : find_functions(split(file).code)) {
      if (function.length <= longest.length) continue;
      longest = function;
      file_of_function = &file;
    }
  }
  const auto subfolders =
      static_cast<std::size_t>(std::count_if(folders.begin(), folders.end(), [](const auto& folder) {
        return folder.first.find('/') != std::string::npos;
      }));
  std::size_t in_circles = 0;
  const auto all_circles = circles(rooms_of(tree));
  for (const auto& circle : all_circles) in_circles += circle.size();
  out << "src: " << folders.size() - subfolders << " folders, " << subfolders << " sub-folders";
  for (const auto& [folder, files] : folders) out << "\n  " << folder << ' ' << files << " files";
  out << "\ncircles of rooms that include each other: " << all_circles.size() << " (" << in_circles
      << " rooms)\n";
  if (longest_file)
    out << "longest file: " << longest_file->path << ", " << longest_file->lines.size() << " lines\n";
  if (file_of_function)
    out << "longest function: " << longest.name << " in " << file_of_function->path << ", " << longest.length
        << " lines\n";
}

Findings check(const Tree& tree, const Dependencies& dependencies) {
  Findings findings = long_files(tree);
  append(findings, long_functions(tree));
  append(findings, wrong_includes(tree, dependencies));
  append(findings, include_cycles(tree));
  append(findings, missing_named_files(tree));
  append(findings, undescribed_folders(tree));
  append(findings, untidy_lines(tree));
  append(findings, private_words(tree));
  append(findings, faulty_primitives(tree));
  return apply_exceptions(tree, std::move(findings));
}

}  // namespace tidy
