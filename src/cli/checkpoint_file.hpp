// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The file of --checkpoint: the results and states of a check's searches, from which a later check continues.
//
// Format: a header of fixed size; the states of searches, one after the other, each a frame of zstd; an
// index, which holds everything else. Header, index and each frame have a digest, and the header holds the
// file's size. So a file that was cut or changed anywhere is detected. Numbers are little-endian.
//
// A new checkpoint is written under another name in the same folder. It replaces the last one when it is
// complete and on the disk, so there is a complete file at any moment. If the system supports files without
// names, a checkpoint that could not be completed leaves nothing behind.
//
// Tested by checkpoint_file_test.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/new_file.hpp"

namespace thrum {

// The compressed form of a state.
struct CompressedState {
  std::uint64_t size = 0;
  std::uint64_t digest = 0;
};

// The saved state of a search, in a file. Only its worker understands the bytes.
struct SavedState {
  std::shared_ptr<OpenFile> file;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  std::uint64_t digest = 0;                   // StreamDigest
  std::optional<CompressedState> compressed;  // nothing: it lies in the file as it is
};

// One run of a worker.
struct SavedRun {
  std::string key;     // identifies the run among those of its check
  std::string report;  // as bytes; empty: it has not ended
  std::string output;  // WorkerOutcome::output
  std::uint64_t executions = 0;
  std::optional<SavedState> state;  // nothing: the search is finished, or has not begun
};

struct CheckpointContents {
  std::vector<std::string> words;      // of the command line: the options that are kept, and the program
  std::vector<std::string> arguments;  // of the program
  std::string directory;               // where thrum was called
  std::uint64_t program = 0;           // a digest of the program's file
  std::vector<SavedRun> runs;          // in the order in which they were begun
};

// Writes the file; the states of contents refer to it from then on. Returns an empty string, or one line that
// says why the file could not be written; an older file at the path stays then.
std::string write_checkpoint(const std::string& path, CheckpointContents& contents);

// Nothing, and a problem in one line, if the file is no complete checkpoint of this version.
std::optional<CheckpointContents> read_checkpoint(const std::string& path, std::string& problem);

// Copies a state, as it is when it is not compressed, to a place in a file; false: errno says why.
bool copy_state(const SavedState& state, int file, std::uint64_t offset);

// The digest of a whole file; nothing if the file cannot be read.
std::optional<std::uint64_t> digest_of_file(const std::string& path);

}  // namespace thrum
