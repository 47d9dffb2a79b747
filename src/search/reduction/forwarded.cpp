// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "search/reduction/forwarded.hpp"

namespace thrum {

namespace {

// Of a step in a sequence.
constexpr std::uint8_t kTurned = 1;
constexpr std::uint8_t kNeeded = 2;

constexpr std::size_t kWord = 64;

}  // namespace

void Forwarded::begin(Index depth, bool is_sequence, bool cut_off, std::size_t count) {
  entries_.push_back({depth, is_sequence, cut_off, static_cast<std::uint32_t>(steps_.size()),
                      static_cast<std::uint32_t>(count), order_bits_});
}

void Forwarded::add(Index depth, const StepView& step) {
  begin(depth, false, false, 1);
  steps_.push_back(kinds_.keep(step));
  roles_.push_back(0);
}

void Forwarded::add(Index depth, const Sequence& sequence, bool cut_off) {
  begin(depth, true, cut_off, sequence.size());
  places_.clear();
  for (const Sequence::Item& item : sequence.items()) {
    steps_.push_back(kinds_.keep(item.planned));
    const bool turned = item.at == PartialOrder::kNone;
    roles_.push_back(static_cast<std::uint8_t>((turned ? kTurned : 0) | (item.needed ? kNeeded : 0)));
    if (turned) continue;
    order_.resize((order_bits_ + places_.size()) / kWord + 1);
    for (const Index before : places_) {
      const std::uint64_t is_before = sequence.order().ordered(before, item.at) ? 1 : 0;
      order_[order_bits_ / kWord] |= is_before << order_bits_ % kWord;
      ++order_bits_;
    }
    places_.push_back(item.at);
  }
}

void Forwarded::read(std::size_t i, Entry& entry) const {
  const Place& place = entries_[i];
  entry.depth = place.depth;
  entry.is_sequence = place.is_sequence;
  entry.cut_off = place.cut_off;
  entry.steps.clear();
  entry.roles.assign(roles_.begin() + place.begin, roles_.begin() + place.begin + place.count);
  entry.order.clear_restricted();
  std::uint64_t row = place.order_begin;
  std::uint64_t before = 0;
  for (std::uint32_t k = 0; k < place.count; ++k) {
    const PlannedStep& step = kinds_[steps_[place.begin + k]];
    entry.steps.emplace_back(step);
    if (!place.is_sequence || (entry.roles[k] & kTurned) != 0) continue;
    entry.order.append_restricted(step.event.thread, order_, row);
    row += before++;
  }
}

void Forwarded::Entry::fill(Sequence& sequence) const {
  sequence.begin(order);
  Index at = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if ((roles[i] & kTurned) != 0) {
      sequence.add_reversed(steps[i]);
    } else {
      sequence.add(steps[i], at++, (roles[i] & kNeeded) != 0);
    }
  }
}

void Forwarded::save(ByteWriter& out) const {
  out.put_all(entries_);
  kinds_.save(out);
  out.put_all(steps_);
  out.put_all(roles_);
  out.put_all(order_);
  out.put(order_bits_);
}

void Forwarded::load(ByteReader& in) {
  clear();
  in.get_all(entries_);
  kinds_.load(in);
  in.get_all(steps_);
  in.get_all(roles_);
  in.get_all(order_);
  order_bits_ = in.get<std::uint64_t>();
}

}  // namespace thrum
