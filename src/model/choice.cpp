// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/choice.hpp"

namespace thrum {

namespace {

bool stays(const ChoicePoint& point) { return point.running_enabled && !point.yielded; }

std::uint16_t option_of_running(const ChoicePoint& point, std::span<const Option> options) {
  std::uint16_t i = 0;
  while (i < point.enabled && options[i].value != point.key.thread) ++i;
  return i;
}

}  // namespace

std::uint16_t default_option(const ChoicePoint& point, std::span<const Option> options, Base base) {
  if (point.key.kind != ChoiceKind::thread || point.enabled == 0) return 0;
  if (stays(point)) return option_of_running(point, options);
  return point.yielded || base == Base::round_robin ? point.round : std::uint16_t{0};
}

std::uint16_t option_cost(const ChoicePoint& point, std::span<const Option> options, std::uint16_t option,
                          Base base) {
  if (point.key.kind != ChoiceKind::thread) return 0;
  if (point.enabled == 0) return options[option].via == Via::spurious ? 1 : 0;
  if (base == Base::round_robin) {
    if (option >= point.enabled) return option;  // behind all enabled threads
    std::uint16_t first = default_option(point, options, base);
    return static_cast<std::uint16_t>((option + point.enabled - first) % point.enabled);
  }
  bool spurious = options[option].via == Via::spurious;
  int cost = option >= point.enabled || spurious ? 1 : 0;
  bool leaves = options[option].value != point.key.thread && options[option].via != Via::expiry;
  if (stays(point) && leaves) ++cost;
  return static_cast<std::uint16_t>(cost);
}

}  // namespace thrum
