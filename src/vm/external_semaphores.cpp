// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Semaphores that have names. None is shared with another process: the program begins without any.
#include <fcntl.h>
#include <semaphore.h>

#include <climits>
#include <cstring>

#include "objects/objects.hpp"
#include "vm/library.hpp"

namespace thrum::vm {

namespace {

struct Named {
  static constexpr std::size_t kNameMax = 256;  // the final 0 included
  std::uint64_t semaphore;                      // 0: the entry is free
  std::uint32_t opened;
  bool is_unlinked;
  char name[kNameMax];
};
constexpr std::uint64_t kNamedMax = 1024;

std::span<Named> all_named() { return {&at<Named>(state_place(LibraryState::semaphores)), kNamedMax}; }

}  // namespace

void Machine::add_held_semaphores(std::vector<std::uint64_t>& addresses) {
  for (const Named& one : all_named()) {
    if (one.semaphore != 0) addresses.push_back(one.semaphore);
  }
}

namespace {

Named* find_named(std::string_view name) {
  for (Named& one : all_named()) {
    if (one.semaphore != 0 && !one.is_unlinked && name == one.name) return &one;
  }
  return nullptr;
}

Named& change(Call& call, Named& named) {
  call.machine.memory.note(reinterpret_cast<std::uint64_t>(&named), sizeof named);
  return named;
}

// sem_open fails.
Next fail_to_open(Call& call, int error) {
  set_errno(call, error);
  return call.result(0);
}

Next create_named(Call& call, std::string_view name, std::uint32_t count) {
  if (count > SEM_VALUE_MAX) return fail_to_open(call, EINVAL);
  Named* entry = nullptr;
  for (Named& one : all_named()) {
    if (one.semaphore == 0) {
      entry = &one;
      break;
    }
  }
  const std::uint64_t semaphore = entry == nullptr ? 0 : allocate_for(call, sizeof(sem_t));
  if (semaphore == 0) return fail_to_open(call, entry == nullptr ? EMFILE : ENOMEM);
  sem_t fresh{};
  std::memcpy(&fresh, &count, sizeof count);
  call.machine.write(semaphore, &fresh, sizeof fresh);
  change(call, *entry) = {semaphore, 1, false, {}};
  name.copy(entry->name, Named::kNameMax - 1);
  return call.result(semaphore);
}

}  // namespace

Next do_sem_open(Call& call) {
  const auto name = read_text<char>(call, call.argument(0));
  if (!name) return Next::over;
  if (name->size() < 2 || name->front() != '/' || name->find('/', 1) != name->npos)
    return fail_to_open(call, EINVAL);
  if (name->size() >= Named::kNameMax) return fail_to_open(call, ENAMETOOLONG);
  const int flags = call.int_argument(1);
  if (Named* const known = find_named(*name)) {
    if ((flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL)) return fail_to_open(call, EEXIST);
    ++change(call, *known).opened;
    return call.result(known->semaphore);
  }
  if ((flags & O_CREAT) == 0) return fail_to_open(call, ENOENT);
  return create_named(call, *name, static_cast<std::uint32_t>(call.argument(3)));
}

Next do_sem_close(Call& call) {
  for (Named& one : all_named()) {
    if (call.argument(0) == 0 || one.semaphore != call.argument(0) || one.opened == 0) continue;
    --change(call, one).opened;
    if (one.opened == 0 && one.is_unlinked) {
      call.machine.heap.release(call.thread.slot, one.semaphore);
      one.semaphore = 0;
    }
    return call.result_int(0);
  }
  return fail_with(call, EINVAL);
}

Next do_sem_unlink(Call& call) {
  const auto name = read_text<char>(call, call.argument(0));
  if (!name) return Next::over;
  Named* const known = find_named(*name);
  if (known == nullptr) return fail_with(call, ENOENT);
  change(call, *known).is_unlinked = true;
  return call.result_int(0);
}

}  // namespace thrum::vm
