// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of the fringe that lies in a file.
//
// A plan is written as (where the executions that others depart from stay in memory: the node that it departs
// from, and) how many departures it shares with the plan before it in its segment, how many
// further ones it has, its cost, and those. Numbers take seven bits a byte, since most are small; so a plan
// takes about ten bytes.
#include <algorithm>

#include "search/frontier/fringe.hpp"

namespace thrum {

namespace {

void put_number(ByteWriter& out, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) out.put(static_cast<std::uint8_t>(number | 0x80));
  out.put(static_cast<std::uint8_t>(number));
}

std::uint64_t get_number(ByteReader& in) {
  std::uint64_t number = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    auto byte = in.get<std::uint8_t>();
    number |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) break;
  }
  return number;
}

}  // namespace

// before: the plan before it in its segment.
void Fringe::put_plan(ByteWriter& out, const std::vector<Departure>& before,
                      const std::vector<Departure>& plan, std::uint32_t cost, bool again) {
  auto least = static_cast<std::ptrdiff_t>(std::min(before.size(), plan.size()));
  auto shared = std::mismatch(before.begin(), before.begin() + least, plan.begin()).second - plan.begin();
  put_number(out, static_cast<std::uint64_t>(shared));
  put_number(out, plan.size() - static_cast<std::size_t>(shared));
  put_number(out, std::uint64_t{cost} << 1 | (again ? 1 : 0));
  for (auto departure = plan.begin() + shared; departure != plan.end(); ++departure) {
    const auto& [key, option] = *departure;
    out.put(
        static_cast<std::uint8_t>(static_cast<unsigned>(key.kind) << 4 | static_cast<unsigned>(option.via)));
    put_number(out, key.thread);
    put_number(out, key.index);
    put_number(out, option.value);
  }
}

std::size_t Fringe::segment_plans_max() const {
  constexpr std::uint64_t kMost = 1 << 14;  // a few hundred kilobytes
  std::uint64_t part = settings_.memory_max / 8 / (ExecutionTree::kNodeBytes + sizeof(Waiting));
  return static_cast<std::size_t>(std::clamp<std::uint64_t>(part, 1, kMost));
}

// Down to half of what is allowed, so that it is not done at each step. What must stay is no part of that.
void Fringe::spill() {
  if (!problem_.empty()) return;
  std::uint64_t stays = 0;
  if (settings_.keeps_inner) stays = (tree_.live() - in_memory_) * ExecutionTree::kNodeBytes + besides_;
  if (stays > settings_.memory_max) {
    problem_ =
        "the executions from which others are to depart do not fit into the memory for searches; give more "
        "with --search-memory";
    return;
  }
  const std::uint64_t wanted = stays + (settings_.memory_max - stays) / 2;
  for (auto place = buckets_.end(); place != buckets_.begin() && bytes() > wanted;) {
    --place;
    Bucket& bucket = place->second;
    std::size_t blocks = bucket.blocks.size();
    // What is served next stays.
    if (place == buckets_.begin()) blocks = blocks > 1 ? std::max<std::size_t>(blocks / 2, 1) : 0;
    if (!spill_blocks(bucket, blocks)) return fail();
  }
}

// The lowest ones.
bool Fringe::spill_blocks(Bucket& bucket, std::size_t blocks) {
  const std::size_t most = segment_plans_max();
  std::vector<Waiting> plans;
  auto end = bucket.blocks.begin() + static_cast<std::ptrdiff_t>(blocks);
  for (auto block = bucket.blocks.begin(); block != end; ++block) {
    plans.insert(plans.end(), block->begin(), block->end());
    if (plans.size() < most && block + 1 != end) continue;
    for (std::size_t begin = 0; begin < plans.size(); begin += most) {
      Segment segment;
      if (!write_segment(plans, begin, std::min(begin + most, plans.size()), segment)) return false;
      bucket.segments.push_back(segment);
    }
    for (const Waiting& waiting : plans) leave_out(waiting);
    in_file_ += plans.size();
    spilled_ += plans.size();
    plans.clear();
  }
  bucket.blocks.erase(bucket.blocks.begin(), end);
  return true;
}

bool Fringe::write_segment(const std::vector<Waiting>& plans, std::size_t begin, std::size_t end,
                           Segment& segment) {
  std::vector<SpilledPlan> written(end - begin);
  for (std::size_t i = begin; i < end; ++i) {
    SpilledPlan& plan = written[i - begin];
    if (settings_.keeps_inner) {
      plan.parent = tree_.parent(plans[i].node);
      plan.departures = {tree_.departure(plans[i].node)};
    } else {
      tree_.path(plans[i].node, plan.departures);
    }
    plan.cost = plans[i].cost;
    plan.again = plans[i].again;
  }
  return write_plans(written, segment);
}

bool Fringe::write_plans(const std::vector<SpilledPlan>& plans, Segment& segment) {
  static const std::vector<Departure> kNothing;
  ByteWriter out;
  segment.cost_min = plans.front().cost;
  const std::vector<Departure>* before = &kNothing;
  for (const SpilledPlan& plan : plans) {
    if (settings_.keeps_inner) put_number(out, plan.parent);
    put_plan(out, *before, plan.departures, plan.cost, plan.again);
    before = &plan.departures;
    segment.cost_min = std::min(segment.cost_min, plan.cost);
  }
  segment.count = static_cast<std::uint32_t>(plans.size());
  return write_bytes(out.bytes(), segment);
}

bool Fringe::write_bytes(const std::string& bytes, Segment& segment) {
  if (!file_) file_ = settings_.make_file();
  std::optional<std::uint64_t> offset = file_->append(bytes);
  segment.offset = offset.value_or(0);
  segment.size = static_cast<std::uint32_t>(bytes.size());
  return offset.has_value();
}

bool Fringe::read_bytes(const Segment& segment, std::string& bytes) const {
  bytes.resize(segment.size);
  return file_->read(segment.offset, bytes);
}

bool Fringe::read_segment(const Segment& segment, std::vector<SpilledPlan>& plans) const {
  std::string bytes;
  plans.clear();
  return read_bytes(segment, bytes) && parse(bytes, segment.count, settings_.keeps_inner, plans);
}

// False where the bytes are not those of so many plans. Threads may be any.
bool Fringe::parse(std::string_view bytes, std::uint32_t count, bool has_parents,
                   std::vector<SpilledPlan>& plans) {
  plans.clear();
  ByteReader in(bytes);
  for (std::uint32_t i = 0; i < count && in.ok(); ++i) {
    SpilledPlan plan;
    if (has_parents) plan.parent = static_cast<Node>(get_number(in));
    auto shared = static_cast<std::size_t>(get_number(in));
    std::uint64_t further = get_number(in);
    std::uint64_t cost = get_number(in);
    plan.cost = static_cast<std::uint32_t>(cost >> 1);
    plan.again = (cost & 1) != 0;
    if (shared > 0) {
      if (plans.empty() || plans.back().departures.size() < shared) return false;
      plan.departures.assign(plans.back().departures.begin(),
                             plans.back().departures.begin() + static_cast<std::ptrdiff_t>(shared));
    }
    for (; further > 0 && in.ok(); --further) {
      auto kinds = in.get<std::uint8_t>();
      Departure departure;
      departure.key.kind = static_cast<ChoiceKind>(kinds >> 4);
      departure.option.via = static_cast<Via>(kinds & 0xf);
      if (departure.key.kind > ChoiceKind::value || departure.option.via > kLastVia) return false;
      departure.key.thread = static_cast<ThreadId>(get_number(in));
      departure.key.index = static_cast<std::uint32_t>(get_number(in));
      departure.option.value = static_cast<std::uint16_t>(get_number(in));
      plan.departures.push_back(departure);
    }
    if (plan.cost > kCostMax) return false;
    plans.push_back(std::move(plan));
  }
  return in.ok() && in.at_end();
}

void Fringe::fail() { problem_ = file_ ? file_->problem() : "no file for the search"; }

}  // namespace thrum
