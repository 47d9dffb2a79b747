// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm_worker/world.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "support/check.hpp"

namespace thrum {

namespace {

int channel_descriptor() {
  const char* text = std::getenv(kChannelVariable);
  int descriptor = -1;
  if (text != nullptr) std::from_chars(text, text + std::strlen(text), descriptor);
  return descriptor;
}

char* map_shared(int descriptor) {
  void* got = mmap(nullptr, kSharedSize, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor, 0);
  return got == MAP_FAILED ? nullptr : static_cast<char*>(got);
}

}  // namespace

std::optional<VmWorld> VmWorld::enter(ThreadNames& names) {
  const int descriptor = channel_descriptor();
  char* const shared = descriptor < 0 ? nullptr : map_shared(descriptor);
  if (shared == nullptr) return std::nullopt;
  VmWorld world;
  world.board_ = reinterpret_cast<Board*>(shared);
  if (world.board_->magic != Board::kMagic) return std::nullopt;
  close(descriptor);
  world.supervisor_ = getppid();
  world.enter_channel(0);
  world.ledger_ = reinterpret_cast<Ledger*>(shared + kLedgerOffset);
  ByteReader in({world.board_->job, world.board_->job_size});
  std::optional<Job> job = read_job(in, names);
  THRUM_CHECK(job.has_value());
  world.job_ = std::move(*job);
  THRUM_CHECK(names.share(world.board_->threads));
  return world;
}

}  // namespace thrum
