// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/drive/native_worker.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/engine.hpp"
#include "runtime/base/fiber.hpp"
#include "runtime/base/modules.hpp"
#include "runtime/base/notes.hpp"
#include "runtime/base/world.hpp"
#include "runtime/drive/parts.hpp"
#include "runtime/judge/race_judge.hpp"
#include "runtime/judge/race_names.hpp"
#include "runtime/judge/recorded_values.hpp"
#include "runtime/judge/warnings.hpp"
#include "runtime/kernel/descriptors.hpp"
#include "runtime/kernel/files.hpp"
#include "runtime/kernel/system_call_watch.hpp"
#include "runtime/memory/heap.hpp"
#include "runtime/threads/loader.hpp"
#include "support/digest.hpp"

// The begin of main's stack, which depends on the size of the environment (a variable of the dynamic loader).
extern "C" void* __libc_stack_end;

namespace thrum {

namespace {

class NativeWorker final : public WorkerProcess {
 public:
  Program& program() override { return native_program(); }
  ThreadNames& names() override { return *world.names; }
  const Job& job() override { return *world.job; }
  double seconds() override { return search_seconds(); }

  Board& board() override { return *world.board; }
  Channel& channel() override { return *world.channel; }
  void enter_channel(std::uint32_t slot) override { thrum::enter_channel(slot); }
  Channel& open_channel(std::uint32_t slot, OpenedFor use) override {
    return thrum::open_channel(slot, use == OpenedFor::writing);
  }
  void close_channel(Channel& channel) override { thrum::close_channel(channel); }
  pid_t supervisor() override { return world.supervisor; }

  bool can_be_copied() override { return !on_system_threads(); }  // a copy would have none
  std::string problem_of_sharing() override {
    return descriptors().reopen_files(true) ? "" : "a file that is open cannot be opened once more";
  }
  bool begin_as_copy() override {
    rewatch_system_calls();
    return descriptors().reopen_files(false);
  }
  void note_copy() override { ++world.copies; }
  [[noreturn]] void run_on_new_stack(void (*body)()) override { thrum::run_on_new_stack(body); }

  bool restarts() override { return world.restarts; }
  void restart() override { world.restarts = true; }
  std::string alone() override { return world.alone != nullptr ? world.alone : ""; }
  void stay_alone(const std::string& why) override { thrum::stay_alone(why); }
  bool shares() override { return shares_search; }
  void set_shares(bool shares) override { shares_search = shares; }
  std::size_t shared_cells() override { return recorded_values().shared(); }

  void add_notes(ReportSoFar& report) override { notes().save(report); }
  std::vector<KnownRace> known_races() override { return names_of(race_judge().known()); }
  void use_races(std::size_t count) override { race_judge().known().use(count); }
  void watch_warnings(bool watch) override { warnings().watch(watch); }
  void write_loaded(ByteWriter& out) override { loader().save(out); }
  void read_loaded(ByteReader& in) override { loader().load_again(in, load_library); }
  void write_learned(ByteWriter& out) override {
    for_all<kSearchParts, &SearchPart::write>(out, std::as_const(*world.names));
  }
  void read_learned(ByteReader& in, bool same_layout, const ReportSoFar& report) override;
  void begin_part() override { for_all<kSearchParts, &SearchPart::begin_share>(); }
  void merge_learned(ByteReader& in, const ReportSoFar& report) override {
    Saved saved{in, *world.names, true, report};
    for_all<kSearchParts, &SearchPart::merge>(saved);
  }

  void write_identity(ByteWriter& out) override;
  std::string changed_part(ByteReader& in) override;
  std::uint64_t layout() override;
};

void NativeWorker::read_learned(ByteReader& in, bool same_layout, const ReportSoFar& report) {
  // The races given by the job are known already.
  const std::size_t given = std::min(world.job->known_races.size(), report.known_races.size());
  add_by_names(race_judge().known(), std::span(report.known_races).subspan(given));
  Saved saved{in, *world.names, same_layout, report};
  for_all<kSearchParts, &SearchPart::read>(saved);
}

void NativeWorker::write_identity(ByteWriter& out) {
  const std::vector<ModuleContent> contents = module_contents();
  out.put(static_cast<std::uint32_t>(contents.size()));
  for (const ModuleContent& content : contents) {
    out.put_string(content.name);
    out.put(content.digest);
  }
}

std::string NativeWorker::changed_part(ByteReader& in) {
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

std::uint64_t NativeWorker::layout() {
  Digest digest;
  const std::uint64_t words[] = {reinterpret_cast<std::uint64_t>(__libc_stack_end),
                                 reinterpret_cast<std::uint64_t>(the_heap.region_begin(0)),
                                 address_in_module({Place::Space::module, 0, 0, 0}), runtime_range().begin};
  digest.add(reinterpret_cast<const char*>(words), sizeof words);
  return digest.value();
}

long own_descriptor(long inherited) { return inherited == 0 ? -1 : move_to_own_descriptors(inherited); }

struct Worker {
  NativeProgram program;
  NativeWorker process;
  SearchState state{process, own_descriptor(world.board->state_file)};
  SuiteFile suite{process, own_descriptor(world.board->suite_file)};
};
Worker* g_worker = nullptr;  // never destroyed: the process ends in many ways

}  // namespace

void initialize_worker() { g_worker = new Worker; }

NativeProgram& native_program() { return g_worker->program; }
WorkerProcess& worker_process() { return g_worker->process; }
SearchState& search_state() { return g_worker->state; }
SuiteFile& suite_file() { return g_worker->suite; }

}  // namespace thrum
