// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// __VERIFIER_nondet_int and the like (inputs.hpp).
#include <algorithm>
#include <cstring>

#include "support/random.hpp"
#include "vm/externals.hpp"

namespace thrum::vm {

namespace {

enum Stage : std::uint8_t { kNotChosen, kStandsBefore, kChosen };  // Course::input_stage

// The value that the plan fixes for that draw.
const InputValue* given_value(const Plan& plan, ThreadId thread, std::uint32_t draw) {
  const auto given = std::find_if(plan.inputs.begin(), plan.inputs.end(), [&](const InputValue& one) {
    return one.thread == thread && one.number == draw;
  });
  return given == plan.inputs.end() ? nullptr : &*given;
}

std::uint64_t draw_value(Call& call, InputType type) {
  Machine& machine = call.machine;
  Thread& me = machine.change(call.thread);
  machine.note_change(me);  // a loop that draws inputs does not wait
  constexpr std::uint64_t kOddConstant = 0x9e37'79b9'7f4a'7c15;
  const std::uint32_t draw = me.random_draws++;
  Random numbers(machine.settings.seed + (std::uint64_t{me.slot} << 32 | me.random_draws) * kOddConstant);
  if (const InputValue* const given = given_value(*machine.running_plan, me.id, draw)) {
    std::uint64_t value = 0;
    std::memcpy(&value, given->bytes.data(), std::min(given->bytes.size(), sizeof value));
    return type.bytes == 8 ? value : value & ((std::uint64_t{1} << 8 * type.bytes) - 1);
  }
  return input_value(Machine::course().input_vector, draw, type, numbers.next(),
                     machine.code.compared_constants);
}

template <typename T>
Next draw_input(Call& call) {
  Machine& machine = call.machine;
  if (!machine.inputs.are_drawn) {
    machine.inputs.are_drawn = true;
    if (machine.in_execution) {
      machine.restarts_search = true;
      machine.finish(End::uncontrolled);
      return Next::over;
    }
  }
  if (!machine.in_execution) return Next::begins;
  constexpr bool kIsSigned = std::is_integral_v<T> && std::is_signed_v<T>;
  return call.result(draw_value(call, {sizeof(T), kIsSigned}));
}

}  // namespace

// Main's first operation, where the program draws inputs. Nothing: main goes on.
std::optional<Stop> Machine::choose_inputs(Thread& me) {
  if (course().input_stage == kNotChosen) {
    change_course().input_stage = kStandsBefore;
    if (arrive(Operation::choose, 0, 0)) return Stop::arrived;
    if (over) return Stop::over;
  }
  const std::uint16_t vector = choose_value(kInputVectors);
  if (over) return Stop::over;
  change_course().input_stage = kChosen;
  course().input_vector = vector;
  inputs.vectors |= std::uint64_t{1} << vector;
  done(false, vector);
  if (over) return Stop::over;
  note_change(me);
  return std::nullopt;
}

bool Machine::has_chosen_inputs() { return course().input_stage == kChosen; }

Next do_nondet_short(Call& call) { return draw_input<short>(call); }
Next do_nondet_ushort(Call& call) { return draw_input<unsigned short>(call); }
Next do_nondet_int(Call& call) { return draw_input<int>(call); }
Next do_nondet_uint(Call& call) { return draw_input<unsigned>(call); }
Next do_nondet_long(Call& call) { return draw_input<long>(call); }
Next do_nondet_ulong(Call& call) { return draw_input<unsigned long>(call); }
Next do_nondet_float(Call& call) { return draw_input<float>(call); }
Next do_nondet_double(Call& call) { return draw_input<double>(call); }
Next do_nondet_signed_byte(Call& call) { return draw_input<std::int8_t>(call); }
Next do_nondet_byte(Call& call) { return draw_input<std::uint8_t>(call); }

}  // namespace thrum::vm
