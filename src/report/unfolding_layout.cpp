// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/unfolding_layout.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace thrum {

namespace {

constexpr std::uint32_t kNone = ShownUnfolding::kNone;

class Layout {
 public:
  Layout(const std::vector<ShownUnfolding::Link>& links, const std::vector<Event>& events,
         const std::vector<ThreadId>& threads, const LayoutSizes& sizes)
      : links_(links), events_(events), threads_(threads), sizes_(sizes) {}

  UnfoldingLayout run() {
    find_rows();
    count_objects();
    order_columns();
    find_children();
    place_columns();
    place_beginnings();
    return std::move(out_);
  }

 private:
  std::uint32_t row_behind(std::uint32_t event) const { return event == kNone ? 0 : out_.row[event]; }

  // A join of a thread, whatever it did, stands below all that the thread does. Nothing that other threads do
  // comes behind such a join.
  void find_rows() {
    out_.row.assign(links_.size(), 0);
    for (const bool joins : {false, true}) {
      for (std::size_t i = 0; i < links_.size(); ++i) {
        const ShownUnfolding::Link& link = links_[i];
        std::uint32_t before =
            std::max({row_behind(link.previous), row_behind(link.source), row_behind(link.joined)});
        for (const std::uint32_t read : link.behind) before = std::max(before, out_.row[read]);
        if (joins && link.is_late) before = std::max(before, last_row_of(events_[i].argument));
        out_.row[i] = before + 1;
      }
    }
    for (const std::uint32_t row : out_.row) out_.rows = std::max(out_.rows, row);
  }

  std::uint32_t last_row_of(std::uint64_t thread) const {
    std::uint32_t last = 0;
    for (std::size_t i = 0; i < events_.size(); ++i) {
      if (events_[i].thread == thread) last = std::max(last, out_.row[i]);
    }
    return last;
  }

  bool is_first(std::uint32_t event) const {
    const std::uint32_t previous = links_[event].previous;
    return previous == kNone || events_[previous].thread != events_[event].thread;
  }

  void find_children() {
    children_.resize(links_.size());
    out_.next_steps.assign(links_.size(), 0);
    for (std::uint32_t i = 0; i < links_.size(); ++i) {
      if (is_first(i)) continue;
      children_[links_[i].previous].push_back(i);
      ++out_.next_steps[links_[i].previous];
    }
    for (std::vector<std::uint32_t>& children : children_) order_side_by_side(children);
  }

  // So that what they read from is on the same side, as far as that can be.
  void order_side_by_side(std::vector<std::uint32_t>& events) const {
    std::ranges::stable_sort(events, {}, [&](std::uint32_t event) {
      const ShownUnfolding::Link& link = links_[event];
      if (link.source != kNone) return out_.event_column[link.source];
      return link.object != kNone ? object_columns_[link.object] : 0;
    });
  }

  // Where an object's column stands: before the thread in the middle of those that begin with it.
  void count_objects() {
    std::vector<std::vector<double>> users;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const ShownUnfolding::Link& link = links_[i];
      if (link.object == kNone) continue;
      if (users.size() <= link.object) users.resize(link.object + std::size_t{1});
      const auto thread = std::ranges::find(threads_, events_[i].thread) - threads_.begin();
      if (link.source == kNone) users[link.object].push_back(static_cast<double>(thread));
    }
    for (const std::vector<double>& of_object : users) {
      double sum = 0;
      for (const double user : of_object) sum += user;
      const double mean = of_object.empty() ? 0 : sum / static_cast<double>(of_object.size());
      before_thread_.push_back(static_cast<std::size_t>(std::ceil(mean)));
    }
    out_.object_x.assign(users.size(), 0);
  }

  void order_columns() {
    object_columns_.assign(before_thread_.size(), 0);
    for (std::size_t thread = 0; thread < threads_.size(); ++thread) {
      for (std::uint32_t object = 0; object < before_thread_.size(); ++object) {
        if (before_thread_[object] != thread) continue;
        object_columns_[object] = static_cast<std::uint32_t>(out_.columns.size());
        out_.columns.push_back({kNoThread, object});
      }
      out_.columns.push_back({threads_[thread]});
    }
    for (const Event& event : events_) {
      const auto is_its = [&](const auto& column) { return column.thread == event.thread; };
      const auto column = std::ranges::find_if(out_.columns, is_its);
      out_.event_column.push_back(static_cast<std::uint32_t>(column - out_.columns.begin()));
    }
  }

  void place_columns() {
    out_.x.assign(links_.size(), 0);
    double left = 0;
    for (std::uint32_t i = 0; i < out_.columns.size(); ++i) {
      UnfoldingLayout::Column& column = out_.columns[i];
      column.left = left;
      if (column.thread == kNoThread) {
        column.width = sizes_.object(column.object) + sizes_.gap;
        out_.object_x[column.object] = left + column.width / 2;
      } else {
        place_thread(column);
      }
      left += column.width;
    }
    out_.width = left;
  }

  void place_thread(UnfoldingLayout::Column& column) {
    std::vector<std::uint32_t> roots;
    for (std::uint32_t i = 0; i < links_.size(); ++i) {
      if (events_[i].thread != column.thread) continue;
      column.box = std::max(column.box, sizes_.event(i));
      if (is_first(i)) roots.push_back(i);
    }
    order_side_by_side(roots);
    // Those behind one creation of the thread stand together.
    std::ranges::stable_sort(roots, {}, [&](std::uint32_t root) { return links_[root].previous + 1; });
    double slots = 0;
    for (const std::uint32_t root : roots) slots = place_tree(root, slots);
    const double slot = column.box + sizes_.gap;
    const double needed = sizes_.thread(column.thread) + sizes_.gap;
    column.width = std::max(slots * slot, needed);
    const double left = column.left + (column.width - slots * slot) / 2;
    for (std::uint32_t i = 0; i < links_.size(); ++i) {
      if (events_[i].thread == column.thread) out_.x[i] = left + out_.x[i] * slot;
    }
  }

  // Places the events of a tree by the places of its leaves, of which `first` are to the left of it; returns
  // that number for the next tree. An event stands in the middle above those that come right behind it.
  double place_tree(std::uint32_t root, double first) {
    std::vector<std::uint32_t> order = {root};
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::vector<std::uint32_t>& children = children_[order[i]];
      order.insert(order.begin() + static_cast<std::ptrdiff_t>(i) + 1, children.begin(), children.end());
    }
    for (const std::uint32_t event : order) {
      if (children_[event].empty()) out_.x[event] = first++ + 0.5;
    }
    for (auto event = order.rbegin(); event != order.rend(); ++event) {
      const std::vector<std::uint32_t>& children = children_[*event];
      if (!children.empty()) out_.x[*event] = (out_.x[children.front()] + out_.x[children.back()]) / 2;
    }
    return first;
  }

  void place_beginnings() {
    out_.beginning.assign(links_.size(), kNone);
    std::vector<std::pair<double, double>> ends;  // of the first events behind each
    for (std::uint32_t i = 0; i < links_.size(); ++i) {
      if (!is_first(i)) continue;
      const std::uint32_t creation = links_[i].previous;
      const auto is_its = [&](const UnfoldingLayout::Beginning& one) {
        return one.creation == creation && one.column == out_.event_column[i];
      };
      const auto known = std::ranges::find_if(out_.beginnings, is_its) - out_.beginnings.begin();
      const auto number = static_cast<std::uint32_t>(known);
      if (number == out_.beginnings.size()) {
        out_.beginnings.push_back({creation, out_.event_column[i], 0, row_behind(creation)});
        ends.emplace_back(out_.x[i], out_.x[i]);
      }
      out_.beginning[i] = number;
      ++out_.beginnings[number].next_steps;
      ends[number] = {std::min(ends[number].first, out_.x[i]), std::max(ends[number].second, out_.x[i])};
    }
    for (std::size_t i = 0; i < ends.size(); ++i) out_.beginnings[i].x = (ends[i].first + ends[i].second) / 2;
  }

  const std::vector<ShownUnfolding::Link>& links_;
  const std::vector<Event>& events_;
  const std::vector<ThreadId>& threads_;
  const LayoutSizes& sizes_;
  std::vector<std::vector<std::uint32_t>> children_;
  std::vector<std::size_t> before_thread_;     // by object
  std::vector<std::uint32_t> object_columns_;  // by object
  UnfoldingLayout out_;
};

}  // namespace

UnfoldingLayout lay_out(const std::vector<ShownUnfolding::Link>& links, const std::vector<Event>& events,
                        const std::vector<ThreadId>& threads, const LayoutSizes& sizes) {
  return Layout(links, events, threads, sizes).run();
}

}  // namespace thrum
