// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle/race_trace.hpp"

#include <sstream>

namespace thrum {

std::string print(const RaceTrace& trace) {
  constexpr const char* kNames[] = {"read",
                                    "write",
                                    "load",
                                    "store",
                                    "read-modify-write",
                                    "read-modify-nothing",
                                    "fence",
                                    "acquire",
                                    "release",
                                    "release more",
                                    "create",
                                    "join"};
  std::ostringstream out;
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const RaceStep& step = trace[i];
    out << i << ": t" << step.thread << ' ' << kNames[static_cast<std::size_t>(step.what)];
    bool names_thread = step.what >= RaceStep::What::create;
    if (names_thread) out << " t" << step.address;
    if (!names_thread && step.what != RaceStep::What::fence)
      out << " 0x" << std::hex << step.address << std::dec;
    if (step.is_access()) out << '+' << step.size;
    bool has_order = step.what >= RaceStep::What::load && step.what <= RaceStep::What::fence;
    if (has_order) out << ' ' << order_name(step.order);
    out << '\n';
  }
  return out.str();
}

}  // namespace thrum
