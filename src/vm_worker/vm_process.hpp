// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// thrum-vm as the worker of a search (worker/): a copy of the process has the machine and all its memory, so
// it can search a part at once.
//
// Thread safety: none; one object in a process.
#pragma once

#include <string>

#include "vm/race_names.hpp"
#include "vm_worker/worker_program.hpp"
#include "vm_worker/world.hpp"
#include "worker/search_state.hpp"
#include "worker/suite_file.hpp"
#include "worker/worker_process.hpp"

namespace thrum {

class VmProcess final : public WorkerProcess {
 public:
  // Both must outlive it.
  VmProcess(VmWorld& world, WorkerProgram& program);

  SearchState& state() { return state_; }
  SuiteFile& suite() { return suite_; }
  WorkerProgram& worker_program() { return program_; }

  Program& program() override { return program_; }
  ThreadNames& names() override { return program_.names(); }
  const Job& job() override { return world_.job(); }
  double seconds() override;

  Board& board() override { return world_.board(); }
  Channel& channel() override { return world_.channel(); }
  void enter_channel(std::uint32_t slot) override { world_.enter_channel(slot); }
  Channel& open_channel(std::uint32_t slot, OpenedFor) override { return world_.channel_of(slot); }
  void close_channel(Channel&) override {}
  pid_t supervisor() override { return world_.supervisor(); }

  bool begin_as_copy() override;
  void note_copy() override;
  [[noreturn]] void run_on_new_stack(void (*body)()) override;

  bool restarts() override { return machine().restarts_search; }
  void restart() override { machine().restarts_search = true; }
  std::string alone() override { return alone_; }
  void stay_alone(const std::string& why) override;
  bool shares() override { return shares_; }
  void set_shares(bool shares) override { shares_ = shares; }

  void add_notes(ReportSoFar& report) override;
  std::vector<KnownRace> known_races() override { return vm::names_of(machine().known_races); }
  void use_races(std::size_t count) override { machine().known_races.use(count); }
  void write_learned(ByteWriter& out) override;
  void read_learned(ByteReader& in, bool same_layout, const ReportSoFar& report) override;
  void begin_part() override;
  void watch_warnings(bool watch) override { program_.warnings().watch(watch); }
  void merge_learned(ByteReader& in, const ReportSoFar& report) override;

  void write_identity(ByteWriter& out) override;
  std::string changed_part(ByteReader& in) override;
  std::uint64_t layout() override { return 0; }  // the same in every process

 private:
  void add_learned(ByteReader& in, const ReportSoFar& report);
  vm::Machine& machine() { return program_.program().machine(); }

  VmWorld& world_;
  WorkerProgram& program_;
  SearchState state_;
  SuiteFile suite_;
  std::string alone_;
  bool shares_ = false;
};

// A file for what a search has no room for in memory.
std::unique_ptr<SpillFile> make_vm_spill_file();

}  // namespace thrum
