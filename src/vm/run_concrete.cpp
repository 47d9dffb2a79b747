// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/run.hpp"

namespace thrum::vm {

Stop run(Machine* machine, Thread* thread, std::uint32_t* handlers) {
  return run_loop<false>(machine, thread, handlers);
}

void bind_handlers(Function& function) {
  static const std::vector<std::uint32_t> handlers = [] {
    std::vector<std::uint32_t> all(static_cast<std::size_t>(Opcode::count));
    run(nullptr, nullptr, all.data());
    return all;
  }();
  for (std::size_t i = 0; i < function.code.size(); ++i)
    function.code[i].handler = handlers[static_cast<std::size_t>(function.opcodes[i])];
}

}  // namespace thrum::vm
