// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// -fsanitize=vptr: checks that an object has the class that the program expects.
//
// The program's std::type_info objects (Itanium C++ ABI 2.9.5) describe types. Their own classes are those of
// the program's C++ library, so they are recognised by name.
#include <dlfcn.h>
#include <sys/uio.h>
#include <cstring>

#include "runtime/base/world.hpp"
#include "runtime/intercept/ubsan_data.hpp"
#include "support/raw_syscall.hpp"

namespace {

constexpr std::size_t kCacheSize = 128;

}  // namespace

// Compiled code looks up its hash here, and calls ubsan_type_is_right() if it is not found.
extern "C" {
__attribute__((visibility("default"))) std::uintptr_t __ubsan_vptr_type_cache[kCacheSize];
}

namespace thrum {

namespace {

// The beginning of a std::type_info, and the additional fields of derived classes.
struct TypeInfo {
  const void* const* vtable;
  const char* name;
};
struct SingleBase : TypeInfo {
  const TypeInfo* base;
};
struct Base {
  const TypeInfo* type;
  long offset_and_flags;
};
struct SeveralBases : TypeInfo {
  unsigned flags;
  unsigned count;
  Base bases[1];
};

// The fields in front of the address in an object's vtable pointer.
struct VtablePrefix {
  std::ptrdiff_t offset;  // from here to the complete object
  const TypeInfo* type;
};

bool same_name(const char* a, const char* b) {
  // A name that begins with * belongs to a type that is local to its module.
  return a == b || (*a != '*' && std::strcmp(a, b) == 0);
}

// Reads memory that may not be mapped.
bool read_memory(std::uintptr_t address, void* to, std::size_t size) {
  iovec local{to, size};
  iovec remote{reinterpret_cast<void*>(address), size};
  long done = raw_syscall(SYS_process_vm_readv, raw_syscall(SYS_getpid), reinterpret_cast<long>(&local), 1,
                          reinterpret_cast<long>(&remote), 1, 0);
  return done == static_cast<long>(size);
}

// The name of the class of a type_info object; nullptr if it is none.
const char* class_of(const TypeInfo* type) {
  TypeInfo info{};
  const TypeInfo* its_type = nullptr;
  TypeInfo of_class{};
  bool readable =
      read_memory(reinterpret_cast<std::uintptr_t>(type), &info, sizeof info) &&
      read_memory(reinterpret_cast<std::uintptr_t>(info.vtable - 1), &its_type, sizeof its_type) &&
      read_memory(reinterpret_cast<std::uintptr_t>(its_type), &of_class, sizeof of_class);
  return readable ? of_class.name : nullptr;
}

bool is_derived(const TypeInfo* derived, const TypeInfo* base, std::ptrdiff_t offset) {
  if (same_name(derived->name, base->name)) return offset == 0;
  const char* kind = class_of(derived);
  if (!kind) return false;
  if (std::strcmp(kind, "N10__cxxabiv120__si_class_type_infoE") == 0)
    return is_derived(static_cast<const SingleBase*>(derived)->base, base, offset);
  if (std::strcmp(kind, "N10__cxxabiv121__vmi_class_type_infoE") != 0) return false;
  const auto* several = static_cast<const SeveralBases*>(derived);
  for (unsigned i = 0; i < several->count; ++i) {
    constexpr long kVirtual = 1;
    constexpr int kOffsetShift = 8;
    const Base& one = several->bases[i];
    // The place of a virtual base is known only from the vtable: assumed right, as in UBSan.
    if ((one.offset_and_flags & kVirtual) != 0) return true;
    if (is_derived(one.type, base, offset - (one.offset_and_flags >> kOffsetShift))) return true;
  }
  return false;
}

}  // namespace

bool ubsan_same_type(std::uintptr_t a, std::uintptr_t b) {
  return same_name(reinterpret_cast<const TypeInfo*>(a)->name, reinterpret_cast<const TypeInfo*>(b)->name);
}

bool ubsan_type_is_right(std::uintptr_t object, const void* type, std::uint64_t hash) {
  std::uintptr_t vtable = 0;
  VtablePrefix prefix{};
  if (!read_memory(object, &vtable, sizeof vtable) || vtable % sizeof vtable != 0) return false;
  if (!read_memory(vtable - sizeof prefix, &prefix, sizeof prefix) || !prefix.type) return false;
  constexpr std::ptrdiff_t kOffsetMax = 1 << 20;
  if (prefix.offset < -kOffsetMax || prefix.offset > kOffsetMax) return false;
  const char* kind = class_of(prefix.type);
  if (!kind || std::strncmp(kind, "N10__cxxabiv1", 13) != 0) return false;
  if (!is_derived(prefix.type, static_cast<const TypeInfo*>(type), -prefix.offset)) return false;
  // An executable may have its own copy of the table; then that copy is used.
  static auto* const cache = static_cast<std::uintptr_t*>(dlsym(RTLD_DEFAULT, "__ubsan_vptr_type_cache"));
  if (cache) __atomic_store_n(&cache[hash % kCacheSize], hash, __ATOMIC_RELAXED);
  return true;
}

}  // namespace thrum
