// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/world.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <cstring>
#include <span>
#include <utility>

#include "protocol/search_channel.hpp"
#include "runtime/base/fiber.hpp"
#include "support/check.hpp"
#include "support/raw_syscall.hpp"

namespace thrum {

constinit std::atomic<std::uint64_t> plain_steps_left{0};
constinit World world;
std::uint64_t held_steps = 0;

namespace {

// The value of an environment variable as a number, or -1. It is read from the kernel: this may run before
// libc has set up its environment.
int number_from_environment(const char* name) {
  constexpr std::size_t kBuffer = 4096;
  char buffer[kBuffer];
  long file = raw_syscall(SYS_open, reinterpret_cast<long>("/proc/self/environ"), O_RDONLY | O_CLOEXEC);
  if (file < 0) return -1;
  std::size_t name_length = std::strlen(name);
  std::size_t matched = 0;  // characters of "NAME=" matched at the head of the present variable
  bool head = true;
  int value = -1;
  bool in_value = false;
  long count;
  while ((count = raw_syscall(SYS_read, file, reinterpret_cast<long>(buffer), kBuffer)) > 0) {
    for (long i = 0; i < count; ++i) {
      char c = buffer[i];
      if (c == '\0') {
        if (in_value) break;
        head = true;
        matched = 0;
      } else if (in_value) {
        value = value * 10 + (c - '0');
      } else if (head && matched < name_length && c == name[matched]) {
        ++matched;
      } else if (head && matched == name_length && c == '=') {
        in_value = true;
        value = 0;
      } else {
        head = false;
      }
    }
  }
  raw_syscall(SYS_close, file);
  return value;
}

Board* map_board(int descriptor) {
  long address = raw_syscall(SYS_mmap, 0, static_cast<long>(kSharedSize), PROT_NONE,
                             MAP_SHARED | MAP_NORESERVE, descriptor, 0);
  if (address < 0 && address > -4096) return nullptr;
  if (raw_syscall(SYS_mprotect, address, static_cast<long>(kBoardSize), PROT_READ | PROT_WRITE) != 0)
    return nullptr;
  if (raw_syscall(SYS_mprotect, address + static_cast<long>(kLedgerOffset), static_cast<long>(kLedgerSize),
                  PROT_READ | PROT_WRITE) != 0)
    return nullptr;
  auto* board = reinterpret_cast<Board*>(address);
  return board->magic == Board::kMagic ? board : nullptr;
}

// Finds the writable part of the module that holds `world`.
void find_own_memory() {
  dl_iterate_phdr(
      [](dl_phdr_info* module, std::size_t, void*) {
        const std::span segments(module->dlpi_phdr, module->dlpi_phnum);
        for (const auto& segment : segments) {
          const std::uint64_t begin = module->dlpi_addr + segment.p_vaddr;
          const bool is_variables = segment.p_type == PT_LOAD && (segment.p_flags & PF_W) != 0;
          if (!is_variables || reinterpret_cast<std::uint64_t>(&world) - begin >= segment.p_memsz) continue;
          world.own_begin = begin;
          world.own_size = segment.p_memsz;
          return 1;
        }
        return 0;
      },
      nullptr);
}

Channel& channel_of(std::uint32_t slot) {
  return *reinterpret_cast<Channel*>(reinterpret_cast<char*>(world.board) + channel_offset(slot));
}

void protect_channel(const Channel& channel, int protection) {
  const long result = raw_syscall(SYS_mprotect, reinterpret_cast<long>(&channel),
                                  static_cast<long>(kChannelSize), protection);
  THRUM_CHECK(result == 0);
}

}  // namespace

bool enter_world() {
  int descriptor = number_from_environment(kChannelVariable);
  Board* board = descriptor < 0 ? nullptr : map_board(descriptor);
  if (!board) {
    world.mode = Mode::plain;
    return false;
  }
  raw_syscall(SYS_close, descriptor);
  world.mode = Mode::searching;
  world.board = board;
  world.ledger = reinterpret_cast<Ledger*>(reinterpret_cast<char*>(board) + kLedgerOffset);
  world.process = static_cast<pid_t>(raw_syscall(SYS_getpid));
  world.supervisor = static_cast<pid_t>(raw_syscall(SYS_getppid));
  enter_channel(0);
  world.names = new ThreadNames;
  ByteReader in({board->job, board->job_size});
  std::optional<Job> job = read_job(in, *world.names);
  THRUM_CHECK(job.has_value());
  world.job = new Job(std::move(*job));
  THRUM_CHECK(world.names->share(board->threads));
  find_own_memory();
  // Not by _exit, which belongs to the program.
  set_internal_error_reporter([] { raw_syscall(SYS_exit_group, 4); });
  choose_switch(world.job->threads == Threads::system, world.job->fsgsbase);
  return true;
}

void enter_channel(std::uint32_t slot) {
  if (world.channel != nullptr) protect_channel(*world.channel, PROT_NONE);
  world.channel = &channel_of(slot);
  protect_channel(*world.channel, PROT_READ | PROT_WRITE);
  world.steps_left = &world.channel->steps_left;
}

Channel& open_channel(std::uint32_t slot, bool writing) {
  Channel& channel = channel_of(slot);
  protect_channel(channel, writing ? PROT_READ | PROT_WRITE : PROT_READ);
  return channel;
}

void close_channel(Channel& channel) { protect_channel(channel, PROT_NONE); }

namespace {

// The operation count when the execution was told to end at its next operation; kNotTold: it was not told.
constexpr std::uint64_t kNotTold = ~std::uint64_t{0};
std::uint64_t g_steps_when_told = kNotTold;

}  // namespace

void limit_steps(std::uint64_t limit, std::uint64_t done) {
  g_steps_when_told = kNotTold;
  held_steps = 0;
  limit_steps(*world.channel, limit, done);
}

// The execution may do so many more steps.
void add_steps(std::uint64_t steps) {
  Channel& channel = *world.channel;
  channel.steps.store(channel.steps.load() + steps);
  channel.steps_limit.store(channel.steps_limit.load() + steps, std::memory_order_relaxed);
  channel.steps_left.store(channel.steps_left.load() + steps, std::memory_order_relaxed);
}

void hold_steps() {
  const std::uint64_t left = world.channel->steps_left.load(std::memory_order_relaxed);
  if (left <= 1) return;
  held_steps += left - 1;
  add_steps(1 - left);
}

void release_steps() {
  if (held_steps != 0) add_steps(std::exchange(held_steps, 0));
}

bool take_held_step() {
  if (held_steps == 0 || g_steps_when_told != kNotTold) return false;
  --held_steps;
  add_steps(1);
  return true;
}

bool leave_steps(std::uint64_t steps) {
  std::uint64_t left = world.channel->steps_left.load(std::memory_order_relaxed);
  if (left <= steps) return false;
  world.channel->steps_left.store(left - steps, std::memory_order_relaxed);
  return true;
}

// A step that is being counted at this moment may overwrite this value. Then it is written again.
bool end_at_next_step() {
  constexpr std::uint64_t kLast = 1;
  if (g_steps_when_told == kNotTold) g_steps_when_told = steps_done();
  return world.channel->steps_left.exchange(kLast) != kLast;
}

std::uint64_t steps_done() {
  if (g_steps_when_told != kNotTold) return g_steps_when_told;
  const Channel& channel = *world.channel;
  return channel.steps_limit.load(std::memory_order_relaxed) -
         channel.steps_left.load(std::memory_order_relaxed);
}

void* next_function(const char* name, const char* version) {
  void* function = version ? dlvsym(RTLD_NEXT, name, version) : dlsym(RTLD_NEXT, name);
  THRUM_CHECK(function != nullptr);
  return function;
}

namespace {
// Before any constructor of the program and its libraries runs.
void early(int, char**, char**) { initialize(); }
}  // namespace

__attribute__((section(".init_array"), used)) static void (*const early_entry)(int, char**, char**) = early;

}  // namespace thrum
