// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/pager.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace thrum {

namespace {

constexpr int kNotFound = 127;  // exit code of a shell

// False if there is no such pager; nothing was shown then.
bool page(const std::string& pager, const std::string& text) {
  std::fflush(stdout);
  setenv("LESS", "FRX", 0);
  // The user may leave the pager before the end of the text.
  auto* before = std::signal(SIGPIPE, SIG_IGN);
  std::FILE* pipe = popen((pager + " 2>/dev/null").c_str(), "w");
  if (pipe != nullptr) std::fwrite(text.data(), 1, text.size(), pipe);
  int status = pipe != nullptr ? pclose(pipe) : -1;
  std::signal(SIGPIPE, before);
  return pipe != nullptr && !(WIFEXITED(status) && WEXITSTATUS(status) == kNotFound);
}

}  // namespace

void show_paged(const std::string& text) {
  const char* chosen = std::getenv("PAGER");
  std::string pager = chosen ? chosen : "less";
  bool wanted = isatty(STDOUT_FILENO) != 0 && !pager.empty() && pager != "cat";
  if (wanted && page(pager, text)) return;
  fmt::print("{}", text);
}

}  // namespace thrum
