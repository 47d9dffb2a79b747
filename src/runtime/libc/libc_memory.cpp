// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/libc/libc_memory.hpp"

namespace thrum {

void LibcCall::reads_parts(const iovec* parts, std::int64_t count) const {
  for (std::int64_t i = 0; i < count; ++i) reads(parts[i].iov_base, parts[i].iov_len);
}

void LibcCall::writes_parts(const iovec* parts, std::int64_t count, std::int64_t bytes) const {
  std::size_t left = positive(bytes);
  for (std::int64_t i = 0; i < count && left != 0; ++i) {
    std::size_t here = std::min(left, parts[i].iov_len);
    writes(parts[i].iov_base, here);
    left -= here;
  }
}

void LibcCall::reads_message(const msghdr* message) const {
  reads(message);
  reads(message->msg_name, message->msg_namelen);
  reads(message->msg_control, message->msg_controllen);
  reads(message->msg_iov, message->msg_iovlen);
  reads_parts(message->msg_iov, static_cast<std::int64_t>(message->msg_iovlen));
}

void LibcCall::writes_message(const msghdr& asked, const msghdr* message, std::int64_t bytes) const {
  if (bytes < 0) return;
  writes(message);
  writes(asked.msg_name, fitting(asked.msg_namelen, message->msg_namelen));
  writes(asked.msg_control, fitting(asked.msg_controllen, message->msg_controllen));
  writes_parts(asked.msg_iov, static_cast<std::int64_t>(asked.msg_iovlen), bytes);
}

}  // namespace thrum
