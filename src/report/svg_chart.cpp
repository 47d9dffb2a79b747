// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/svg_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "report/svg.hpp"

namespace thrum {

namespace {

constexpr double kWidth = 760;
constexpr double kPlotHeight = 300;
constexpr double kLeft = 84;
constexpr double kRight = 24;
constexpr double kTop = 62;
constexpr double kBelow = 58;  // for the ticks and the label of the x axis
constexpr double kLegendLine = 20;
constexpr double kLegendColumn = 320;
constexpr std::size_t kLegendColumns = 2;
constexpr std::size_t kNameMax = 44;  // characters, in the legend

constexpr std::array kDashes = {"", "7 3", "2 3", "9 3 2 3"};

// 1, 10, 1,000, 10^6.
std::string number_words(double number) {
  constexpr double kMillion = 1e6;
  if (number < kMillion) {
    std::string digits = fmt::format("{:g}", number);
    bool whole = digits.find_first_not_of("0123456789") == std::string::npos;
    for (std::size_t i = digits.size(); whole && i > 3; i -= 3) digits.insert(i - 3, ",");
    return digits;
  }
  auto exponent = static_cast<int>(std::floor(std::log10(number) + 1e-9));
  double factor = number / std::pow(10, exponent);
  std::string power = fmt::format("10<tspan dy=\"-5\" font-size=\"9\">{}</tspan>", exponent);
  return std::abs(factor - 1) < 1e-6 ? power : fmt::format("{:g}·{}", factor, power);
}

// Where a value lies between the ends of its axis, from 0 to 1.
double place(const Axis& axis, double value, double least, double greatest) {
  if (axis.logarithmic) {
    value = std::log10(std::max(value, 1.0));
    least = std::log10(least);
    greatest = std::log10(greatest);
  }
  return (value - least) / (greatest - least);
}

class Drawing {
 public:
  Drawing(const Chart& chart, double top) : chart_(chart), top_(top) {
    find_range();
    x_ticks_ = ticks(chart.x, x_least_, x_greatest_);
    y_ticks_ = ticks(chart.y, y_least_, y_greatest_);
  }

  std::string draw() {
    title();
    grid();
    for (std::size_t i = 0; i < chart_.curves.size(); ++i) curve(i);
    legend();
    return std::move(out_);
  }

 private:
  void find_range();
  void title();
  void grid();
  void curve(std::size_t number);
  void legend();
  double x(double value) const {
    return kLeft + place(chart_.x, value, x_least_, x_greatest_) * (kWidth - kLeft - kRight);
  }
  double y(double value) const {
    return top_ + kTop + (1 - place(chart_.y, value, y_least_, y_greatest_)) * kPlotHeight;
  }
  static std::string stroke(std::size_t number);

  const Chart& chart_;
  double top_;
  double x_least_ = 0;
  double x_greatest_ = 1;
  double y_least_ = 0;
  double y_greatest_ = 1;
  std::vector<double> x_ticks_;
  std::vector<double> y_ticks_;
  std::string out_;
};

void Drawing::find_range() {
  for (const Curve& curve : chart_.curves) {
    for (auto [at, value] : curve.points) {
      x_greatest_ = std::max(x_greatest_, at);
      y_greatest_ = std::max(y_greatest_, value);
    }
  }
}

void Drawing::title() {
  out_ += fmt::format("<text x=\"{}\" y=\"{:.0f}\" font-size=\"16\" font-weight=\"bold\">{}</text>\n", kLeft,
                      top_ + 28, svg_text(chart_.title));
  if (!chart_.note.empty())
    out_ += fmt::format("<text x=\"{}\" y=\"{:.0f}\" fill=\"#666\">{}</text>\n", kLeft, top_ + 47,
                        svg_text(chart_.note));
}

void Drawing::grid() {
  const double bottom = top_ + kTop + kPlotHeight;
  for (double tick : x_ticks_) {
    out_ += fmt::format("<path d=\"M{0:.1f} {1:.1f}V{2:.1f}\" stroke=\"#e4e4e4\"/>", x(tick), top_ + kTop,
                        bottom);
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", x(tick),
                        bottom + 18, number_words(tick));
  }
  for (double tick : y_ticks_) {
    out_ += fmt::format("<path d=\"M{} {:.1f}H{}\" stroke=\"#e4e4e4\"/>", kLeft, y(tick), kWidth - kRight);
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}{}</text>\n", kLeft - 8,
                        y(tick) + 4, number_words(tick), chart_.y.percent ? " %" : "");
  }
  out_ += fmt::format("<path d=\"M{} {:.1f}V{:.1f}H{}\" fill=\"none\" stroke=\"#333\"/>\n", kLeft,
                      top_ + kTop, bottom, kWidth - kRight);
  out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                      (kLeft + kWidth - kRight) / 2, bottom + 42, svg_text(chart_.x.label));
  const double middle = top_ + kTop + kPlotHeight / 2;
  out_ += fmt::format(
      "<text x=\"20\" y=\"{0:.1f}\" text-anchor=\"middle\" transform=\"rotate(-90 20 {0:.1f})\">{1}</text>\n",
      middle, svg_text(chart_.y.label));
}

std::string Drawing::stroke(std::size_t number) {
  const char* dash = kDashes[number / kSvgColours.size() % kDashes.size()];
  std::string text =
      fmt::format("stroke=\"{}\" stroke-width=\"2\"", kSvgColours[number % kSvgColours.size()]);
  return *dash == '\0' ? text : text + fmt::format(" stroke-dasharray=\"{}\"", dash);
}

void Drawing::curve(std::size_t number) {
  const Curve& curve = chart_.curves[number];
  std::string path;
  for (auto [at, value] : curve.points)
    path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x(at), y(value));
  if (path.empty()) return;
  out_ += fmt::format("<path d=\"{}\" fill=\"none\" stroke-linejoin=\"round\" {}/>\n", path, stroke(number));
  // A single point is no line, and would not be seen.
  if (!curve.marks && curve.points.size() > 1) return;
  for (auto [at, value] : curve.points)
    out_ += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"{}\"/>\n", x(at), y(value),
                        kSvgColours[number % kSvgColours.size()]);
}

void Drawing::legend() {
  const double begin = top_ + kTop + kPlotHeight + kBelow;
  for (std::size_t i = 0; i < chart_.curves.size(); ++i) {
    const double left = kLeft + kLegendColumn * static_cast<double>(i % kLegendColumns);
    const double line = begin + kLegendLine * static_cast<double>(i / kLegendColumns);
    out_ += fmt::format("<path d=\"M{:.0f} {:.0f}h26\" {}/>", left, line, stroke(i));
    out_ += fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\">{}</text>\n", left + 34, line + 4,
                        svg_text(cut_name(chart_.curves[i].name, kNameMax)));
  }
}

double height_of(const Chart& chart) {
  const std::size_t lines = (chart.curves.size() + kLegendColumns - 1) / kLegendColumns;
  return kTop + kPlotHeight + kBelow + kLegendLine * static_cast<double>(lines) + 8;
}

}  // namespace

std::vector<double> ticks(const Axis& axis, double& least, double& greatest) {
  constexpr double kTicks = 8;  // about so many
  std::vector<double> values;
  if (axis.logarithmic) {
    double decades = std::max(1.0, std::ceil(std::log10(std::max(greatest, 1.0)) - 1e-9));
    double step = std::max(1.0, std::ceil(decades / kTicks));
    least = 1;
    greatest = std::pow(10, std::ceil(decades / step) * step);
    for (double value = 1; value <= greatest * (1 + 1e-9); value *= std::pow(10, step))
      values.push_back(value);
    return values;
  }
  least = 0;
  if (axis.percent) greatest = 100;
  double step = std::pow(10, std::floor(std::log10(greatest / kTicks)));
  while (greatest / step > kTicks * 1.5) step *= greatest / step > kTicks * 4 ? 5 : 2;
  if (axis.percent) step = 20;
  if (axis.whole) step = std::max(step, 1.0);
  greatest = std::ceil(greatest / step - 1e-9) * step;
  for (double count = 0; count * step <= greatest * (1 + 1e-9); ++count) values.push_back(count * step);
  return values;
}

std::string svg_of(const std::vector<Chart>& charts) {
  double height = 0;
  for (const Chart& chart : charts) height += height_of(chart);
  std::string out = svg_begin(kWidth, height);
  double top = 0;
  for (const Chart& chart : charts) {
    out += Drawing(chart, top).draw();
    top += height_of(chart);
  }
  return out + "</svg>\n";
}

}  // namespace thrum
