// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Libraries that the program loads in an execution (dlopen).
//
// The dynamic loader keeps state that is not rolled back, with pointers into memory that is. So no library is
// loaded in an execution. The first one that asks for it is abandoned; the library is loaded outside, in the
// state before the first choice; a new snapshot is taken, and the search begins anew. From then on dlopen
// gives the handle that is known. The library's constructors have run once, early, and dlclose does nothing:
// the result says so.
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

  // In an execution: the library's handle, or nullptr where it cannot be loaded. caller: an address in the
  // module that asks, whose own search path counts. name: nullptr for the program itself.
  void* open(const char* name, int mode, std::uint64_t caller);

  // Between executions, on the restored state: loads what the last one asked for.
  void load();

  // For a search that is gone on with in another process: which libraries there are. load_again() calls
  // load_library for each that is not known here, which is to call load().
  void save(ByteWriter& out) const;
  void load_again(ByteReader& in, const std::function<void()>& load_library);

  // What dlerror is to say in the execution; once. nullptr: nothing.
  const char* take_error();

  bool has_error() const { return error_ != nullptr; }

  // An execution begins.
  void reset() { error_ = nullptr; }

 private:
  struct Library {
    std::string name;
    bool program;  // the program itself
    int mode;
    std::uint64_t caller;
    void* handle;
    std::string error;
  };
  std::vector<Library> libraries_;  // the last one may have to be loaded still
  const char* error_ = nullptr;
};

extern constinit Forever<Loader> the_loader;
inline Loader& loader() { return the_loader.value; }

}  // namespace thrum
