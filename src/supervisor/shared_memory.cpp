// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "supervisor/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

namespace thrum {

namespace {

constexpr std::size_t kReportOffset = offsetof(Channel, report);
constexpr std::size_t kMapped = kReportOffset + Channel::kMessageMax;  // of a channel

// The workers' thread ids in terms of ours.
std::vector<ThreadId> translate_threads(const SharedThreadIds& threads, ThreadNames& names) {
  constexpr std::uint32_t kOrdinalMax = 1 << 15;
  std::vector<ThreadId> ids = {kMainThread};
  while (std::optional<Ancestry> thread = threads.at(ids.size())) {
    if (thread->ordinal > kOrdinalMax || names.size() + 1 >= kNoThread) break;
    ids.push_back(names.child(ids[thread->parent], thread->ordinal));
  }
  return ids;
}

// A part of the file, for as long as it is there; empty where it cannot be mapped.
class Bytes {
 public:
  Bytes(int descriptor, std::uint64_t begin, std::uint64_t size) {
    const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    const std::uint64_t before = begin % page;
    length_ = before + size;
    memory_ = mmap(nullptr, length_, PROT_READ, MAP_SHARED, descriptor, static_cast<off_t>(begin - before));
    if (memory_ != MAP_FAILED) text_ = {static_cast<const char*>(memory_) + before, size};
  }
  ~Bytes() {
    if (memory_ != MAP_FAILED) munmap(memory_, length_);
  }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;

  std::string_view text() const { return text_; }

 private:
  void* memory_;
  std::size_t length_;
  std::string_view text_;
};

}  // namespace

SharedMemory::SharedMemory(const Job& job, const ThreadNames& names) : channels_(kChannelsMax) {
  ByteWriter bytes;
  write_job(bytes, job, names);
  if (bytes.bytes().size() > Board::kJobMax) {
    problem_ = "the schedule is too long to be passed to the program";
    return;
  }
  descriptor_ = memfd_create("thrum", 0);
  if (descriptor_ < 0 || ftruncate(descriptor_, static_cast<off_t>(kSharedSize)) != 0) {
    problem_ = std::string("shared memory: ") + std::strerror(errno);
    return;
  }
  void* memory = mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (memory == MAP_FAILED) {
    problem_ = std::string("shared memory: ") + std::strerror(errno);
    return;
  }
  void* ledger = mmap(nullptr, sizeof(Ledger), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_,
                      static_cast<off_t>(kLedgerOffset));
  if (ledger == MAP_FAILED) {
    problem_ = std::string("shared memory: ") + std::strerror(errno);
    return;
  }
  ledger_ = static_cast<Ledger*>(ledger);
  board_ = static_cast<Board*>(memory);  // zeros are a valid board, and valid channels
  board_->magic = Board::kMagic;
  std::memcpy(board_->job, bytes.bytes().data(), bytes.bytes().size());
  board_->job_size = static_cast<std::uint32_t>(bytes.bytes().size());
}

SharedMemory::~SharedMemory() {
  for (Channel* channel : channels_) {
    if (channel != nullptr) munmap(channel, kMapped);
  }
  if (board_ != nullptr) munmap(board_, sizeof(Board));
  if (ledger_ != nullptr) munmap(ledger_, sizeof(Ledger));
  if (descriptor_ >= 0) close(descriptor_);
}

// Longer reports are mapped when they are there, so that a limit on address space is no obstacle.
Channel& SharedMemory::channel(std::uint32_t slot) {
  Channel*& channel = channels_[slot];
  if (channel == nullptr) {
    void* memory = mmap(nullptr, kMapped, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_,
                        static_cast<off_t>(channel_offset(slot)));
    if (memory == MAP_FAILED) throw std::bad_alloc();
    channel = static_cast<Channel*>(memory);
  }
  return *channel;
}

void SharedMemory::clear(std::uint32_t slot) {
  fallocate(descriptor_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(channel_offset(slot)),
            static_cast<off_t>(kChannelSize));
}

std::optional<Report> SharedMemory::report(ThreadNames& names) {
  std::uint64_t size = channel(0).report_size.load(std::memory_order_acquire);
  if (size == 0 || size > kChannelSize - kReportOffset) return std::nullopt;
  const Bytes bytes(descriptor_, channel_offset(0) + kReportOffset, size);
  ByteReader in(bytes.text());
  return read_report(in, names);
}

void SharedMemory::add_seen(Seen& seen, ThreadNames& names) {
  const std::uint32_t count = std::min(ledger_->count.load(), Ledger::kEntriesMax);
  for (std::uint32_t i = 0; i < count; ++i) {
    const Ledger::Entry& entry = ledger_->entries[i];
    if (entry.is_whole.load(std::memory_order_acquire) == 0) continue;
    if (entry.begin > kLedgerBytesMax || entry.size > kLedgerBytesMax - entry.begin) continue;
    const Bytes bytes(descriptor_, kLedgerOffset + sizeof(Ledger) + entry.begin, entry.size);
    ByteReader in(bytes.text());
    if (entry.kind == Ledger::Kind::level) {
      if (std::optional<Report> level = read_report(in, names)) seen.level = std::move(level);
      continue;
    }
    std::optional<FoundBug> bug = read_bug(in, names);
    if (!bug) continue;
    FoundBug* known = find_bug(seen.bugs, bug->failure);
    if (known == nullptr) {
      seen.bugs.push_back(std::move(*bug));
    } else if (bug->unconfirmed.empty() || !known->unconfirmed.empty()) {
      *known = std::move(*bug);  // more is known of it than before
    }
  }
}

Plan SharedMemory::running_plan(std::uint32_t slot, ThreadNames& names) {
  Plan plan;
  const Channel& shared = channel(slot);
  std::vector<ThreadId> ids = translate_threads(board_->threads, names);
  const Channel::RunningPolicy& policy = shared.policy;
  Policy running{.kind = policy.kind,
                 .base = policy.base,
                 .seed = policy.seed,
                 .fairness = policy.fairness,
                 .waiting = policy.waiting,
                 .rounds = policy.rounds};
  const std::uint32_t parameters = std::min(policy.parameter_count, Channel::kParametersMax);
  running.parameters.assign(policy.parameters, policy.parameters + parameters);
  std::uint32_t counts = std::min(shared.count_count, Channel::kCountsMax);
  for (std::uint32_t i = 0; i < counts && shared.counts[i].thread < ids.size(); ++i)
    running.counts.push_back({ids[shared.counts[i].thread], shared.counts[i].count});
  if (is_possible(running)) plan.policy = std::move(running);
  std::uint32_t count = std::min(shared.departure_count, Channel::kDeparturesMax);
  for (std::uint32_t i = 0; i < count; ++i) {
    Departure departure = shared.departures[i];
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
