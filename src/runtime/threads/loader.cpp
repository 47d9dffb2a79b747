// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dlopen, dlclose, dlerror.
#include "runtime/threads/loader.hpp"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>
#include <algorithm>
#include <memory>

#include "runtime/base/engine.hpp"
#include "runtime/base/modules.hpp"
#include "runtime/base/notes.hpp"
#include "runtime/base/world.hpp"
#include "support/raw_syscall.hpp"

namespace thrum {

constinit Forever<Loader> the_loader;

namespace {

// The file that the module which holds the address would load for that name. The name itself if the module's
// own search path (DT_RUNPATH) does not matter.
std::string find_library(const std::string& name, std::uint64_t caller) {
  if (name.find('/') != std::string::npos) return name;
  Dl_info info;
  void* map = nullptr;
  if (dladdr1(reinterpret_cast<void*>(caller), &info, &map, RTLD_DL_LINKMAP) == 0 || !map) return name;
  Dl_serinfo size;
  if (dlinfo(map, RTLD_DI_SERINFOSIZE, &size) != 0) return name;
  auto memory = std::make_unique<char[]>(size.dls_size);
  auto* paths = reinterpret_cast<Dl_serinfo*>(memory.get());
  *paths = size;
  if (dlinfo(map, RTLD_DI_SERINFOSIZE, paths) != 0 || dlinfo(map, RTLD_DI_SERINFO, paths) != 0) return name;
  for (unsigned i = 0; i < paths->dls_cnt; ++i) {
    std::string path = std::string(paths->dls_serpath[i].dls_name) + "/" + name;
    if (raw_syscall(SYS_access, reinterpret_cast<long>(path.c_str()), R_OK) == 0) return path;
  }
  return name;
}

}  // namespace

void* Loader::open(const char* name, int mode, std::uint64_t caller) {
  auto known = std::find_if(libraries_.begin(), libraries_.end(), [&](const Library& library) {
    return library.program == (name == nullptr) && (library.program || library.name == name) &&
           library.mode == mode;
  });
  if (known != libraries_.end()) {
    error_ = known->handle ? nullptr : known->error.c_str();
    return known->handle;
  }
  libraries_.push_back({name ? name : "", name == nullptr, mode, caller, nullptr, {}});
  need_library();
}

void Loader::load() {
  Library& library = libraries_.back();
  static auto* const real_open = reinterpret_cast<decltype(&::dlopen)>(next_function("dlopen"));
  static auto* const real_error = reinterpret_cast<decltype(&::dlerror)>(next_function("dlerror"));
  std::string path = library.program ? "" : find_library(library.name, library.caller);
  real_error();
  library.handle = real_open(library.program ? nullptr : path.c_str(), library.mode);
  if (!library.handle) {
    const char* text = real_error();
    library.error = text ? text : "the library cannot be loaded";
  } else if (!library.program) {
    notes().remark("loaded-early", "The program loads " + library.name +
                                       " in an execution. It was loaded before the first choice instead: its "
                                       "constructors ran once, there, and closing it does nothing.");
  }
}

void Loader::save(ByteWriter& out) const {
  out.put(static_cast<std::uint32_t>(libraries_.size()));
  for (const Library& library : libraries_) {
    out.put_string(library.name);
    out.put(library.program);
    out.put(library.mode);
    put_code(out, library.caller);
  }
}

void Loader::load_again(ByteReader& in, const std::function<void()>& load_library) {
  for (std::uint32_t left = in.get_count(); left > 0 && in.ok(); --left) {
    Library library{};
    library.name = in.get_string();
    library.program = in.get<bool>();
    library.mode = in.get<int>();
    library.caller = get_code(in);
    const bool known = std::any_of(libraries_.begin(), libraries_.end(), [&](const Library& other) {
      return other.name == library.name && other.program == library.program && other.mode == library.mode &&
             other.caller == library.caller;
    });
    if (known || !in.ok()) continue;
    libraries_.push_back(std::move(library));
    load_library();
  }
}

const char* Loader::take_error() {
  const char* text = error_;
  error_ = nullptr;
  return text;
}

namespace {

void* g_handle = nullptr;

void* give_handle(const char*, int) { return g_handle; }

}  // namespace

// dlopen looks at its caller. So our dlopen (switch.S) jumps to the address that this returns.
extern "C" __attribute__((visibility("hidden"))) void* thrum_dlopen_target(const char* name, int mode,
                                                                           std::uint64_t caller) {
  static void* const real = next_function("dlopen");
  if (!searching() || !world.running) return real;
  g_handle = loader().open(name, mode, caller);
  return reinterpret_cast<void*>(&give_handle);
}

}  // namespace thrum

using namespace thrum;

THRUM_EXPORT int dlclose(void* handle) {
  if (searching() && world.running) return 0;
  THRUM_REAL(dlclose);
  return real(handle);
}

THRUM_EXPORT char* dlerror() {
  if (searching() && world.running) {
    if (const char* text = loader().take_error()) return const_cast<char*>(text);
  }
  THRUM_REAL(dlerror);
  return real();
}

THRUM_EXPORT void* dlmopen(Lmid_t space, const char* name, int mode) {
  if (searching() && world.running) lose_control_by_call("dlmopen");
  THRUM_REAL(dlmopen);
  return real(space, name, mode);
}
