// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random numbers, apart from rand() (external_process.cpp): those of the system are drawn from the seed,
// thread by thread; those of drand48() and its like are libc's own on a state that threads share, so a draw
// is a visible operation.
#include <bit>
#include <cstdlib>

#include "support/random.hpp"
#include "vm/library.hpp"

namespace thrum::vm {

namespace {

Random draw(const Call& call) {
  constexpr std::uint64_t kOddConstant = 0x9e37'79b9'7f4a'7c15;
  Thread& me = call.machine.change(call.thread);
  call.machine.note_change(me);  // a loop that draws numbers does not wait
  return Random(call.machine.settings.seed +
                (std::uint64_t{me.slot} << 32 | ++me.random_draws) * kOddConstant);
}

bool fill(Call& call, std::uint64_t to, std::uint64_t size) {
  if (!writes<char>(call, to, size)) return false;
  Random numbers = draw(call);
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(numbers.next());
  call.machine.write(to, bytes.data(), size);
  return true;
}

std::uint32_t four_bytes(const Call& call) {
  Random numbers = draw(call);
  std::uint32_t value = 0;
  for (unsigned i = 0; i < sizeof value; ++i)
    value |= static_cast<std::uint32_t>(numbers.next() & 0xff) << (8 * i);
  return value;
}

// The state that drand48 and its like share; all of it is 0 at first.
drand48_data& shared_state() { return at<drand48_data>(state_place(LibraryState::random)); }

// One operation on the shared state; it returns the call's result. is_told: the event has it, as a whole
// number.
template <typename Operate>
Next change_shared(Call& call, bool is_told, Operate operate) {
  Machine& machine = call.machine;
  if (const auto next = stand(call, 0, Operation::random_draw, kRandomObject)) return *next;
  drand48_data& state = shared_state();
  machine.memory.note(reinterpret_cast<std::uint64_t>(&state), sizeof state);
  const std::uint64_t value = operate(state);
  machine.done(true, is_told ? value : 0);
  if (machine.over) return Next::over;
  return call.site.results == 0 ? Next::done : call.result(value);
}

// On the caller's three words.
template <typename Operate>
Next change_own(Call& call, Operate operate) {
  using OwnState = unsigned short[3];
  const std::uint64_t place = call.argument(0);
  if (!reads<OwnState>(call, place) || !writes<OwnState>(call, place)) return Next::over;
  call.machine.memory.note(place, sizeof(OwnState));
  // Its constants are those of the shared state.
  drand48_data state = shared_state();
  return call.result(operate(at<OwnState>(place), state));
}

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

}  // namespace

Next do_random_device(Call& call) { return call.result(static_cast<std::uint32_t>(draw(call).next())); }
Next do_arc4random(Call& call) { return call.result(four_bytes(call)); }
Next do_arc4random_uniform(Call& call) {
  const auto bound = static_cast<std::uint32_t>(call.argument(0));
  return call.result(bound < 2 ? 0 : static_cast<std::uint32_t>(draw(call).below(bound)));
}
Next do_arc4random_buf(Call& call) {
  return fill(call, call.argument(0), call.argument(1)) ? Next::done : Next::over;
}
Next do_getentropy(Call& call) {
  constexpr std::uint64_t kMost = 256;
  if (call.argument(1) > kMost) return fail_with(call, EIO);
  return fill(call, call.argument(0), call.argument(1)) ? call.result_int(0) : Next::over;
}
Next do_getrandom(Call& call) {
  return fill(call, call.argument(0), call.argument(1)) ? call.result(call.argument(1)) : Next::over;
}

Next do_srand48(Call& call) {
  const auto seed = static_cast<long>(call.argument(0));
  return change_shared(call, false, [seed](drand48_data& state) {
    srand48_r(seed, &state);
    return 0U;
  });
}
Next do_drand48(Call& call) {
  return change_shared(call, false, [](drand48_data& state) {
    double value = 0;
    drand48_r(&state, &value);
    return bits(value);
  });
}
Next do_lrand48(Call& call) {
  return change_shared(call, true, [](drand48_data& state) {
    long value = 0;
    lrand48_r(&state, &value);
    return static_cast<std::uint64_t>(value);
  });
}
Next do_mrand48(Call& call) {
  return change_shared(call, true, [](drand48_data& state) {
    long value = 0;
    mrand48_r(&state, &value);
    return static_cast<std::uint64_t>(value);
  });
}
Next do_erand48(Call& call) {
  return change_own(call, [](unsigned short* words, drand48_data& state) {
    double value = 0;
    erand48_r(words, &state, &value);
    return bits(value);
  });
}
Next do_nrand48(Call& call) {
  return change_own(call, [](unsigned short* words, drand48_data& state) {
    long value = 0;
    nrand48_r(words, &state, &value);
    return static_cast<std::uint64_t>(value);
  });
}
Next do_jrand48(Call& call) {
  return change_own(call, [](unsigned short* words, drand48_data& state) {
    long value = 0;
    jrand48_r(words, &state, &value);
    return static_cast<std::uint64_t>(value);
  });
}

Next do_rand_r(Call& call) {
  const std::uint64_t place = call.argument(0);
  if (!reads<unsigned>(call, place)) return Next::over;
  unsigned seed = at<unsigned>(place);
  const int value = ::rand_r(&seed);
  return put_value(call, place, seed) ? call.result_int(value) : Next::over;
}

}  // namespace thrum::vm
