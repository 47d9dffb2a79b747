// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "supervisor/shared_channel.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>

namespace thrum {

namespace {

constexpr std::size_t kReportOffset = offsetof(Channel, report);

// The worker's thread ids in terms of ours.
std::vector<ThreadId> translate_threads(const Channel& channel, ThreadNames& names) {
  constexpr std::uint32_t kOrdinalMax = 1 << 15;
  std::vector<ThreadId> ids = {kMainThread};
  std::uint32_t count = std::min(channel.thread_count.load(), Channel::kThreadsMax);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Channel::NamedThread& thread = channel.threads[i];
    bool sound = thread.parent < ids.size() && thread.ordinal > 0 && thread.ordinal <= kOrdinalMax;
    if (!sound || names.size() + 1 >= kNoThread) break;
    ids.push_back(names.child(ids[thread.parent], thread.ordinal));
  }
  return ids;
}

}  // namespace

SharedChannel::SharedChannel(const Job& job, const ThreadNames& names) {
  ByteWriter bytes;
  write_job(bytes, job, names);
  if (bytes.bytes().size() > Channel::kJobMax) {
    problem_ = "the schedule is too long to be passed to the program";
    return;
  }
  descriptor_ = memfd_create("thrum", 0);
  if (descriptor_ < 0 || ftruncate(descriptor_, static_cast<off_t>(kChannelSize)) != 0) {
    problem_ = std::string("shared memory: ") + std::strerror(errno);
    return;
  }
  // The report is mapped when it is there, so that a limit on address space is no obstacle.
  void* memory = mmap(nullptr, kReportOffset, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (memory == MAP_FAILED) {
    problem_ = std::string("shared memory: ") + std::strerror(errno);
    return;
  }
  channel_ = static_cast<Channel*>(memory);  // zeros are a valid channel
  channel_->magic = Channel::kMagic;
  std::memcpy(channel_->job, bytes.bytes().data(), bytes.bytes().size());
  channel_->job_size = static_cast<std::uint32_t>(bytes.bytes().size());
}

SharedChannel::~SharedChannel() {
  if (channel_ != nullptr) munmap(channel_, kReportOffset);
  if (descriptor_ >= 0) close(descriptor_);
}

std::optional<Report> SharedChannel::report(ThreadNames& names) const {
  std::uint64_t size = channel_->report_size.load(std::memory_order_acquire);
  if (size == 0 || size > kChannelSize - kReportOffset) return std::nullopt;
  auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::size_t begin = kReportOffset / page * page;
  std::size_t length = kReportOffset - begin + size;
  void* memory = mmap(nullptr, length, PROT_READ, MAP_SHARED, descriptor_, static_cast<off_t>(begin));
  if (memory == MAP_FAILED) return std::nullopt;
  ByteReader in(std::string_view(static_cast<char*>(memory) + (kReportOffset - begin), size));
  std::optional<Report> report = read_report(in, names);
  munmap(memory, length);
  return report;
}

Plan SharedChannel::running_plan(ThreadNames& names) const {
  Plan plan;
  std::vector<ThreadId> ids = translate_threads(*channel_, names);
  const Channel::RunningPolicy& policy = channel_->policy;
  if (policy.kind <= kLastPolicy && policy.base <= Base::round_robin && policy.depth <= kPctDepthMax &&
      policy.fairness <= Fairness::on) {
    plan.policy = {policy.kind,  policy.base,   policy.seed, policy.depth,
                   policy.steps, policy.object, {},          policy.fairness};
  }
  std::uint32_t counts = std::min(channel_->count_count, Channel::kCountsMax);
  for (std::uint32_t i = 0; i < counts && channel_->counts[i].thread < ids.size(); ++i)
    plan.policy.counts.push_back({ids[channel_->counts[i].thread], channel_->counts[i].count});
  std::uint32_t count = std::min(channel_->departure_count, Channel::kDeparturesMax);
  for (std::uint32_t i = 0; i < count; ++i) {
    Departure departure = channel_->departures[i];
    bool names_thread = departure.key.kind != ChoiceKind::value;
    bool sound = departure.key.kind <= ChoiceKind::value && departure.option.via <= kLastVia &&
                 departure.key.thread < ids.size() && (!names_thread || departure.option.value < ids.size());
    if (!sound) break;
    departure.key.thread = ids[departure.key.thread];
    if (names_thread) departure.option.value = ids[departure.option.value];
    plan.departures.push_back(departure);
  }
  return plan;
}

}  // namespace thrum
