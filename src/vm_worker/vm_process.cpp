// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm_worker/vm_process.hpp"

#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "support/check.hpp"
#include "support/digest.hpp"
#include "worker/temporary_file.hpp"

namespace thrum {

namespace {

constexpr std::size_t kStackSize = std::size_t{8} << 20;
constexpr long kFirstDescriptor = 3;

std::uint32_t g_copies = 0;  // of this process, that may replace it
std::string g_folder;        // for files of a search

long given(std::int32_t descriptor) { return descriptor == 0 ? -1 : descriptor; }

// Code has the same numbers in all processes.
void put_code(ByteWriter& out, std::uint64_t code) { out.put(code); }
std::uint64_t get_code(ByteReader& in) { return in.get<std::uint64_t>(); }

// What the machine runs: the program, and the libraries that were linked to it.
std::vector<std::string> files_of(const Job& job, const vm::Machine& machine) {
  std::vector<std::string> files = {machine.settings.arguments.front()};
  for (const std::string& library : {job.cpp_bitcode, job.c_bitcode}) {
    if (!library.empty()) files.push_back(library);
  }
  return files;
}

std::uint64_t content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  Digest digest;
  digest.add(bytes.data(), bytes.size());
  return digest.value();
}

// There are two stacks, used in turns.
void* next_stack() {
  static void* stacks[2] = {};
  static int next = 0;
  void*& stack = stacks[next];
  next = 1 - next;
  if (stack == nullptr) {
    stack =
        mmap(nullptr, kStackSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    THRUM_CHECK(stack != MAP_FAILED);
  }
  return stack;
}

}  // namespace

VmProcess::VmProcess(VmWorld& world, WorkerProgram& program)
    : world_(world),
      program_(program),
      state_(*this, given(world.board().state_file)),
      suite_(*this, given(world.board().suite_file)) {
  g_folder = world.job().temporary_folder;
}

double VmProcess::seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool VmProcess::begin_as_copy() {
  WorkerProgram::begin_as_copy();
  return true;
}

void VmProcess::note_copy() { ++g_copies; }

void VmProcess::run_on_new_stack(void (*body)()) {
  static ucontext_t context;
  THRUM_CHECK(getcontext(&context) == 0);
  context.uc_stack.ss_sp = next_stack();
  context.uc_stack.ss_size = kStackSize;
  context.uc_link = nullptr;
  makecontext(&context, body, 0);
  setcontext(&context);
  THRUM_CHECK(false);
  __builtin_unreachable();
}

void VmProcess::stay_alone(const std::string& why) {
  if (alone_.empty()) alone_ = why;
}

void VmProcess::add_notes(ReportSoFar& report) { report.notes = program_.notes(); }

void VmProcess::write_learned(ByteWriter& out) {
  std::as_const(machine()).write_learned(out);
  program_.warnings().save(out, program_.names(), put_code);
}

void VmProcess::read_learned(ByteReader& in, bool same_layout, const ReportSoFar& report) {
  program_.forget_notes();
  // The races given by the job are known already.
  const std::size_t given = std::min(job().known_races.size(), report.known_races.size());
  vm::add_by_names(machine().known_races, std::span(report.known_races).subspan(given));
  add_learned(in, report);
  program_.warnings().load(in, program_.names(), same_layout, get_code);
}

void VmProcess::begin_part() {
  program_.forget_notes();
  machine().tests.skipped = 0;
  program_.warnings().begin_part();
}

void VmProcess::merge_learned(ByteReader& in, const ReportSoFar& report) {
  add_learned(in, report);
  program_.warnings().merge(in, program_.names(), get_code);
}

void VmProcess::add_learned(ByteReader& in, const ReportSoFar& report) {
  for (const Note& note : report.notes) program_.add_note(note);
  machine().add_learned(in);
}

void VmProcess::write_identity(ByteWriter& out) {
  const std::vector<std::string> files = files_of(job(), machine());
  out.put(static_cast<std::uint32_t>(files.size()));
  for (const std::string& file : files) {
    out.put_string(file);
    out.put(content_of(file));
  }
}

std::string VmProcess::changed_part(ByteReader& in) {
  const std::vector<std::string> now = files_of(job(), machine());
  const std::uint32_t count = in.get_count();
  std::string changed;
  for (std::uint32_t i = 0; i < count && in.ok(); ++i) {
    const std::string name = in.get_string();
    const auto content = in.get<std::uint64_t>();
    if (changed.empty() && (i >= now.size() || content_of(now[i]) != content)) changed = name;
  }
  if (changed.empty() && now.size() > count) changed = now[count];
  return changed;
}

std::unique_ptr<SpillFile> make_vm_spill_file() {
  return std::make_unique<TemporaryFile>(g_folder, kFirstDescriptor, g_copies);
}

}  // namespace thrum
