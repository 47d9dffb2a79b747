// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "campaign/accompanied.hpp"

#include <array>

#include "search/random/pos.hpp"
#include "search/random/random_walk.hpp"
#include "search/random/surw.hpp"
#include "support/hash.hpp"

namespace thrum {

namespace {

constexpr std::array<std::string_view, 3> kSamples = {"pos", "surw", "random"};

std::unique_ptr<Strategy> make_sample(std::uint32_t which, std::uint64_t seed) {
  switch (which) {
    case 0: return std::make_unique<Pos>(seed);
    case 1: return std::make_unique<Surw>(seed, false);
    default: return std::make_unique<RandomWalk>(seed);
  }
}

}  // namespace

Accompanied::Accompanied(std::string_view name, std::uint32_t sample, std::uint64_t seed)
    : name_(name), own_(make_sample(sample, seed)), seed_(seed), sample_(sample) {}

bool Accompanied::next(Plan& plan) {
  is_over_ = !own_->next(plan);
  ++executions_;
  return !is_over_;
}

// Each worker has a seed of its own, and the random strategies take turns.
std::unique_ptr<Strategy> Accompanied::split() {
  if (samples() || executions_ < kAlone) return nullptr;
  const auto sample = static_cast<std::uint32_t>(given_ % kSamples.size());
  ++given_;
  return std::unique_ptr<Strategy>(new Accompanied(name_, sample, mixed(seed_, given_)));
}

Progress Accompanied::progress() {
  Progress progress = own_->reporting().progress();
  if (samples()) progress.share = 0;
  return progress;
}

std::string_view Accompanied::member() const { return samples() ? kSamples[sample_] : name_; }

void Accompanied::save(ByteWriter& out, const ThreadNames& names) const {
  out.put(seed_);
  out.put(sample_);
  out.put(executions_);
  out.put(given_);
  if (samples()) names.save(out);  // of the threads that it has counted; the search saves its own
  own_->durable()->save(out, names);
}

bool Accompanied::load(ByteReader& in, ThreadNames& names) {
  seed_ = in.get<std::uint64_t>();
  sample_ = in.get<std::uint32_t>();
  executions_ = in.get<std::uint64_t>();
  given_ = in.get<std::uint32_t>();
  if (samples() && sample_ >= kSamples.size()) return false;
  if (samples()) {
    own_ = make_sample(sample_, seed_);
    if (!names.load(in)) return false;
  }
  return own_->durable()->load(in, names) && in.ok();
}

}  // namespace thrum
