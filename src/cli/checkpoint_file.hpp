// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The file of --checkpoint: what has been done of a check, so that it can be gone on with.
//
// Form: a header of fixed size; the states of searches, one behind the other, each a frame of zstd; an index,
// which says all the rest. Header, index and each frame have a digest, and the header holds the file's size.
// So a file that was cut or changed anywhere is recognised. Numbers are little-endian.
//
// It is written under another name in the same folder, and takes the place of the last one when it is whole
// and on the disk: at any moment there is a whole one. Where the system has files without names, nothing
// stays behind of one that could not be finished.
//
// Tested by checkpoint_file_test.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace thrum {

// An open file.
class OpenFile {
 public:
  explicit OpenFile(int descriptor) : descriptor_(descriptor) {}
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

// The compressed form of a state.
struct CompressedState {
  std::uint64_t size = 0;
  std::uint64_t digest = 0;
};

// The state of a search: bytes that only its worker understands, in a file.
struct SavedState {
  std::shared_ptr<OpenFile> file;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint64_t digest = 0;                   // StreamDigest
  std::optional<CompressedState> compressed;  // nothing: it lies in the file as it is
};

// One run of a worker.
struct SavedRun {
  std::string key;     // what it was to do, without its budget
  std::string report;  // as bytes; empty: it has not ended
  std::string output;  // WorkerOutcome::output
  std::uint64_t executions = 0;
  std::optional<SavedState> state;  // nothing: it has come to its end, or has not begun
};

struct CheckpointContents {
  std::vector<std::string> words;      // of the command line, those that the check depends on
  std::vector<std::string> arguments;  // of the program
  std::string directory;               // where thrum was called
  std::uint64_t program = 0;           // a digest of the program's file
  std::vector<SavedRun> runs;          // in the order in which they were begun
};

// Writes the file; its states lie in it from then on. One line that says why it could not be done, and then
// the file that was there before is there still; empty where it was done.
std::string write_checkpoint(const std::string& path, CheckpointContents& contents);

// Nothing, and in one line why, where the file is no whole checkpoint of this version.
std::optional<CheckpointContents> read_checkpoint(const std::string& path, std::string& problem);

// A file without a name in the folder of the path; nullptr, and in one line why.
std::shared_ptr<OpenFile> nameless_file(const std::string& path, std::string& problem);

// Copies a state, as it is when it is not compressed, to a place in a file; false: errno says why.
bool copy_state(const SavedState& state, int file, std::uint64_t offset);

// The digest of a whole file; nothing where it cannot be read.
std::optional<std::uint64_t> digest_of_file(const std::string& path);

}  // namespace thrum
