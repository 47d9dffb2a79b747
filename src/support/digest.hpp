// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Digests by XXH3, most of them of 64 bits, fast and without secrets: to see whether memory, or a file, has
// changed. A Digest is compared by programs of the same version only; a StreamDigest is XXH3 itself, and
// stands in files that later versions read. A bug's fingerprint is made otherwise (report/fingerprint.hpp).
// Tested by digest_test.cpp.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "support/hash.hpp"

namespace thrum {

// The digest of a sequence of parts: it depends on how bytes are divided among them. Small, and made for many
// short parts.
class Digest {
 public:
  void add(const char* bytes, std::size_t size) { state_ = mixed(state_, XXH3_64bits(bytes, size)); }

  // Never 0.
  std::uint64_t value() const { return state_ | 1; }

  // What it has come to so far, to go on with elsewhere.
  std::uint64_t state() const { return state_; }
  void set_state(std::uint64_t state) { state_ = state; }

 private:
  std::uint64_t state_ = 0x243f'6a88'85a3'08d3;
};

// Of 128 bits: where equal digests are taken for equal bytes. With n different sequences of bytes, the chance
// that two have one digest is about n * n / 2^129.
struct WideDigest {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  friend bool operator==(const WideDigest&, const WideDigest&) = default;
};

inline WideDigest wide_digest(std::string_view bytes) {
  const XXH128_hash_t digest = XXH3_128bits(bytes.data(), bytes.size());
  return {digest.low64, digest.high64};
}

// The digest of bytes that come in portions: the same however they are divided.
class StreamDigest {
 public:
  StreamDigest() { XXH3_64bits_reset(&state_); }

  void add(std::string_view bytes) { XXH3_64bits_update(&state_, bytes.data(), bytes.size()); }

  std::uint64_t value() const { return XXH3_64bits_digest(&state_); }

 private:
  XXH3_state_t state_;
};

}  // namespace thrum
