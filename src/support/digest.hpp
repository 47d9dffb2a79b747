// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A digest of 64 bits, fast and without secrets: to see whether memory, or a file, has changed.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace thrum {

class Digest {
 public:
  void add(const char* bytes, std::size_t size) {
    const std::size_t whole = size / sizeof(std::uint64_t) * sizeof(std::uint64_t);
    add_words(bytes, whole);
    std::uint64_t rest = 0;
    std::memcpy(&rest, bytes + whole, size - whole);
    add_word(rest);
  }

  // REQUIRES: size is a multiple of 8.
  void add_words(const char* bytes, std::size_t size) {
    for (const char* end = bytes + size; bytes != end; bytes += sizeof(std::uint64_t)) {
      std::uint64_t word;
      std::memcpy(&word, bytes, sizeof word);
      add_word(word);
    }
  }

  // Never 0.
  std::uint64_t value() const { return state_ | 1; }

  // What it has come to so far, to go on with elsewhere.
  std::uint64_t state() const { return state_; }
  void set_state(std::uint64_t state) { state_ = state; }

 private:
  void add_word(std::uint64_t word) {
    constexpr std::uint64_t kOdd = 0x9e37'79b9'7f4a'7c15;
    state_ = std::rotl((state_ ^ word) * kOdd, 29);
  }
  std::uint64_t state_ = 0x243f'6a88'85a3'08d3;
};

// The digest of bytes that come in portions: the same however they are divided.
class StreamDigest {
 public:
  void add(std::string_view bytes) {
    size_ += bytes.size();
    if (!rest_.empty()) {
      const std::size_t missing = std::min(sizeof(std::uint64_t) - rest_.size(), bytes.size());
      rest_.append(bytes.substr(0, missing));
      bytes.remove_prefix(missing);
      if (rest_.size() < sizeof(std::uint64_t)) return;
      digest_.add_words(rest_.data(), rest_.size());
      rest_.clear();
    }
    const std::size_t whole = bytes.size() / sizeof(std::uint64_t) * sizeof(std::uint64_t);
    digest_.add_words(bytes.data(), whole);
    rest_ = bytes.substr(whole);
  }

  std::uint64_t value() const {
    Digest digest = digest_;
    digest.add(rest_.data(), rest_.size());
    digest.add(reinterpret_cast<const char*>(&size_), sizeof size_);
    return digest.state();
  }

 private:
  Digest digest_;
  std::uint64_t size_ = 0;
  std::string rest_;  // less than a word
};

}  // namespace thrum
