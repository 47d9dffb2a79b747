// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/drive/parts.hpp"

#include <cstdint>
#include <vector>

#include "runtime/base/forever.hpp"

namespace thrum {

namespace {

struct ThreadsAtSnapshot {
  Thread main;
  std::uint64_t clock_ns = 0;
};
constinit Forever<ThreadsAtSnapshot> g_at_snapshot;

}  // namespace

void save_threads() {
  thread_pool().save_main();
  g_at_snapshot.value.main = scheduler().thread_in_slot(0);
  g_at_snapshot.value.clock_ns = scheduler().now_ns();
}

void restore_threads(bool midway) {
  const ThreadsAtSnapshot& saved = g_at_snapshot.value;
  if (!midway) {
    thread_pool().restore_main();
    scheduler().thread_in_slot(0).become(saved.main);
  }
  scheduler().clear_main_stack(static_cast<char*>(saved.main.context.stack_pointer));
  scheduler().reset();
  scheduler().set_clock(saved.clock_ns);
}

void write_loops(ByteWriter& out) {
  out.put(round_detector().waiting());
  for (const NumberSet* calls : {&scheduler().spins().no_spins(), &scheduler().awaits().watched()}) {
    std::vector<std::uint64_t> codes;
    calls->for_each([&](std::uint64_t code) { codes.push_back(code); });
    out.put(static_cast<std::uint32_t>(codes.size()));
    for (std::uint64_t code : codes) put_code(out, code);
  }
  scheduler().awaits().own_accesses().write(out);
}

void read_loops(ByteReader& in) {
  const auto waiting = in.get<Waiting>();
  if (waiting > Waiting::changed) return in.fail();
  if (waiting != Waiting::spins) round_detector().use(waiting);
  for (std::uint32_t left = in.get_count(); left > 0 && in.ok(); --left) {
    const std::uint64_t code = get_code(in);
    if (code == 0) continue;
    scheduler().spins().never(code);
    scheduler().awaits().never(code);
  }
  for (std::uint32_t left = in.get_count(); left > 0 && in.ok(); --left) {
    if (const std::uint64_t code = get_code(in); code != 0) scheduler().awaits().watch(code);
  }
  StackAccesses& own = scheduler().awaits().own_accesses();
  own.read(in);
  if (!own.empty()) race_judge().tell_accesses();
}

}  // namespace thrum
