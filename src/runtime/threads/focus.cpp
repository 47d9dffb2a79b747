// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/threads/focus.hpp"

#include <algorithm>

#include "model/event.hpp"
#include "runtime/threads/stacks.hpp"

namespace thrum {

constinit Forever<Focus> the_focus;

namespace {

std::vector<CodeRange> in_process(const std::vector<OffsetRange>& ranges) {
  std::uint64_t executable = address_in_module({Place::Space::module, 0, 0, 0});
  std::vector<CodeRange> result;
  for (const OffsetRange& range : ranges)
    result.push_back({executable + range.begin, executable + range.end});
  return result;
}

}  // namespace

void Focus::begin(const std::vector<OffsetRange>& code, const std::vector<OffsetRange>& data) {
  code_ = in_process(code);
  data_ = in_process(data);
  on_ = !code_.empty() || !data_.empty();
}

std::uint8_t Focus::of_running_stack() const {
  constexpr std::size_t kDepthMax = 64;
  std::uint64_t stack[kDepthMax] = {};
  running_code(stack);
  bool inside = std::any_of(std::begin(stack), std::end(stack), [this](std::uint64_t code) {
    // A return address lies behind its call.
    return code != 0 && std::any_of(code_.begin(), code_.end(),
                                    [code](const CodeRange& range) { return range.holds(code - 1); });
  });
  return inside ? kFocusMethod : 0;
}

std::uint8_t Focus::of_object(std::uint64_t object, std::uint32_t size) const {
  std::uint64_t end = object + std::max(size, 1u);
  bool inside = std::any_of(data_.begin(), data_.end(),
                            [&](const CodeRange& range) { return object < range.end && range.begin < end; });
  return inside ? kFocusVariable : 0;
}

}  // namespace thrum
