// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/conversation.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <ctime>

namespace thrum {

namespace {

// A message goes in pieces, each with a byte before it that says whether it is the first one, and whether
// more follow. For each of these the turn goes to the other side and comes back.
constexpr std::size_t kPiece = Channel::kMessageMax - 1;
constexpr char kBegins = 1;
constexpr char kMore = 2;

}  // namespace

long futex_of_libc(void* word, int operation, std::uint32_t value, const timespec* timeout) {
  return syscall(SYS_futex, word, operation, value, timeout);
}

bool Conversation::await_turn() {
  while (true) {
    Turn turn = channel_.turn.load(std::memory_order_acquire);
    // The worker begins.
    if (turn == own_ || (turn == Turn::nobody && own_ == Turn::worker)) return true;
    if (is_over_() && give_up(turn)) return false;
    // Looks at intervals whether the other side is gone.
    constexpr timespec kNowAndThen{0, 50'000'000};
    futex_(&channel_.turn, FUTEX_WAIT, static_cast<std::uint32_t>(turn), &kNowAndThen);
  }
}

// A worker reports at the place of the messages: so the leader must write no more there.
bool Conversation::give_up(Turn turn) {
  if (own_ == Turn::leader) return true;
  return turn == Turn::leader &&
         channel_.turn.compare_exchange_strong(turn, Turn::nobody, std::memory_order_acq_rel);
}

// Whether this side may write. The worker, or its copy, may have begun with another message.
bool Conversation::begin_to_write() {
  if (own_ == Turn::worker) return true;
  Turn turn = Turn::leader;
  if (!channel_.turn.compare_exchange_strong(turn, Turn::answering, std::memory_order_acq_rel)) return false;
  if (channel_.report_size.load(std::memory_order_acquire) == 0) return true;
  channel_.turn.store(Turn::leader, std::memory_order_release);
  return false;
}

void Conversation::pass_turn() {
  channel_.turn.store(own_ == Turn::leader ? Turn::worker : Turn::leader, std::memory_order_release);
  futex_(&channel_.turn, FUTEX_WAKE, 1, nullptr);
}

bool Conversation::send(std::string_view message) {
  for (char begins = kBegins; begin_to_write(); begins = 0) {
    const std::string_view piece = message.substr(0, kPiece);
    message.remove_prefix(piece.size());
    channel_.report[0] = static_cast<char>(begins | (message.empty() ? 0 : kMore));
    std::memcpy(channel_.report + 1, piece.data(), piece.size());
    channel_.report_size.store(1 + piece.size(), std::memory_order_release);
    pass_turn();
    if (message.empty()) return true;
    if (!await_turn()) return false;
  }
  return false;
}

// The worker may have destroyed the bytes.
std::optional<std::string> Conversation::receive() {
  std::string bytes;
  while (await_turn()) {
    const std::uint64_t size = channel_.report_size.exchange(0, std::memory_order_acq_rel);
    if (size == 0 || size > 1 + kPiece) return bytes;
    if ((channel_.report[0] & kBegins) != 0) bytes.clear();
    bytes.append(channel_.report + 1, size - 1);
    if ((channel_.report[0] & kMore) == 0) return bytes;
    pass_turn();
  }
  return std::nullopt;
}

}  // namespace thrum
