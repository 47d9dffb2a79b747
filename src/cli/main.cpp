// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/commands.hpp"

int main(int argc, char** argv) { return thrum::thrum_main({argv, argv + argc}); }
