// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changes of an execution to the file system and the process, and how they are undone: files that it made,
// the working directory, the mask for new files, limits.
#pragma once

#include <sys/resource.h>
#include <string>
#include <vector>

#include "runtime/base/forever.hpp"
#include "runtime/base/system_call.hpp"

namespace thrum {

class Files {
 public:
  constexpr Files() = default;

  void save();
  void restore();

  // Answers a call with a path, or one of chdir, fchdir, umask, setrlimit, prlimit64; false for other calls.
  bool answer(const SystemCall& call, long& result);

  // Called before a call that may make a file. May not return (stay_alone()).
  static void will_make();
  // This execution has made the file; it is removed at the end.
  void made(const std::string& path);
  // Whether the file was made in this execution.
  bool is_made(const std::string& path) const;

  // The absolute path of an open descriptor's file; empty if it has none.
  static std::string path_of(long descriptor);
  // The absolute path of an existing file, named as in the *at calls, without following a link; empty if
  // there is none.
  static std::string resolve(long folder, const char* path);

 private:
  long make(const SystemCall& call, long folder, long path);
  long remove(const SystemCall& call, long folder, long path);
  long rename(const SystemCall& call, long old_folder, long old_path, long folder, long path);
  long limit(const SystemCall& call, unsigned resource, bool changes);

  struct Limit {
    unsigned resource;
    rlimit value;
  };
  std::vector<std::string> made_;
  std::vector<Limit> limits_;
  long directory_ = -1;  // a descriptor of the directory at the snapshot
  bool moved_ = false;
  long mask_ = -1;  // at the snapshot, if it was changed
};

extern constinit Forever<Files> the_files;
inline Files& files() { return the_files.value; }

// The lowest number for descriptors of the runtime itself.
long first_own_descriptor();
// Moves a descriptor that the process inherited among those of the runtime. Its number then; the same where
// it cannot be moved: the program may meet it, but it works.
long move_to_own_descriptors(long inherited);

}  // namespace thrum
