// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Libraries that the program loads in an execution (dlopen).
//
// The dynamic loader keeps state that is not rolled back, with pointers into memory that is. So no library is
// loaded in an execution. The first execution that asks for a library is abandoned. The library is loaded
// outside of executions, in the state before the first choice. A new snapshot is taken, and the search begins
// again. From then on dlopen returns the known handle. The library's constructors have run once, early, and
// dlclose does nothing: the result says so.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runtime/base/forever.hpp"
#include "support/bytes.hpp"

namespace thrum {

class Loader {
 public:
  constexpr Loader() = default;

  // In an execution: the library's handle, or nullptr if it cannot be loaded. caller: an address in the
  // calling module, whose own search path is used. name: nullptr for the program itself.
  void* open(const char* name, int mode, std::uint64_t caller);

  // Between executions, on the restored state: loads the library that the last execution asked for.
  void load();

  // For a search that is resumed in another process: the libraries. load_again() calls load_library for each
  // library that this process has not loaded; load_library must call load().
  void save(ByteWriter& out) const;
  void load_again(ByteReader& in, const std::function<void()>& load_library);

  // The message of dlerror in the execution, once. nullptr: none.
  const char* take_error();

  bool has_error() const { return error_ != nullptr; }

  // An execution begins.
  void reset() { error_ = nullptr; }

 private:
  struct Library {
    std::string name;
    bool program;  // the program itself, not a library
    int mode;
    std::uint64_t caller;
    void* handle;
    std::string error;
  };
  std::vector<Library> libraries_;  // the last one may not be loaded yet
  const char* error_ = nullptr;
};

extern constinit Forever<Loader> the_loader;
inline Loader& loader() { return the_loader.value; }

}  // namespace thrum
