// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sequentialize/source.hpp"

#include <clang/Basic/Diagnostic.h>
#include <clang/Tooling/Tooling.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

namespace thrum::seq {

namespace {

std::string read_text(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw SourceError({path, 0, 0}, std::strerror(errno));
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (in.bad()) throw SourceError({path, 0, 0}, "cannot be read; name a file");
  return text;
}

// Keeps the first error.
class FirstError : public clang::DiagnosticConsumer {
 public:
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& info) override {
    DiagnosticConsumer::HandleDiagnostic(level, info);
    if (level < clang::DiagnosticsEngine::Error || !message.empty()) return;
    llvm::SmallString<128> text;
    info.FormatDiagnostic(text);
    message = text.str().str();
    if (!info.hasSourceManager() || info.getLocation().isInvalid()) return;
    clang::PresumedLoc at =
        info.getSourceManager().getPresumedLoc(info.getSourceManager().getExpansionLoc(info.getLocation()));
    if (at.isValid()) place = {at.getFilename(), at.getLine(), at.getColumn()};
  }

  std::string message;
  Place place;
};

}  // namespace

Source::Source(const std::string& path, const std::vector<std::string>& flags) : path_(path), flags_(flags) {
  std::string text = read_text(path);
  std::vector<std::string> words = {"-std=gnu17",
                                    "-w",
                                    "-resource-dir",
                                    THRUM_CLANG_RESOURCES,
                                    "-fno-dollars-in-identifiers",
                                    "-Wno-error=implicit-function-declaration",
                                    "-Wno-error=implicit-int"};
  if (path.ends_with(".i")) words.insert(words.begin(), {"-x", "cpp-output"});
  words.insert(words.end(), flags.begin(), flags.end());
  FirstError errors;
  unit_ = clang::tooling::buildASTFromCodeWithArgs(
      text, words, path, "clang", std::make_shared<clang::PCHContainerOperations>(),
      clang::tooling::getClangStripDependencyFileAdjuster(), clang::tooling::FileContentMappings(), &errors);
  if (!errors.message.empty()) {
    if (errors.place.file.empty()) errors.place.file = path;
    throw SourceError(errors.place, "this does not compile: " + errors.message);
  }
  if (!unit_) throw SourceError({path, 0, 0}, "Clang cannot read this file");
}

Place Source::place(clang::SourceLocation location) const {
  clang::PresumedLoc at = sources().getPresumedLoc(sources().getExpansionLoc(location));
  if (at.isInvalid()) return {path_, 0, 0};
  return {at.getFilename(), at.getLine(), at.getColumn()};
}

bool Source::of_system(const clang::Decl* declaration) const {
  clang::SourceLocation location = sources().getExpansionLoc(declaration->getLocation());
  return location.isInvalid() || sources().isInSystemHeader(location) || declaration->isImplicit();
}

std::string Source::line_at(clang::SourceLocation location) const {
  auto [file, offset] = sources().getDecomposedLoc(location);
  llvm::StringRef text = sources().getBufferData(file);
  std::size_t begin = text.rfind('\n', offset);
  begin = begin == llvm::StringRef::npos ? 0 : begin + 1;
  return text.slice(begin, text.find('\n', offset)).trim().str();
}

std::string Source::include_of(const clang::Decl* declaration) const {
  clang::SourceLocation location = sources().getExpansionLoc(declaration->getLocation());
  while (location.isValid()) {
    clang::SourceLocation from = sources().getIncludeLoc(sources().getFileID(location));
    if (from.isInvalid()) return {};
    if (!sources().isInSystemHeader(from)) return line_at(from);
    location = from;
  }
  return {};
}

std::vector<std::string> Source::includes() const {
  std::vector<std::string> result;
  for (unsigned i = 0; i < sources().local_sloc_entry_size(); ++i) {
    const clang::SrcMgr::SLocEntry& entry = sources().getLocalSLocEntry(i);
    if (!entry.isFile()) continue;
    clang::SourceLocation from = entry.getFile().getIncludeLoc();
    clang::SourceLocation inside = clang::SourceLocation::getFromRawEncoding(entry.getOffset());
    if (from.isInvalid() || sources().isInSystemHeader(from) || !sources().isInSystemHeader(inside)) continue;
    if (sources().isWrittenInBuiltinFile(from) || sources().isWrittenInCommandLineFile(from)) continue;
    std::string line = line_at(from);
    if (line.starts_with('#') && std::find(result.begin(), result.end(), line) == result.end())
      result.push_back(line);
  }
  return result;
}

std::vector<std::string> Source::feature_macros() const {
  std::vector<std::string> result;
  std::istringstream text(sources().getBufferData(sources().getMainFileID()).str());
  for (std::string line; std::getline(text, line);) {
    llvm::StringRef words = llvm::StringRef(line).trim();
    if (!words.consume_front("#")) continue;
    words = words.ltrim();
    if (!words.consume_front("define")) continue;
    words = words.ltrim();
    llvm::StringRef name = words.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    bool takes_arguments = words.substr(name.size()).starts_with("(");
    if (name.starts_with("_") && name == name.upper() && !takes_arguments) result.push_back(line);
  }
  for (const std::string& flag : flags_) {
    if (!flag.starts_with("-D_")) continue;
    std::string words = flag.substr(2);
    std::size_t equal = words.find('=');
    if (equal != std::string::npos) words[equal] = ' ';
    result.push_back("#define " + words + (equal == std::string::npos ? " 1" : ""));
  }
  return result;
}

void Source::refuse(clang::SourceLocation where, const std::string& construct,
                    const std::string& advice) const {
  throw SourceError(place(where), construct + " is not supported: " + advice);
}

}  // namespace thrum::seq
