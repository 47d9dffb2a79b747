// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/page_copies.hpp"

#include <sys/mman.h>

#include <cstring>

#include "support/check.hpp"
#include "vm/address_space.hpp"

namespace thrum::vm {

namespace {

constexpr std::size_t kPagesMax = std::size_t{1} << 24;

PageCopies* g_copies = nullptr;

void protect(std::uint64_t begin, std::uint64_t size, int protection) {
  THRUM_CHECK(mprotect(reinterpret_cast<void*>(begin), size, protection) == 0);
}

// The shadow lies behind the arena.
static_assert(kShadowDistance == kArenaSize);

}  // namespace

PageCopies::PageCopies() {
  void* const got = mmap(nullptr, kPagesMax * sizeof(PageCopy), PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  THRUM_CHECK(got != MAP_FAILED);
  pages_ = static_cast<PageCopy*>(got);
}

PageCopies::~PageCopies() { munmap(pages_, kPagesMax * sizeof(PageCopy)); }

void PageCopies::begin() {
  THRUM_CHECK(g_copies == nullptr);
  g_copies = this;
  count_ = 0;
  struct sigaction action {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGSEGV, &action, &before_);
  protect(kArena, 2 * kArenaSize, PROT_READ);
}

void PageCopies::end() {
  protect(kArena, 2 * kArenaSize, PROT_READ | PROT_WRITE);
  sigaction(SIGSEGV, &before_, nullptr);
  g_copies = nullptr;
}

void PageCopies::handle(int signal, siginfo_t* info, void* /*context*/) {
  if (g_copies->copy(reinterpret_cast<std::uint64_t>(info->si_addr))) return;
  // A fault that is none of ours happens again, for whom it is.
  sigaction(signal, &g_copies->before_, nullptr);
}

bool PageCopies::copy(std::uint64_t address) {
  if (address - kArena >= 2 * kArenaSize || count_ == kPagesMax) return false;
  const std::uint64_t begin = address & ~std::uint64_t{kPageSize - 1};
  PageCopy& made = pages_[count_++];
  made.address = begin;
  std::memcpy(made.bytes, reinterpret_cast<const void*>(begin), kPageSize);
  return mprotect(reinterpret_cast<void*>(begin), kPageSize, PROT_READ | PROT_WRITE) == 0;
}

}  // namespace thrum::vm
