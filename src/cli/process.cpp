// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/process.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <map>

#include "supervisor/signals.hpp"

namespace thrum {

namespace {

constexpr int kExitCannotRun = 127;

constexpr std::array kRelayed = {SIGINT, SIGTERM, SIGHUP};
std::atomic<pid_t> g_child = 0;  // that run() waits for
std::atomic<int> g_signal = 0;   // the first that a SignalRelay has kept

void relay_signal(int number) {
  int none = 0;
  g_signal.compare_exchange_strong(none, number);
  if (g_child > 0) kill(g_child, number);
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

void become(const Command& command) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
}

int run(const Command& command) {
  if (const int number = g_signal; number != 0) return 128 + number;
  // A signal in between must reach the program, and not the copy of this process that becomes it.
  sigset_t relayed, before;
  sigemptyset(&relayed);
  for (int number : kRelayed) sigaddset(&relayed, number);
  sigprocmask(SIG_BLOCK, &relayed, &before);
  pid_t child = fork();
  if (child == 0) {
    for (int number : kRelayed) {
      struct sigaction action {};
      sigaction(number, nullptr, &action);
      if (action.sa_handler == relay_signal) std::signal(number, SIG_DFL);
    }
    sigprocmask(SIG_SETMASK, &before, nullptr);
    become(command);
    _exit(kExitCannotRun);
  }
  g_child = child;
  sigprocmask(SIG_SETMASK, &before, nullptr);
  const int code = child < 0 ? kExitCannotRun : wait_for(child);
  g_child = 0;
  return code;
}

SignalRelay::SignalRelay() {
  g_signal = 0;
  struct sigaction action {};
  action.sa_handler = relay_signal;
  for (std::size_t i = 0; i < kRelayed.size(); ++i) {
    sigaction(kRelayed[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) sigaction(kRelayed[i], &action, nullptr);
  }
}

SignalRelay::~SignalRelay() {
  for (std::size_t i = 0; i < kRelayed.size(); ++i) sigaction(kRelayed[i], &before_[i], nullptr);
  g_signal = 0;
}

int SignalRelay::signal() { return g_signal; }

std::optional<std::string> output_of(const Command& command) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return std::nullopt;
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    become(command);
    _exit(kExitCannotRun);
  }
  close(ends[1]);
  std::string text;
  std::array<char, 4096> buffer{};
  ssize_t size = 0;
  while ((size = read(ends[0], buffer.data(), buffer.size())) > 0 || (size < 0 && errno == EINTR)) {
    if (size > 0) text.append(buffer.data(), static_cast<std::size_t>(size));
  }
  close(ends[0]);
  if (child < 0 || wait_for(child) == kExitCannotRun) return std::nullopt;
  return text;
}

namespace {

pid_t start(const Task& task) {
  pid_t child = fork();
  if (child != 0) return child;
  int output = open(task.output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  bool ready = output >= 0 && dup2(output, STDOUT_FILENO) >= 0 && dup2(output, STDERR_FILENO) >= 0 &&
               chdir(task.folder.c_str()) == 0;
  if (ready) become(task.command);
  _exit(kExitCannotRun);
}

bool succeeded(int status) { return WIFEXITED(status) && WEXITSTATUS(status) == 0; }

}  // namespace

std::optional<std::size_t> run_all(const std::vector<Task>& tasks, std::size_t jobs) {
  std::map<pid_t, std::size_t> running;
  std::optional<std::size_t> failed;
  for (std::size_t next = 0; next < tasks.size() || !running.empty();) {
    if (!failed && interrupt_count() != 0) failed = tasks.size();
    if (failed) {
      for (const auto& [child, task] : running) kill(child, SIGTERM);
      next = tasks.size();
    }
    if (next < tasks.size() && running.size() < jobs) {
      const pid_t child = start(tasks[next]);
      if (child < 0) {
        failed = next;
      } else {
        running.emplace(child, next++);
      }
      continue;
    }
    int status = 0;
    const pid_t ended = wait(&status);
    const auto found = running.find(ended);
    if (found == running.end()) continue;  // interrupted by a signal
    if (!failed && !succeeded(status)) failed = interrupt_count() != 0 ? tasks.size() : found->second;
    running.erase(found);
  }
  return failed;
}

std::vector<std::string> split_words(const std::string& text, Quoting quoting) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    bool quotes = quote != '\'' || quoting == Quoting::response_file;
    bool escapes = c == '\\' && quotes && i + 1 < text.size();
    if (!escapes && quote == '\0' && std::isspace(static_cast<unsigned char>(c))) {
      if (in_word) words.push_back(std::move(word));
      word.clear();
      in_word = false;
      continue;
    }
    in_word = true;
    if (escapes) {
      word += text[++i];
    } else if (c == quote) {
      quote = '\0';
    } else if (quote == '\0' && (c == '"' || c == '\'')) {
      quote = c;
    } else {
      word += c;
    }
  }
  if (in_word) words.push_back(std::move(word));
  return words;
}

}  // namespace thrum
