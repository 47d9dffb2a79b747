// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "campaign/parts.hpp"

#include <algorithm>
#include <utility>

#include "support/check.hpp"
#include "support/digest.hpp"

namespace thrum {

bool Parts::next(Plan& plan) {
  running_ = nullptr;
  waits_ = false;
  do {
    if (own_->next(plan)) return true;
    if (!own_->divisible()->waits()) {
      is_over_ = problem().empty();
      return false;
    }
    if (next_of_parts(plan)) return true;
  } while (!waits_);
  return false;
}

// REQUIRES: no other worker holds a part if the trace says that the search begins again.
void Parts::learn(const Plan& plan, const Trace& trace) {
  if (!trace.begins_again) return running().learn(plan, trace);
  THRUM_CHECK(owner_ == 0 && is_whole());
  own_ = make_();
  parts_.clear();
  running_ = nullptr;
}

// False if the search itself may go on, or if all wait.
bool Parts::next_of_parts(Plan& plan) {
  for (auto part = parts_.begin(); part != parts_.end(); ++part) {
    if ((*part)->next(plan)) {
      running_ = part->get();
      return true;
    }
    if ((*part)->waits()) continue;
    own_->divisible()->merge(*(*part)->own_);
    parts_.erase(part);
    return false;
  }
  waits_ = true;
  return false;
}

std::unique_ptr<Strategy> Parts::split() {
  for (std::size_t i = parts_.size(); i-- > 0;) {
    if (parts_[i].get() == running_ || !parts_[i]->is_whole()) continue;
    std::unique_ptr<Strategy> whole = std::move(parts_[i]);
    parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>(i));
    ++given_;
    return whole;
  }
  if (std::unique_ptr<Strategy> part = own_->divisible()->split()) {
    ++given_;
    const std::uint64_t words[] = {id_, ++split_};
    Digest id;
    id.add(reinterpret_cast<const char*>(words), sizeof words);
    return std::unique_ptr<Strategy>(new Parts(make_, std::move(part), id.value(), id_));
  }
  return running_ != nullptr ? running_->split() : nullptr;
}

bool Parts::is_whole() const {
  return given_ == 0 &&
         std::all_of(parts_.begin(), parts_.end(), [](const auto& part) { return part->is_whole(); });
}

bool Parts::is_small() const {
  return own_->durable()->is_small() &&
         std::all_of(parts_.begin(), parts_.end(), [](const auto& part) { return part->is_small(); });
}

Parts* Parts::find(std::uint64_t id) {
  if (id_ == id) return this;
  for (const auto& part : parts_) {
    if (Parts* found = part->find(id)) return found;
  }
  return nullptr;
}

void Parts::merge(Strategy& other) {
  auto& part = dynamic_cast<Parts&>(other);
  Parts* owner = find(part.owner_);
  THRUM_CHECK(owner != nullptr && owner->given_ > 0);
  --owner->given_;
  if (part.is_over_) {
    owner->own_->divisible()->merge(*part.own_);
  } else {
    part.running_ = nullptr;
    owner->parts_.push_back(std::make_unique<Parts>(std::move(part)));
  }
  waits_ = false;
}

Progress Parts::progress() {
  Progress all = own_->reporting().progress();
  for (const auto& part : parts_) all.add(part->progress());
  return all;
}

void Parts::save(ByteWriter& out, const ThreadNames& names) const {
  own_->durable()->save(out, names);
  out.put(id_);
  out.put(owner_);
  out.put(split_);
  out.put(given_);
  out.put(is_over_);
  out.put(static_cast<std::uint32_t>(parts_.size()));
  for (const auto& part : parts_) part->save(out, names);
}

bool Parts::load(ByteReader& in, ThreadNames& names) {
  own_ = make_();
  if (!own_->durable()->load(in, names)) return false;
  id_ = in.get<std::uint64_t>();
  owner_ = in.get<std::uint64_t>();
  split_ = in.get<std::uint64_t>();
  given_ = in.get<std::uint32_t>();
  is_over_ = in.get<bool>();
  parts_.clear();
  running_ = nullptr;
  for (std::uint32_t left = in.get_count(); left > 0 && in.ok(); --left) {
    parts_.push_back(std::make_unique<Parts>(make_));
    if (!parts_.back()->load(in, names)) return false;
  }
  return in.ok();
}

}  // namespace thrum
