// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/progress_line.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "report/text_style.hpp"

namespace thrum {

namespace {

constexpr double kFirstInLog = 10;  // seconds; each further line comes after twice the time
constexpr double kFirstInLogAlways = 1;
constexpr double kSurelyNot = 1e10;  // seconds; nobody waits so long

// Whether a line on standard error can be overwritten.
bool is_terminal(int descriptor) {
  const char* terminal = std::getenv("TERM");
  return isatty(descriptor) != 0 && (terminal == nullptr || std::strcmp(terminal, "dumb") != 0);
}

int width_of(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 1) return size.ws_col;
  return style_for(descriptor).width;
}

// "12 %"; it is less than 100 while something is left.
std::string part_words(double done) {
  double percent = 100 * done;
  if (done >= 1) return "100 %";
  if (percent < 0.01) return "less than 0.01 %";
  if (percent < 1) return fmt::format("{:.2f} %", percent);
  return fmt::format("{:.0f} %", std::floor(percent));
}

std::string left_words(double done, double seconds) {
  constexpr double kTooEarly = 1e-6;  // too early for an estimate
  if (done < kTooEarly || done >= 1) return "";
  double left = seconds * (1 - done) / done;
  return left > kSurelyNot ? ", not in years" : ", about " + duration_words(left) + " left";
}

}  // namespace

std::string duration_words(double seconds) {
  constexpr double kMinute = 60;
  constexpr double kHour = 60 * kMinute;
  constexpr double kDay = 24 * kHour;
  constexpr double kYear = 365 * kDay;
  if (seconds < 2 * kMinute) return fmt::format("{:.0f} s", std::ceil(seconds));
  if (seconds < 2 * kHour) return fmt::format("{:.0f} min", seconds / kMinute);
  if (seconds < 2 * kDay) return fmt::format("{:.0f} h", seconds / kHour);
  if (seconds < 2 * kYear) return fmt::format("{:.0f} days", seconds / kDay);
  return fmt::format("{:.0f} years", seconds / kYear);
}

std::string cut_to_width(const std::string& text, int width) {
  int columns = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    bool continues = (static_cast<unsigned char>(text[i]) & 0xc0) == 0x80;
    if (!continues && columns++ == width) return text.substr(0, i);
  }
  return text;
}

namespace {

// Executions come after the states.
std::string states_words(const ProgressView& view, const Progress::States& of) {
  const double rate = view.now.seconds > 0 ? static_cast<double>(of.states) / view.now.seconds : 0;
  std::string text = fmt::format("{}{}: {}, {} states, {:.0f}/s, depth {}, {:.0f} MB, {:.0f} s", view.doing,
                                 view.about, view.strategy, of.states, rate, of.depth,
                                 static_cast<double>(of.bytes) / 1e6, view.now.seconds);
  if (view.now.search->level) text += fmt::format("; bound {}", *view.now.search->level);
  return text;
}

}  // namespace

std::string progress_words(const ProgressView& view) {
  const WorkerProgress& now = view.now;
  if (!now.searching) return fmt::format("starting{}, {:.0f} s", view.about, now.seconds);
  if (now.search && now.search->states) return states_words(view, *now.search->states);
  std::string text =
      fmt::format("{}{}: {}, {} execution{}, {:.0f}/s, {:.0f} s", view.doing, view.about, view.strategy,
                  now.executions, plural(now.executions), view.rate, now.seconds);
  if (!now.search) return text;
  const Progress& search = *now.search;
  if (search.level) text += fmt::format("; bound {}", *search.level);
  if (search.done) {
    text += search.level ? ": " : "; ";
    text +=
        part_words(*search.done) + left_words(*search.done, search.level ? view.level_seconds : now.seconds);
  }
  if (search.waiting > 0) text += fmt::format("; {} plan{} waiting", search.waiting, plural(search.waiting));
  if (search.open) text += fmt::format("; {} target{} open", *search.open, plural(*search.open));
  if (search.questions) text += fmt::format("; {} question{}", *search.questions, plural(*search.questions));
  if (search.classes) text += fmt::format("; {} classes", *search.classes);
  return text;
}

ProgressLine::ProgressLine(std::string about, std::string strategy, ProgressMode mode, std::string doing)
    : view_{std::move(about), std::move(strategy), {}, 0, 0, std::move(doing)},
      mode_(mode),
      live_(is_terminal(STDERR_FILENO)),
      next_seconds_(mode == ProgressMode::always ? kFirstInLogAlways : kFirstInLog) {}

ProgressLine::~ProgressLine() {
  if (!shown_ || !live_) return;
  fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
}

void ProgressLine::show(const WorkerProgress& progress) {
  if (!speaks()) return;
  bool has_level = progress.search && progress.search->level;
  bool same_level = has_level && view_.now.search && view_.now.search->level == progress.search->level;
  if (has_level && !same_level) level_begun_ = view_.now.seconds;
  view_.level_seconds = progress.seconds - level_begun_;
  if (progress.seconds > seconds_before_) {
    view_.rate =
        static_cast<double>(progress.executions - executions_before_) / (progress.seconds - seconds_before_);
  }
  // If the worker did not answer, the last known level stays.
  std::optional<Progress> last = view_.now.search;
  view_.now = progress;
  if (live_) {
    executions_before_ = progress.executions;
    seconds_before_ = progress.seconds;
    std::string text = progress_words(view_);
    fmt::print(stderr, "\r\033[K{}", cut_to_width(text, width_of(STDERR_FILENO) - 1));
    std::fflush(stderr);
    shown_ = true;
  } else if (progress.seconds >= next_seconds_) {
    executions_before_ = progress.executions;
    seconds_before_ = progress.seconds;
    while (next_seconds_ <= progress.seconds) next_seconds_ *= 2;
    fmt::print(stderr, "{}\n", progress_words(view_));
    std::fflush(stderr);
  }
  if (!view_.now.search) view_.now.search = last;
}

}  // namespace thrum
