// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an execution begins with, as far as executions have shown it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace thrum {

// What memory holds before anything is written to it.
class InitialMemory {
 public:
  // Whether it was not known before.
  bool learn(std::uint64_t object, std::uint32_t size, std::uint64_t value) {
    return known_.try_emplace({object, size}, value).second;
  }

  std::size_t size() const { return known_.size(); }

  // What is read there; nothing: it is not known.
  std::optional<std::uint64_t> at(std::uint64_t object, std::uint32_t size) const {
    constexpr std::uint64_t kWidest = 8;
    for (auto known = known_.lower_bound({object >= kWidest ? object - kWidest : 0, 0});
         known != known_.end() && known->first.first <= object; ++known) {
      const auto& [begin, width] = known->first;
      if (begin == object && width == size) return known->second;
      if (begin + width < object + size) continue;
      const std::uint64_t bytes = known->second >> 8 * (object - begin);
      return size >= kWidest ? bytes : bytes & ((std::uint64_t{1} << 8 * size) - 1);
    }
    return {};
  }

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.known_);
  }

 private:
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint64_t> known_;  // by object and size
};

enum class OnceState : std::uint8_t { fresh, running, over };

struct InitialState {
  InitialMemory memory;
  // Of semaphores: how often they can be waited for. Of mutexes and read-write locks: whether they are free.
  std::map<std::uint64_t, std::uint64_t> tokens;
  std::map<std::uint64_t, OnceState> onces;
  std::map<std::uint64_t, std::uint64_t> barriers;  // for so many threads, or more if none was complete
  std::set<std::uint64_t> recursive;                // mutexes that can be locked again by who holds them

  // Goes up whenever more is known.
  std::size_t size() const {
    std::size_t size = memory.size() + tokens.size() + onces.size() + recursive.size();
    for (const auto& [barrier, threads] : barriers) size += threads;
    return size;
  }

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.memory, self.tokens, self.onces, self.barriers, self.recursive);
  }
};

}  // namespace thrum
