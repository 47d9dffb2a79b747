// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program's file descriptors. Files that an execution opens are closed before the next one. Files that it
// closes are opened again under the same number. Offsets, sizes and flags are restored. So numbers repeat
// too.
//
// Data that passes through descriptors between threads is not ordered by the scheduler, and so the result
// names it. Calls that would wait are refused.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/thread_names.hpp"
#include "runtime/base/forever.hpp"
#include "runtime/base/system_call.hpp"

namespace thrum {

class Descriptors {
 public:
  constexpr Descriptors() = default;

  // The process begins: notes the files of its standard output and error.
  void initialize();

  void save();
  void restore();
  // Opens the files again, so that a copy of the process has its own offsets; false if this is impossible.
  // only_try: only checks. REQUIRES: no execution runs.
  bool reopen_files(bool only_try) const;

  // Answers a call about descriptors in an execution; false for other calls.
  bool answer(const SystemCall& call, long& result);

 private:
  enum class Kind : std::uint8_t {
    closed,
    file,     // a regular file, or a directory
    zero,     // /dev/null and the like
    random,   // /dev/random, /dev/urandom
    input,    // the standard input, if it is no file
    output,   // the process's standard output or error
    channel,  // a pipe, socket, event counter or the like
    device,
  };
  struct Open {
    Kind kind = Kind::closed;
    bool here = false;   // opened in this execution
    bool made = false;   // the file was made in this execution
    long origin = -1;    // the descriptor of the snapshot that shares its offset; -1: none
    long identity = -1;  // the same for both ends of a pipe, and for duplicates
  };
  struct Kept {  // a descriptor of the snapshot
    Open open;
    long offset = 0;
    long size = 0;
    long status_flags = 0;
    long descriptor_flags = 0;
    bool touched = false;
    bool enlarged = false;
    bool flags_changed = false;
    long backup = -1;  // set if it was closed
  };

  Kind classify(long descriptor) const;
  Open look(long descriptor) const;
  void opened(long descriptor, Kind kind, long identity);
  void keep_backup(long descriptor);
  void touch(const Open& open);
  void note_user(const Open& open, bool reads);
  void check_ready(const SystemCall& call, long descriptor, short events);

  bool answer_rarer(const SystemCall& call, long& result);
  long open(const SystemCall& call);
  long close(long descriptor);
  long close_range(const SystemCall& call);
  long duplicate(const SystemCall& call, long from);
  long duplicate_to(const SystemCall& call);
  long control(const SystemCall& call);
  long make_one(const SystemCall& call);
  long make_pair(const SystemCall& call, const int* pair);
  long read(const SystemCall& call);
  long write(const SystemCall& call);
  long change_file(const SystemCall& call);
  long transfer(const SystemCall& call, long from, long to);
  long ask_device(const SystemCall& call);
  long wait_for(const SystemCall& call);
  long use_socket(const SystemCall& call);

  struct Identity {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
  };
  Identity output_[2];  // of descriptors 1 and 2 at the beginning of the process
  std::vector<Kept> kept_;
  std::vector<Open> now_;
  struct Users {
    ThreadId first = kNoThread;
    bool several = false;
    bool read = false;
  };
  std::vector<Users> users_;  // by identity
  bool changed_ = false;
};

extern constinit Forever<Descriptors> the_descriptors;
inline Descriptors& descriptors() { return the_descriptors.value; }

}  // namespace thrum
