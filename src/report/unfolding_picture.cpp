// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/unfolding_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "report/columns.hpp"
#include "report/event_text.hpp"
#include "report/source_lines.hpp"
#include "report/svg.hpp"
#include "report/unfolding_layout.hpp"

namespace thrum {

namespace {

constexpr std::uint32_t kNoEvent = ShownUnfolding::kNone;
constexpr double kMargin = 24;
constexpr double kTitleHeight = 66;
constexpr double kHeadHeight = 34;  // of the names of threads and objects
constexpr double kRowHeight = 66;
constexpr double kBoxHeight = 26;
constexpr double kBoxMin = 64;
constexpr double kColumnGap = 22;
constexpr double kLetter = 7.1;  // the width of one, about
constexpr double kLegendHeight = 22;
constexpr double kLegendWidth = 560;
constexpr std::size_t kTextLetters = 30;  // of an event
constexpr std::size_t kHeadLetters = 26;  // of a thread or an object
constexpr double kBranch = 4.5;           // the radius of where a thread goes on
constexpr const char* kInk = "#444";
constexpr const char* kFaint = "#999";
constexpr const char* kWrong = "#c00000";

double width_of(const std::string& text) { return static_cast<double>(characters_of(text)) * kLetter; }

// What threads do for each other only.
bool is_minor(Operation operation) { return !is_visible(operation) || operation == Operation::process_exit; }

std::string plural_of(std::uint64_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

struct Point {
  double x = 0;
  double y = 0;
};

// A line that leaves the first point downwards and comes to the second from above. The greater part of a long
// one lies above the second, where little else is.
std::string curve_path(Point from, Point to) {
  const double begin = std::max(14.0, (to.y - from.y) * 0.25);
  const double end = std::max(14.0, (to.y - from.y) * 0.7);
  return fmt::format("M{:.1f} {:.1f}C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}", from.x, from.y, from.x,
                     from.y + begin, to.x, to.y - end, to.x, to.y);
}

std::string line_svg(const std::string& path, std::string_view colour, std::string_view more = "") {
  return fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\"{}/>\n", path, colour, more);
}

// An arrow that ends there.
std::string arrow_svg(Point from, Point to, std::string_view colour, std::string_view more = "") {
  constexpr double kHead = 8;
  return line_svg(curve_path(from, {to.x, to.y - kHead}), colour, more) +
         fmt::format("<path d=\"M{0:.1f} {1:.1f}l-4 -{2}h8z\" fill=\"{3}\"/>\n", to.x, to.y, kHead, colour);
}

// The head of an arrow to the right (side 1) or to the left (-1).
std::string arrow_head(Point to, double side, std::string_view colour) {
  return fmt::format("<path d=\"M{:.1f} {:.1f}l{:.0f} -4v8z\" fill=\"{}\"/>\n", to.x, to.y, -8 * side,
                     colour);
}

constexpr std::string_view kReads = " stroke-width=\"1.6\" stroke-dasharray=\"5 3\"";
constexpr std::string_view kConsumes = " stroke-width=\"2\"";
constexpr std::string_view kComesBehind = " stroke-width=\"1.2\" stroke-dasharray=\"1.5 3\"";
constexpr std::string_view kThreadLine = " stroke-width=\"1.4\"";

std::string box_svg(Point middle, double width, std::string_view stroke, std::string_view fill) {
  return fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.0f}\" rx=\"4\" fill=\"{}\" "
      "stroke=\"{}\"/>",
      middle.x - width / 2, middle.y - kBoxHeight / 2, width, kBoxHeight, fill, stroke);
}

std::string middle_text(Point at, const std::string& text, std::string_view more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\"{}>{}</text>\n", at.x, at.y, more,
                     svg_text(text));
}

// The circle of what a slot holds.
std::string circle_svg(Point at, double radius, std::string_view stroke, std::string_view fill) {
  return fmt::format(
      "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\" stroke=\"{}\" stroke-width=\"1.6\"/>\n", at.x,
      at.y, radius, fill, stroke);
}

class UnfoldingDrawing {
 public:
  UnfoldingDrawing(const UnfoldingPicture& picture, double top)
      : picture_(picture), events_(picture.file.trace.events), links_(picture.links), top_(top) {
    for (const Event& event : events_) {
      if (std::ranges::find(threads_, event.thread) == threads_.end()) threads_.push_back(event.thread);
    }
    std::ranges::sort(threads_, [&](ThreadId a, ThreadId b) { return picture_.file.names.before(a, b); });
    for (std::size_t i = 0; i < events_.size(); ++i) texts_.push_back(named_operation_text(picture_.file, i));
    name_objects();
    const LayoutSizes sizes = {[&](std::size_t i) { return std::max(kBoxMin, width_of(shown(i)) + 20); },
                               [&](ThreadId thread) { return width_of(title_of(thread)); },
                               [&](std::uint32_t object) { return std::max(28.0, width_of(name(object))); },
                               kColumnGap};
    layout_ = lay_out(links_, events_, threads_, sizes);
    legend();
  }

  double width() const {
    const double least = std::max(kLegendWidth, std::max(width_of(heading()) * 1.4, width_of(note())));
    return 2 * kMargin + std::max(least, layout_.width);
  }
  double height() const {
    return kTitleHeight + table_height() + kLegendHeight * static_cast<double>(legend_lines_) + kMargin;
  }

  std::string draw() {
    out_ += fmt::format("<text x=\"{}\" y=\"{:.0f}\" font-size=\"16\" font-weight=\"bold\">{}</text>\n",
                        kMargin, top_ + 30, svg_text(heading()));
    out_ += fmt::format("<text x=\"{}\" y=\"{:.0f}\" fill=\"#666\">{}</text>\n", kMargin, top_ + 49,
                        svg_text(note()));
    columns();
    for (std::size_t i = 0; i < events_.size(); ++i) lines_of_thread(i);
    for (std::size_t i = 0; i < events_.size(); ++i) arcs_of_object(i);
    beginnings();
    for (std::size_t i = 0; i < events_.size(); ++i) box(i);
    return std::move(out_) + legend_;
  }

 private:
  std::string heading() const {
    return fmt::format("{} of {}", picture_.is_ordinary ? "Ordinary unfolding" : "Unfolding", picture_.name);
  }

  std::string note() const {
    if (picture_.begins_again)
      return "no event: the search ended at a bug when it had to begin again; --keep-going goes on";
    if (events_.empty()) return "no event: the program has one thread, or was not run";
    std::string text =
        fmt::format("{}, {} of them local states of threads; {}", plural_of(picture_.events, "event"),
                    picture_.local_states, plural_of(picture_.executions, "execution"));
    text += picture_.is_whole ? ": all that there is" : "; the search did not end, there may be more";
    if (picture_.events > events_.size()) text += fmt::format(". The first {} are drawn", events_.size());
    return text;
  }

  double table_height() const {
    return kHeadHeight + kRowHeight * static_cast<double>(layout_.rows + 1) + 10;
  }
  double row_y(std::uint32_t row) const {
    return top_ + kTitleHeight + kHeadHeight + kRowHeight * (static_cast<double>(row) + 0.5) - 8;
  }
  double left() const { return kMargin + (width() - 2 * kMargin - layout_.width) / 2; }
  Point middle(std::size_t event) const { return {left() + layout_.x[event], row_y(layout_.row[event])}; }
  Point above(std::size_t event) const {
    const Point at = middle(event);
    return {at.x, at.y - kBoxHeight / 2};
  }
  Point below(std::size_t event) const {
    const Point at = middle(event);
    return {at.x, at.y + kBoxHeight / 2};
  }
  double box_of(std::size_t event) const { return layout_.columns[layout_.event_column[event]].box; }
  std::string shown(std::size_t event) const { return cut_name(texts_[event], kTextLetters); }
  std::string title_of(ThreadId thread) const {
    return cut_name(column_title(picture_.file, thread), kHeadLetters);
  }
  std::string name(std::uint32_t object) const {
    return object < names_.size() ? cut_name(names_[object], kHeadLetters) : "";
  }
  static const char* colour(std::uint32_t object) {
    return kSvgColours[object % (kSvgColours.size() - 1)];  // the last one is for threads
  }

  void name_objects();
  void columns();
  void lines_of_thread(std::size_t event);
  void arcs_of_object(std::size_t event);
  void beginnings();
  Point point_of(const UnfoldingLayout::Beginning& beginning) const {
    return {left() + beginning.x, row_y(beginning.row)};
  }
  void box(std::size_t event);
  void legend();
  void legend_entry(const std::string& sign, std::string_view text);
  Point legend_point() const;

  const UnfoldingPicture& picture_;
  const std::vector<Event>& events_;
  const std::vector<ShownUnfolding::Link>& links_;
  double top_;
  std::vector<ThreadId> threads_;  // from the left
  std::vector<std::string> texts_;
  std::vector<std::string> names_;  // of objects
  UnfoldingLayout layout_;
  std::string legend_;
  std::size_t legend_lines_ = 0;
  std::string out_;
};

void UnfoldingDrawing::name_objects() {
  for (std::size_t i = 0; i < events_.size(); ++i) {
    const std::uint32_t object = links_[i].object;
    if (object == kNoEvent) continue;
    if (names_.size() <= object) names_.resize(object + std::size_t{1});
    if (names_[object].empty()) names_[object] = picture_.file.place_name(places_of(picture_.file, i).object);
    if (names_[object].empty()) names_[object] = fmt::format("object {}", object + 1);
  }
}

// Grounds and names; and the circles of what objects hold at first.
void UnfoldingDrawing::columns() {
  const double top = top_ + kTitleHeight;
  for (const UnfoldingLayout::Column& column : layout_.columns) {
    const double middle = left() + column.left + column.width / 2;
    if (column.thread != kNoThread) {
      out_ += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.0f}\" width=\"{:.1f}\" height=\"{:.0f}\" rx=\"6\" fill=\"#f3f4f6\"/>\n",
          left() + column.left + 4, top, column.width - 8, table_height() - 10);
      out_ += middle_text({middle, top + 21}, title_of(column.thread), " font-weight=\"bold\"");
      continue;
    }
    const std::string more = fmt::format(" fill=\"{}\" font-weight=\"bold\"", colour(column.object));
    out_ += middle_text({middle, top + 21}, name(column.object), more);
    out_ += circle_svg({middle, row_y(0)}, 8, colour(column.object), "#fff");
  }
}

void UnfoldingDrawing::lines_of_thread(std::size_t event) {
  const ShownUnfolding::Link& link = links_[event];
  const std::uint32_t beginning = layout_.beginning[event];
  const Point from = beginning != kNoEvent ? point_of(layout_.beginnings[beginning]) : below(link.previous);
  out_ += line_svg(curve_path(from, above(event)), kInk, kThreadLine);
  if (link.joined != kNoEvent) out_ += arrow_svg(below(link.joined), above(event), kFaint, kThreadLine);
}

void UnfoldingDrawing::arcs_of_object(std::size_t event) {
  const ShownUnfolding::Link& link = links_[event];
  Point to = above(event);
  // Beside the thread's own line, on the side that the arc comes from; for each object elsewhere.
  const auto aside = [&](double way, double most) {
    const double side = way < 0 ? -1 : 1;
    const double of_object = link.object == kNoEvent ? 0 : 5 * static_cast<double>(link.object % 3);
    return side * std::min(most, 12 + of_object + std::abs(way) * 0.05);
  };
  const auto arc = [&](std::uint32_t source, std::string_view colour, std::string_view kind) {
    const Point from = below(source);
    const double room = std::min(box_of(source), box_of(event)) / 2 - 8;
    const double begin = aside(to.x - from.x, room);
    const double end = std::abs(from.x - to.x) < 1 ? -begin : aside(to.x - from.x, room);
    out_ += arrow_svg({from.x + begin, from.y}, {to.x - end, to.y}, colour, kind);
  };
  for (const std::uint32_t read : link.behind) arc(read, kFaint, kComesBehind);
  if (link.object == kNoEvent) return;
  const char* const its_colour = colour(link.object);
  const std::string_view kind = link.consumes ? kConsumes : kReads;
  if (link.source != kNoEvent) return arc(link.source, its_colour, kind);
  const Point from = {left() + layout_.object_x[link.object], row_y(0) + 8};
  const double end = aside(to.x - from.x, box_of(event) / 2 - 8);
  out_ += arrow_svg(from, {to.x - end, to.y}, its_colour, kind);
}

// Where threads begin.
void UnfoldingDrawing::beginnings() {
  for (const UnfoldingLayout::Beginning& beginning : layout_.beginnings) {
    const Point at = point_of(beginning);
    if (beginning.creation != kNoEvent) {
      const Point from = middle(beginning.creation);
      const double side = at.x < from.x ? -1 : 1;
      out_ += line_svg(fmt::format("M{:.1f} {:.1f}H{:.1f}", from.x, from.y, at.x - side * 13), kFaint,
                       kThreadLine);
      out_ += arrow_head({at.x - side * 6, at.y}, side, kFaint);
    }
    out_ += circle_svg(at, kBranch, kInk, beginning.next_steps > 1 ? kInk : "#fff");
  }
}

void UnfoldingDrawing::box(std::size_t event) {
  const Point at = middle(event);
  const ShownUnfolding::Link& link = links_[event];
  const bool is_faint = is_minor(events_[event].operation);
  const char* const stroke = link.fails ? kWrong : is_faint ? "#ccc" : kInk;
  std::string title = texts_[event];
  if (const auto line = shown_line(picture_.file, places_of(picture_.file, event).stack))
    title += fmt::format(" ({}:{})", line->file.substr(line->file.rfind('/') + 1), line->line);
  out_ += fmt::format("<g><title>{}</title>", svg_text(title));
  out_ += box_svg(at, box_of(event), stroke, is_faint ? "#fafafa" : "#fff");
  if (link.object != kNoEvent) {
    out_ += fmt::format(
        "<path d=\"M{:.1f} {:.1f}v{:.0f}\" stroke=\"{}\" stroke-width=\"4\" stroke-linecap=\"round\"/>",
        at.x - box_of(event) / 2 + 6, at.y - kBoxHeight / 2 + 6, kBoxHeight - 12, colour(link.object));
  }
  const std::string_view ink = link.fails ? " fill=\"#c00000\"" : is_faint ? " fill=\"#777\"" : "";
  out_ += middle_text({at.x + (link.object != kNoEvent ? 4 : 0), at.y + 4}, shown(event), ink);
  out_ += "</g>\n";
  // Of several next steps that leave the event an execution has one.
  if (layout_.next_steps[event] > 1) out_ += circle_svg(below(event), kBranch, kInk, kInk);
}

Point UnfoldingDrawing::legend_point() const {
  return {kMargin,
          top_ + kTitleHeight + table_height() + kLegendHeight * (static_cast<double>(legend_lines_) + 0.6)};
}

void UnfoldingDrawing::legend_entry(const std::string& sign, std::string_view text) {
  const Point at = legend_point();
  legend_ += sign + fmt::format("<text x=\"{:.0f}\" y=\"{:.1f}\">{}</text>\n", at.x + 48, at.y + 4, text);
  ++legend_lines_;
}

// What there is in the picture.
void UnfoldingDrawing::legend() {
  const auto any = [&](auto is_so) { return std::ranges::any_of(links_, is_so); };
  using Link = ShownUnfolding::Link;
  const auto sideways = [&](std::string_view colour, std::string_view kind) {
    const Point at = legend_point();
    return line_svg(fmt::format("M{:.1f} {:.1f}h28", at.x, at.y), colour, kind) +
           arrow_head({at.x + 36, at.y}, 1, colour);
  };
  const char* const first = colour(0);
  const auto has_several = [](const auto& one) { return one.next_steps > 1; };
  if (std::ranges::any_of(layout_.next_steps, [](std::uint32_t steps) { return steps > 1; }) ||
      std::ranges::any_of(layout_.beginnings, has_several)) {
    const Point at = legend_point();
    const Point fork = {at.x + 18, at.y - 5};
    legend_entry(line_svg(curve_path(fork, {at.x + 6, at.y + 9}), kInk, kThreadLine) +
                     line_svg(curve_path(fork, {at.x + 30, at.y + 9}), kInk, kThreadLine) +
                     circle_svg(fork, kBranch, kInk, kInk),
                 "the thread's next step has several outcomes, and an execution has one of them");
  }
  if (any([](const Link& link) { return link.object != kNoEvent; }))
    legend_entry(circle_svg({legend_point().x + 18, legend_point().y}, 8, first, "#fff"),
                 "an object, and what it holds at first; its colour marks all steps on it");
  if (any([](const Link& link) { return link.object != kNoEvent && !link.consumes; }))
    legend_entry(sideways(first, kReads), "reads what that step has left in the object");
  if (any([](const Link& link) { return link.consumes; }))
    legend_entry(sideways(first, kConsumes), "changes it: what was there is gone, as for a store or a lock");
  if (any([](const Link& link) { return !link.behind.empty(); }))
    legend_entry(sideways(kFaint, kComesBehind), "comes behind a read of what it changes");
  if (std::ranges::any_of(layout_.beginnings, [](const auto& one) { return one.creation != kNoEvent; }))
    legend_entry(
        line_svg(fmt::format("M{:.1f} {:.1f}h18", legend_point().x, legend_point().y), kFaint, kThreadLine) +
            arrow_head({legend_point().x + 25, legend_point().y}, 1, kFaint) +
            circle_svg({legend_point().x + 31, legend_point().y}, kBranch, kInk, "#fff"),
        "a thread begins");
  if (any([](const Link& link) { return link.joined != kNoEvent; }))
    legend_entry(sideways(kFaint, kThreadLine), "joins the thread, as it has ended there");
  if (any([](const Link& link) { return link.is_late; }))
    legend_entry("", "joins without an arrow come behind the end of their thread, whatever it did");
  if (any([](const Link& link) { return link.fails; })) {
    const Point at = legend_point();
    legend_entry(fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"32\" height=\"14\" rx=\"4\" "
                             "fill=\"#fff\" stroke=\"{}\"/>\n",
                             at.x + 2, at.y - 7, kWrong),
                 "the thread fails there");
  }
}

}  // namespace

std::string unfolding_svg(const std::vector<UnfoldingPicture>& pictures) {
  double width = 0;
  double height = 0;
  for (const UnfoldingPicture& picture : pictures) {
    const UnfoldingDrawing drawing(picture, 0);
    width = std::max(width, drawing.width());
    height += drawing.height();
  }
  std::string out = svg_begin(width, height);
  double top = 0;
  for (const UnfoldingPicture& picture : pictures) {
    UnfoldingDrawing drawing(picture, top);
    out += drawing.draw();
    top += drawing.height();
  }
  return out + "</svg>\n";
}

}  // namespace thrum
