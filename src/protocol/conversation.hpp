// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages between a worker and a thread of its supervisor, the leader. The two take turns in the worker's
// channel. The side that has the turn writes a message at the place of the report, and passes the turn on;
// the other side waits on the turn as on a futex. Messages of any size go in pieces. A message and its answer
// cost two switches of processes. A worker that does not want to wait for an answer any longer may begin with
// another message; what the leader then says to the first one is not sent.
//
// Thread safety: none.
#pragma once

#include <cstdint>
#include <ctime>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "protocol/channel.hpp"

namespace thrum {

// The system call. In a worker libc's syscall() is the program's, whose waits the runtime decides.
using Futex = long (*)(void* word, int operation, std::uint32_t value, const timespec* timeout);

// By libc.
long futex_of_libc(void* word, int operation, std::uint32_t value, const timespec* timeout);

class Conversation {
 public:
  using Turn = Channel::Turn;

  // own: the turn at which this side acts. is_over: whether the other side has ended, or should not be waited
  // for any longer. channel must outlive this object.
  Conversation(Channel& channel, Turn own, Futex futex, std::function<bool()> is_over)
      : channel_(channel), own_(own), futex_(futex), is_over_(std::move(is_over)) {}

  // Waits for the other side's message. Nothing: it is gone.
  std::optional<std::string> receive();
  // Passes a message, and the turn. REQUIRES: it is this side's turn. False: the other side is gone, or wants
  // something else by now.
  bool send(std::string_view message);
  // Waits until it is this side's turn, whatever has been said; false: the other side is gone.
  bool await_turn();
  void pass_turn();

 private:
  bool give_up(Turn turn);
  bool begin_to_write();

  Channel& channel_;
  Turn own_;
  Futex futex_;
  std::function<bool()> is_over_;
};

}  // namespace thrum
