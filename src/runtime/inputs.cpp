// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/inputs.hpp"

#include <algorithm>
#include <vector>

#include "runtime/compared_constants.hpp"
#include "runtime/intercept.hpp"
#include "runtime/native_program.hpp"
#include "runtime/notes.hpp"
#include "runtime/scheduler.hpp"
#include "runtime/world.hpp"
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

// Those that any program may go wrong with.
std::span<const std::uint64_t> usual_values(InputType type, std::uint64_t (&values)[5]) {
  std::size_t count = 0;
  values[count++] = 0;
  values[count++] = 1;
  values[count++] = ones(type);  // -1, or the greatest
  if (type.is_signed) {
    values[count++] = ones(type) >> 1;
    values[count++] = (ones(type) >> 1) + 1;
  }
  return {values, count};
}

// Small numbers are what sizes and counts are.
std::uint64_t some_value(InputType type, std::uint64_t random) {
  constexpr std::uint64_t kSmall = 256;
  Random numbers(random);
  const bool is_small = numbers.below(2) == 0;
  return is_small ? numbers.below(kSmall) & ones(type) : numbers.next() & ones(type);
}

constinit std::uint16_t g_vector = 0;  // of the execution that runs

}  // namespace

std::uint64_t input_value(std::uint16_t vector, std::uint32_t draw, InputType type, std::uint64_t random,
                          std::span<const std::int64_t> constants) {
  std::uint64_t usual_buffer[5];
  const std::span<const std::uint64_t> usual = usual_values(type, usual_buffer);
  if (vector < usual.size()) return usual[vector];
  Random numbers(random + vector);
  // The first draw goes through the constants in turn, the others mix what there is.
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

std::uint64_t draw_input(InputType type, std::uint64_t code) {
  if (notes().draws_inputs(code) && world.running) restart_search();
  if (!world.running) begin_search();
  world.wrote = true;  // a loop that draws numbers is no spin
  Random numbers = draw_random();
  const std::uint64_t random = numbers.next();
  const std::uint32_t draw = scheduler().current().random_draws - 1;
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
