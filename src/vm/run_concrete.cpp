// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/run.hpp"

namespace thrum::vm {

Stop run_concrete(Machine* machine, Thread* thread, std::uint32_t* handlers) {
  return run_loop<false, false>(machine, thread, handlers);
}

void bind_handlers(Function& function, Loop loop) {
  std::uint32_t handlers[static_cast<std::size_t>(Opcode::count)];
  loop(nullptr, nullptr, handlers);
  for (std::size_t i = 0; i < function.code.size(); ++i)
    function.code[i].handler = handlers[static_cast<std::size_t>(function.opcodes[i])];
}

}  // namespace thrum::vm
