// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/drive/inputs.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "runtime/base/compared_constants.hpp"
#include "runtime/base/engine.hpp"
#include "runtime/base/notes.hpp"
#include "runtime/base/world.hpp"
#include "runtime/threads/random_numbers.hpp"
#include "runtime/threads/scheduler.hpp"
#include "support/random.hpp"

namespace thrum {

namespace {

std::uint64_t ones(InputType type) { return ~std::uint64_t{0} >> (64 - 8 * type.bytes); }

bool holds(InputType type, std::int64_t value) {
  const std::uint64_t bits = static_cast<std::uint64_t>(value) & ones(type);
  if (!type.is_signed) return value >= 0 && bits == static_cast<std::uint64_t>(value);
  const unsigned unused = 64 - 8 * type.bytes;
  return static_cast<std::int64_t>(bits << unused) >> unused == value;
}

// Values with which any program may fail.
std::span<const std::uint64_t> usual_values(InputType type, std::uint64_t (&values)[5]) {
  std::size_t count = 0;
  values[count++] = 0;
  values[count++] = 1;
  values[count++] = ones(type);  // -1, or the largest value
  if (type.is_signed) {
    values[count++] = ones(type) >> 1;
    values[count++] = (ones(type) >> 1) + 1;
  }
  return {values, count};
}

// Sizes and counts are small numbers.
std::uint64_t some_value(InputType type, std::uint64_t random) {
  constexpr std::uint64_t kSmall = 256;
  Random numbers(random);
  const bool is_small = numbers.below(2) == 0;
  return is_small ? numbers.below(kSmall) & ones(type) : numbers.next() & ones(type);
}

// The input that the plan fixes for the draw; nullptr: none.
const InputValue* given_input(ThreadId thread, std::uint32_t number) {
  const std::vector<InputValue>& inputs = engine.plan->inputs;
  const auto given = std::find_if(inputs.begin(), inputs.end(), [&](const InputValue& input) {
    return input.thread == thread && input.number == number;
  });
  return given != inputs.end() ? &*given : nullptr;
}

std::uint64_t value_of(const InputValue& input) {
  std::uint64_t value = 0;
  std::memcpy(&value, input.bytes.data(), std::min(input.bytes.size(), sizeof value));
  return value;
}

constinit std::uint16_t g_vector = 0;  // of the running execution

}  // namespace

std::uint64_t input_value(std::uint16_t vector, std::uint32_t draw, InputType type, std::uint64_t random,
                          std::span<const std::int64_t> constants) {
  std::uint64_t usual_buffer[5];
  const std::span<const std::uint64_t> usual = usual_values(type, usual_buffer);
  if (vector < usual.size()) return usual[vector];
  Random numbers(random + vector);
  // The first draw uses the constants in turn; the others mix all values.
  std::size_t number = vector - usual.size();
  if (draw > 0) {
    const std::size_t kinds = usual.size() + constants.size() + kInputVectors / 8;
    number = static_cast<std::size_t>(numbers.below(kinds));
    if (number < usual.size()) return usual[number];
    number -= usual.size();
  }
  if (number < constants.size() && holds(type, constants[number]))
    return static_cast<std::uint64_t>(constants[number]) & ones(type);
  return some_value(type, numbers.next());
}

std::uint64_t next_input(InputType type) {
  world.wrote = true;  // a loop that draws inputs is no spin
  Random numbers = draw_random();
  const std::uint64_t random = numbers.next();
  const std::uint32_t draw = scheduler().current().random_draws - 1;
  if (const InputValue* given = given_input(scheduler().current().id, draw))
    return value_of(*given) & ones(type);
  if (draw >= kInputsVaried) return random & ones(type);
  return input_value(g_vector, draw, type, random, compared_constants());
}

void choose_inputs() {
  scheduler().arrive(Operation::choose, 0, 0, notes().first_draw());
  g_vector = scheduler().choose_value(kInputVectors);
  notes().try_inputs(g_vector);
  scheduler().done(Scheduler::Effect::none, g_vector);
}

}  // namespace thrum
