// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/checkpoint_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "cli/file_portions.hpp"
#include "report/result.hpp"
#include "support/bytes.hpp"
#include "support/digest.hpp"

namespace thrum {

namespace {

constexpr std::string_view kMagic = "THRUMCKP";
constexpr std::uint32_t kFormat = 12;
constexpr std::size_t kHeaderSize = 48;

struct Header {
  std::uint64_t size = 0;   // of the file
  std::uint64_t index = 0;  // its offset; it extends to the end
  std::uint64_t index_digest = 0;
};

std::uint64_t digest_of(std::string_view bytes) {
  StreamDigest digest;
  digest.add(bytes);
  return digest.value();
}

std::string header_bytes(const Header& header) {
  ByteWriter out;
  for (char c : kMagic) out.put(c);
  out.put(kFormat);
  out.put(std::uint32_t{0});
  for (std::uint64_t number : {header.size, header.index, header.index_digest}) out.put(number);
  std::string bytes = out.take();
  const std::uint64_t digest = digest_of(bytes);
  bytes.append(reinterpret_cast<const char*>(&digest), sizeof digest);
  return bytes;
}

std::optional<std::uint64_t> digest_of_part(const FilePart& part) {
  StreamDigest digest;
  auto add = [&](std::string_view portion) {
    digest.add(portion);
    return true;
  };
  return read_part(part, add) ? std::optional(digest.value()) : std::nullopt;
}

void put_list(ByteWriter& out, const std::vector<std::string>& list) {
  out.put(static_cast<std::uint32_t>(list.size()));
  for (const std::string& word : list) out.put_string(word);
}

std::vector<std::string> get_list(ByteReader& in) {
  std::vector<std::string> list;
  for (std::uint32_t left = in.get_count(); left > 0 && in.ok(); --left) list.push_back(in.get_string());
  return list;
}

std::string index_bytes(const CheckpointContents& contents, const std::vector<SavedState>& states) {
  ByteWriter out;
  out.put_string(kVersion);
  put_list(out, contents.words);
  put_list(out, contents.arguments);
  out.put_string(contents.directory);
  out.put(contents.program);
  out.put(static_cast<std::uint32_t>(contents.runs.size()));
  auto state = states.begin();
  for (const SavedRun& run : contents.runs) {
    for (const std::string* text : {&run.key, &run.report, &run.output}) out.put_string(*text);
    out.put(run.executions);
    out.put(run.state.has_value());
    if (!run.state) continue;
    for (std::uint64_t number :
         {state->size, state->digest, state->offset, state->compressed->size, state->compressed->digest})
      out.put(number);
    ++state;
  }
  return out.take();
}

// Reads an index of this version.
bool read_index(ByteReader& in, const std::shared_ptr<OpenFile>& file, CheckpointContents& contents) {
  contents.words = get_list(in);
  contents.arguments = get_list(in);
  contents.directory = in.get_string();
  contents.program = in.get<std::uint64_t>();
  for (std::uint32_t left = in.get_count(); left > 0 && in.ok(); --left) {
    SavedRun& run = contents.runs.emplace_back();
    for (std::string* text : {&run.key, &run.report, &run.output}) *text = in.get_string();
    run.executions = in.get<std::uint64_t>();
    if (!in.get<bool>()) continue;
    SavedState& state = run.state.emplace();
    state.file = file;
    CompressedState& compressed = state.compressed.emplace();
    for (std::uint64_t* number :
         {&state.size, &state.digest, &state.offset, &compressed.size, &compressed.digest})
      *number = in.get<std::uint64_t>();
  }
  return in.ok() && in.at_end();
}

// The bytes of a state in its file, compressed or not.
FilePart part_of(const SavedState& state) {
  return {state.file->descriptor(), state.offset, state.compressed ? state.compressed->size : state.size};
}

// Writes a state in compressed form. Nothing: errno says why.
std::optional<SavedState> store(const SavedState& state, const std::shared_ptr<OpenFile>& file,
                                std::uint64_t offset) {
  SavedState stored{file, offset, state.size, state.digest, CompressedState{}};
  StreamDigest digest;
  auto put = [&](std::string_view portion) {
    digest.add(portion);
    if (!write_all(file->descriptor(), portion, offset + stored.compressed->size)) return false;
    stored.compressed->size += portion.size();
    return true;
  };
  if (!(state.compressed ? read_part(part_of(state), put) : compress_part(part_of(state), put)))
    return std::nullopt;
  stored.compressed->digest = digest.value();
  errno = EIO;
  return state.compressed && stored.compressed->digest != state.compressed->digest ? std::nullopt
                                                                                   : std::optional(stored);
}

// Whether the states lie between header and index, one after the other, and are as they were written.
bool are_whole(const CheckpointContents& contents, const Header& header) {
  std::uint64_t end = kHeaderSize;
  for (const SavedRun& run : contents.runs) {
    if (!run.state) continue;
    const FilePart part = part_of(*run.state);
    if (part.offset != end || part.size > header.index - end) return false;
    if (digest_of_part(part) != run.state->compressed->digest) return false;
    end += part.size;
  }
  return end == header.index;
}

}  // namespace

bool copy_state(const SavedState& state, int file, std::uint64_t offset) {
  StreamDigest digest;
  std::uint64_t size = 0;
  auto put = [&](std::string_view portion) {
    digest.add(portion);
    if (!write_all(file, portion, offset + size)) return false;
    size += portion.size();
    return true;
  };
  if (!(state.compressed ? read_compressed(part_of(state), put) : read_part(part_of(state), put)))
    return false;
  errno = EIO;
  return size == state.size && digest.value() == state.digest;
}

std::string write_checkpoint(const std::string& path, CheckpointContents& contents) {
  auto failed = [&] { return path + ": the checkpoint cannot be written: " + std::strerror(errno); };
  NewFile target(path);
  const int file = target.file()->descriptor();
  if (file < 0) return failed();
  std::vector<SavedState> states;
  Header header;
  header.index = kHeaderSize;
  for (const SavedRun& run : contents.runs) {
    if (!run.state) continue;
    std::optional<SavedState> stored = store(*run.state, target.file(), header.index);
    if (!stored) return failed();
    header.index += stored->compressed->size;
    states.push_back(std::move(*stored));
  }
  const std::string index = index_bytes(contents, states);
  header.size = header.index + index.size();
  header.index_digest = digest_of(index);
  if (!write_all(file, index, header.index) || !write_all(file, header_bytes(header), 0) || !target.finish())
    return failed();
  auto state = states.begin();
  for (SavedRun& run : contents.runs) {
    if (run.state) run.state = *state++;
  }
  return {};
}

std::optional<CheckpointContents> read_checkpoint(const std::string& path, std::string& problem) {
  auto file = std::make_shared<OpenFile>(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (file->descriptor() < 0 || fstat(file->descriptor(), &status) != 0) {
    problem = path + ": " + std::strerror(errno);
    return std::nullopt;
  }
  problem = path + ": is no checkpoint of thrum check --checkpoint";
  std::string bytes(kHeaderSize, '\0');
  if (!S_ISREG(status.st_mode) || !read_all(file->descriptor(), bytes, 0) || !bytes.starts_with(kMagic))
    return std::nullopt;
  ByteReader in(std::string_view(bytes).substr(kMagic.size()));
  if (in.get<std::uint32_t>() != kFormat) {
    problem = path + ": was written by another version of thrum; start a new check";
    return std::nullopt;
  }
  problem = path + ": the checkpoint is damaged; start a new check";
  in.get<std::uint32_t>();
  Header header;
  for (std::uint64_t* number : {&header.size, &header.index, &header.index_digest})
    *number = in.get<std::uint64_t>();
  if (header_bytes(header) != bytes || header.size != static_cast<std::uint64_t>(status.st_size) ||
      header.index < kHeaderSize || header.index > header.size)
    return std::nullopt;
  std::string index(header.size - header.index, '\0');
  if (!read_all(file->descriptor(), index, header.index) || digest_of(index) != header.index_digest)
    return std::nullopt;
  ByteReader reader(index);
  if (reader.get_string() != kVersion) {
    problem = path + ": was written by another version of thrum; start a new check";
    return std::nullopt;
  }
  CheckpointContents contents;
  if (!read_index(reader, file, contents) || !are_whole(contents, header)) return std::nullopt;
  problem.clear();
  return contents;
}

std::optional<std::uint64_t> digest_of_file(const std::string& path) {
  OpenFile file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (file.descriptor() < 0 || fstat(file.descriptor(), &status) != 0) return std::nullopt;
  return digest_of_part({file.descriptor(), 0, static_cast<std::uint64_t>(status.st_size)});
}

}  // namespace thrum
