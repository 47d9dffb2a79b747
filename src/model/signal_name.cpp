// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/signal_name.hpp"

namespace thrum {

std::string signal_name(int number) {
  constexpr const char* kNames[] = {"0",      "HUP",  "INT",    "QUIT", "ILL",   "TRAP", "ABRT", "BUS",
                                    "FPE",    "KILL", "USR1",   "SEGV", "USR2",  "PIPE", "ALRM", "TERM",
                                    "STKFLT", "CHLD", "CONT",   "STOP", "TSTP",  "TTIN", "TTOU", "URG",
                                    "XCPU",   "XFSZ", "VTALRM", "PROF", "WINCH", "IO",   "PWR",  "SYS"};
  constexpr int kNamed = sizeof kNames / sizeof *kNames;
  constexpr int kRealTimeMin = 34;  // glibc reserves two of the kernel's
  if (number > 0 && number < kNamed) return std::string("SIG") + kNames[number];
  if (number < kRealTimeMin) return "signal " + std::to_string(number);
  std::string name = "SIGRTMIN";
  if (number > kRealTimeMin) name += "+" + std::to_string(number - kRealTimeMin);
  return name;
}

}  // namespace thrum
