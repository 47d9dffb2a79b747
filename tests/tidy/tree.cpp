// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tidy/tree.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>

namespace tidy {
namespace fs = std::filesystem;

bool File::has_extension(std::initializer_list<std::string_view> extensions) const {
  return std::any_of(extensions.begin(), extensions.end(),
                     [this](std::string_view extension) { return path.ends_with(extension); });
}

const File* Tree::find(std::string_view path) const {
  const auto found =
      std::find_if(files.begin(), files.end(), [&](const File& file) { return file.path == path; });
  return found == files.end() ? nullptr : &*found;
}

namespace {

bool is_left_out(const fs::path& relative) {
  std::string name = relative.filename();
  bool at_top = !relative.has_parent_path();
  return name == ".git" || name == "thrum-out" || (at_top && name.starts_with("build"));
}

std::string read_all(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

}  // namespace

Tree read_tree(const fs::path& root) {
  Tree tree;
  for (auto entry = fs::recursive_directory_iterator(root); entry != fs::end(entry); ++entry) {
    fs::path relative = fs::relative(entry->path(), root);
    if (entry->is_directory() && is_left_out(relative)) entry.disable_recursion_pending();
    // In a second work tree .git is a file.
    if (!entry->is_regular_file() || is_left_out(relative)) continue;
    tree.paths.insert(relative.generic_string());
    std::string text = read_all(entry->path());
    if (text.find('\0') != std::string::npos) continue;
    tree.files.push_back({relative.generic_string(), lines_of(text)});
  }
  std::sort(tree.files.begin(), tree.files.end(),
            [](const File& a, const File& b) { return a.path < b.path; });
  return tree;
}

namespace {

// Walks over C or C++ text character by character; what it has not walked over is still in the queue of
// (line, column). Literals and comments may span lines.
class Splitter {
 public:
  explicit Splitter(const File& file) : file_(file) {}

  Split run() {
    for (const std::string& line : file_.lines) {
      code_ = comment_ = "";
      for (std::size_t i = 0; i < line.size();) i = step(line, i);
      if (state_ == State::line_comment || state_ == State::literal) state_ = State::code;
      result_.code.push_back(code_);
      result_.comments.push_back(comment_);
    }
    return result_;
  }

 private:
  enum class State { code, line_comment, block_comment, literal, raw_literal };

  // Returns the index of the first character that it did not consume.
  std::size_t step(const std::string& line, std::size_t i) {
    switch (state_) {
      case State::code: return code_step(line, i);
      case State::line_comment: comment_ += line[i]; return i + 1;
      case State::block_comment: return block_comment_step(line, i);
      case State::literal: return literal_step(line, i);
      case State::raw_literal: return raw_literal_step(line, i);
    }
    return line.size();
  }

  std::size_t code_step(const std::string& line, std::size_t i) {
    if (line.compare(i, 2, "//") == 0) return state_ = State::line_comment, i + 2;
    if (line.compare(i, 2, "/*") == 0) return state_ = State::block_comment, i + 2;
    if (line.compare(i, 2, "R\"") == 0) {
      std::size_t open = line.find('(', i);
      if (open == std::string::npos) return line.size();
      raw_end_ = ")" + line.substr(i + 2, open - i - 2) + "\"";
      state_ = State::raw_literal;
      code_ += '"';
      return open + 1;
    }
    bool separates_digits =
        line[i] == '\'' && i > 0 && std::isxdigit(static_cast<unsigned char>(line[i - 1]));
    if (line[i] == '"' || (line[i] == '\'' && !separates_digits)) {
      quote_ = line[i];
      state_ = State::literal;
    }
    code_ += line[i];
    return i + 1;
  }

  std::size_t block_comment_step(const std::string& line, std::size_t i) {
    if (line.compare(i, 2, "*/") == 0) return state_ = State::code, i + 2;
    comment_ += line[i];
    return i + 1;
  }

  // Keeps the contents of an include's "…": they are the one literal that a rule reads.
  std::size_t literal_step(const std::string& line, std::size_t i) {
    if (line[i] == '\\') return i + 2;
    bool ends = line[i] == quote_;
    if (ends) state_ = State::code;
    if (ends || line.starts_with("#include")) code_ += line[i];
    return i + 1;
  }

  std::size_t raw_literal_step(const std::string& line, std::size_t i) {
    if (line.compare(i, raw_end_.size(), raw_end_) != 0) return i + 1;
    state_ = State::code;
    code_ += '"';
    return i + raw_end_.size();
  }

  const File& file_;
  State state_ = State::code;
  char quote_ = '"';
  std::string raw_end_;
  std::string code_;
  std::string comment_;
  Split result_;
};

}  // namespace

Split split(const File& file) { return Splitter(file).run(); }

}  // namespace tidy
