// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/drive/search_state.hpp"

#include <sys/mman.h>
#include <cerrno>

#include "runtime/base/engine.hpp"
#include "runtime/base/modules.hpp"
#include "runtime/base/notes.hpp"
#include "runtime/base/raw_syscall.hpp"
#include "runtime/base/world.hpp"
#include "runtime/drive/native_program.hpp"
#include "runtime/drive/parts.hpp"
#include "runtime/judge/race_judge.hpp"
#include "runtime/judge/warnings.hpp"
#include "runtime/kernel/files.hpp"
#include "runtime/memory/heap.hpp"
#include "runtime/threads/loader.hpp"
#include "runtime/threads/round_detector.hpp"
#include "runtime/threads/scheduler.hpp"
#include "runtime/threads/test_framework.hpp"

// The begin of main's stack, which depends on the size of the environment (a variable of the dynamic loader).
extern "C" void* __libc_stack_end;

namespace thrum {

constinit Forever<SearchState> the_search_state;

namespace {

constexpr long kFilePage = 4096;

// Writes to the file, from an offset on.
class StateWriter final : public ByteWriter::Sink {
 public:
  StateWriter(long file, std::uint64_t offset) : file_(file), offset_(offset) {
    fail(raw_syscall(SYS_ftruncate, file, static_cast<long>(offset)));
  }

  void take(std::string_view bytes) override {
    digest_.add(bytes);
    while (!bytes.empty() && error_ == 0) {
      long result = raw_syscall(SYS_pwrite64, file_, reinterpret_cast<long>(bytes.data()),
                                static_cast<long>(bytes.size()), static_cast<long>(offset_ + size_));
      if (result == -EINTR) continue;
      if (fail(result == 0 ? -EIO : result)) return;
      bytes.remove_prefix(static_cast<std::size_t>(result));
      size_ += static_cast<std::uint64_t>(result);
    }
  }

  Channel::PassedState passed(std::uint64_t executions, double seconds) const {
    return {offset_, error_ == 0 ? size_ : 0, digest_.value(), error_, executions, seconds};
  }

 private:
  bool fail(long result) {
    if (result >= 0) return false;
    error_ = -result;
    return true;
  }

  long file_;
  std::uint64_t offset_;
  std::uint64_t size_ = 0;
  std::int64_t error_ = 0;
  StreamDigest digest_;
};

// A digest of the addresses by which objects are told apart.
std::uint64_t layout() {
  Digest digest;
  const std::uint64_t words[] = {reinterpret_cast<std::uint64_t>(__libc_stack_end),
                                 reinterpret_cast<std::uint64_t>(the_heap.region_begin(0)),
                                 address_in_module({Place::Space::module, 0, 0, 0}), runtime_range().begin};
  digest.add(reinterpret_cast<const char*>(words), sizeof words);
  return digest.value();
}

void put_names(ByteWriter& out) {
  const ThreadNames& names = *world.names;
  out.put(static_cast<std::uint32_t>(names.size()));
  for (std::size_t id = 0; id < names.size(); ++id) out.put_string(names.name(static_cast<ThreadId>(id)));
}

void get_names(ByteReader& in) {
  for (std::uint32_t left = in.get_count(); left > 0 && in.ok(); --left) {
    if (!world.names->parse(in.get_string())) in.fail();
  }
}

void put_modules(ByteWriter& out) {
  const std::vector<ModuleContent> contents = module_contents();
  out.put(static_cast<std::uint32_t>(contents.size()));
  for (const ModuleContent& content : contents) {
    out.put_string(content.name);
    out.put(content.digest);
  }
}

// The name of a module that is not the same as when the state was saved; empty if there is none.
std::string changed_module(ByteReader& in) {
  std::vector<ModuleContent> now = module_contents();
  const std::uint32_t count = in.get_count();
  std::string changed;
  for (std::uint32_t i = 0; i < count && in.ok(); ++i) {
    const std::string name = in.get_string();
    const auto digest = in.get<std::uint64_t>();
    const bool same = i < now.size() && now[i].digest == digest && (i == 0 || now[i].name == name);
    if (!same && changed.empty()) changed = name;
  }
  if (changed.empty() && now.size() > count) changed = now[count].name;
  return changed;
}

}  // namespace

void SearchState::initialize() {
  const long inherited = world.board->state_file;
  if (inherited == 0) return;
  file_ = move_to_own_descriptors(inherited);
}

bool SearchState::wants(bool last) {
  last_ = last;
  const Channel& channel = *world.channel;
  return last || channel.state_asked.load(std::memory_order_acquire) !=
                     channel.state_answered.load(std::memory_order_relaxed);
}

bool SearchState::is_there() const { return is_wanted() && world.board->state_to_take_up != 0; }

void SearchState::put_down(const SearchSoFar& so_far, const SearchResult& before, Strategy& strategy,
                           const Digest& digest, Fairness fairness) {
  Passing passing;
  const double begun = search_seconds();
  Channel& channel = *world.channel;
  // The supervisor may still be reading the state that it asked for last.
  const std::uint64_t used = channel.state_answered != 0 ? channel.state.offset + channel.state.size : 0;
  StateWriter file(file_, last_ ? (used + kFilePage - 1) / kFilePage * kFilePage : 0);
  ByteWriter out(file);
  const ThreadNames& names = *world.names;
  put_names(out);
  loader().save(out);
  put_modules(out);
  out.put(layout());
  ReportSoFar report{before, so_far.result, {}, {}, race_judge().known().places()};
  notes().save(report);
  write_so_far(out, report, names);
  for_all<kSearchParts, &SearchPart::write>(out, names);
  out.put(digest.state());
  out.put(fairness);
  out.settle();
  so_far.statistics.save(out);
  strategy.durable()->save(out, names);
  out.flush();
  const std::uint64_t executions = before.executions + so_far.result.executions;
  if (last_) {
    channel.last_state = file.passed(executions, search_seconds() - begun);
    channel.has_last_state.store(1, std::memory_order_release);
  } else {
    channel.state = file.passed(executions, search_seconds() - begun);
    channel.state_answered.store(channel.state_asked.load(std::memory_order_relaxed),
                                 std::memory_order_release);
  }
}

std::string SearchState::take_up(SearchSoFar& so_far, SearchResult& before, Strategy& strategy,
                                 Digest& digest, Fairness& fairness,
                                 const std::function<void()>& load_library) {
  Passing passing;
  const std::uint64_t size = world.board->state_to_take_up;
  world.board->state_to_take_up = 0;
  const long memory = raw_syscall(SYS_mmap, 0, static_cast<long>(size), PROT_READ, MAP_PRIVATE, file_, 0);
  if (memory < 0 && memory > -kFilePage) return "there is no memory for it";
  ByteReader in({reinterpret_cast<const char*>(memory), size});
  std::string problem = read(in, so_far, before, strategy, digest, fairness, load_library);
  raw_syscall(SYS_munmap, memory, static_cast<long>(size));
  return problem;
}

std::string SearchState::read(ByteReader& in, SearchSoFar& so_far, SearchResult& before, Strategy& strategy,
                              Digest& digest, Fairness& fairness, const std::function<void()>& load_library) {
  get_names(in);
  loader().load_again(in, load_library);
  if (std::string changed = changed_module(in); in.ok() && !changed.empty())
    return changed + " is another one than it was then";
  const bool same_layout = in.get<std::uint64_t>() == layout();
  // What a reduction leaves out depends on which objects are the same.
  if (in.ok() && !same_layout && strategy.durable()->keeps_addresses())
    return "objects have other addresses than then, by randomisation or an environment of another size";
  std::optional<ReportSoFar> report = read_so_far(in, *world.names);
  if (report) {
    before = std::move(report->before);
    so_far.result = std::move(report->result);
    // The races given by the job are known already.
    const std::size_t given = std::min(world.job->known_races.size(), report->known_races.size());
    race_judge().known().add(std::span(report->known_races).subspan(given));
    Saved saved{in, *world.names, same_layout, *report};
    for_all<kSearchParts, &SearchPart::read>(saved);
  }
  digest.set_state(in.get<std::uint64_t>());
  fairness = in.get<Fairness>();
  if (fairness > Fairness::on) in.fail();
  so_far.statistics.load(in);
  if (!same_layout) so_far.statistics.forget_classes();
  const bool whole = report && in.ok() && strategy.durable()->load(in, *world.names) && in.at_end();
  return whole ? "" : "it is not the state of such a search";
}

void SearchState::put_part(ByteWriter& out, const SearchSoFar& so_far, Strategy& strategy) {
  const ThreadNames& names = *world.names;
  out.put(world.restarts);
  out.put_string(world.alone != nullptr ? world.alone : "");
  loader().save(out);
  ReportSoFar report{{}, so_far.result, {}, {}, {}};
  notes().save(report);
  write_so_far(out, report, names);
  out.put(so_far.result.starved);
  for_all<kSearchParts, &SearchPart::write>(out, names);
  so_far.statistics.save(out);
  strategy.durable()->save(out, names);
}

bool SearchState::take_part(ByteReader& in, SearchSoFar& so_far, Strategy& strategy,
                            const std::function<void()>& load_library) {
  ThreadNames& names = *world.names;
  world.restarts |= in.get<bool>();
  if (const std::string alone = in.get_string(); !alone.empty()) stay_alone(alone);
  loader().load_again(in, load_library);
  std::optional<ReportSoFar> report = read_so_far(in, names);
  if (!report) return false;
  so_far.result = std::move(report->result);
  so_far.result.starved = in.get<bool>();
  Saved saved{in, names, true, *report};
  for_all<kSearchParts, &SearchPart::merge>(saved);
  so_far.statistics.load(in);
  return in.ok() && strategy.durable()->load(in, names) && in.at_end();
}

}  // namespace thrum
