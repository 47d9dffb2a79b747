// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vm/machine.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "support/check.hpp"

namespace thrum::vm {

namespace {

constexpr std::uint64_t kNullPage = 4096;

void* map_for_races(std::size_t bytes) {
  void* got =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return got == MAP_FAILED ? nullptr : got;
}

RaceDetector& race_detector() {
  static RaceDetector detector(map_for_races);
  return detector;
}

Frame* first_frame(const Thread& thread) { return &at<Frame>(kFrames + thread.slot * kFramesSize) + 1; }
std::uint64_t* first_register(const Thread& thread) {
  return &at<std::uint64_t>(kFrames + thread.slot * kFramesSize + kRecordsSize);
}

}  // namespace

Machine::Machine(Code& its_code, const MachineSettings& its_settings, ThreadNames& its_names)
    : code(its_code),
      settings(its_settings),
      names(its_names),
      heap(memory, its_settings.reuses_blocks),
      races(race_detector()),
      touched_(kThreadSlots, 0),
      stepped_(kThreadSlots, 0) {
  heap.limit_memory(settings.program_memory);
  load_program();
}

void Machine::load_program() {
  for (const auto& function : code.functions) {
    if (function->is_decoded) bind_handlers(*function, settings.loop);
  }
  for (const Variable& variable : code.variables) {
    if (variable.is_thread_local || variable.size == 0) continue;
    memory.set_shadow(variable.address, variable.size,
                      variable.is_constant ? kAddressable | kDefined | kReadOnly : kAddressable | kDefined);
  }
  for (const Code::Content& content : code.contents)
    std::memcpy(&at<char>(content.address), content.bytes.data(), content.bytes.size());
  // Libraries begin before the program, as natively.
  std::stable_partition(code.constructors.begin(), code.constructors.end(),
                        [](const Function* constructor) { return constructor->is_quiet; });
  place_library_data();
}

void Machine::decode(Function& function) {
  code.decode(function);
  bind_handlers(function, settings.loop);
}

Function* Machine::function_at_address(std::uint64_t address) const {
  if (!is_code(address)) return nullptr;
  const std::uint32_t number = function_at(address);
  if (number >= code.functions.size() || address != code_address(number)) return nullptr;
  return code.functions[number].get();
}

// Frames.

// Of the registers that no argument or constant is in.
[[gnu::noinline]] static void clear_unwritten(const Frame& frame) {
  const Function& function = *frame.function;
  std::fill(frame.registers + function.parameters + function.constants.size(),
            frame.registers + function.slots, std::uint64_t{0});
}

void Machine::push(Thread& thread, Function& function, std::initializer_list<std::uint64_t> arguments,
                   Then then) {
  if (!function.is_decoded) decode(function);
  Frame* const below = thread.top;
  const bool is_first = below < thread.bottom;
  Frame* const frame = below + 1;
  frame->function = &function;
  frame->registers = is_first ? first_register(thread) : below->registers + below->function->slots;
  frame->stack_begin = frame->stack_pointer = is_first ? thread.stack_end() : below->stack_pointer;
  frame->next = function.code.data();
  frame->site = nullptr;
  frame->then = then;
  frame->phase = thread.phase;
  std::copy(std::begin(thread.kept), std::end(thread.kept), frame->kept);
  thread.phase = 0;
  thread.in_call = false;
  std::uint64_t* registers = frame->registers;
  for (std::uint64_t argument : arguments) *registers++ = argument;
  std::copy(function.constants.begin(), function.constants.end(), frame->registers + function.parameters);
  if (__builtin_expect(clears_frames_, 0)) clear_unwritten(*frame);
  thread.top = frame;
}

void Machine::enter(Thread& thread, Function& function, const CallSite& site, const std::uint64_t* from,
                    std::uint64_t stack_pointer) {
  Frame* const below = thread.top;
  Frame* const frame = below + 1;
  std::uint64_t* const registers = below->registers + below->function->slots;
  constexpr std::uint64_t kRoom = 1 << 20;
  if (__builtin_expect(
          reinterpret_cast<std::uint64_t>(frame) - reinterpret_cast<std::uint64_t>(first_frame(thread)) >
                  kRecordsSize - kRoom ||
              reinterpret_cast<std::uint64_t>(registers) -
                      reinterpret_cast<std::uint64_t>(first_register(thread)) >
                  kFramesSize - kRecordsSize - kRoom,
          0)) {
    fail(BugKind::stack_overflow, "the stack is full");
    return;
  }
  frame->function = &function;
  frame->registers = registers;
  frame->stack_begin = frame->stack_pointer = stack_pointer;
  frame->next = function.code.data();
  frame->site = &site;
  frame->then = Then::go_on;
  const std::size_t count = std::min<std::size_t>(site.arguments.size(), function.parameters);
  for (std::size_t i = 0; i < count; ++i) registers[i] = from[site.arguments[i]];
  for (std::size_t i = count; i < function.parameters; ++i) registers[i] = 0;
  if (!function.constants.empty())
    std::memcpy(registers + function.parameters, function.constants.data(),
                function.constants.size() * sizeof(std::uint64_t));
  if (__builtin_expect(clears_frames_, 0)) clear_unwritten(*frame);
  thread.top = frame;
  if (!function.takes_variable) return;
  // The variable arguments lie on the stack.
  std::uint64_t size = 0;
  for (const CallSite::Variable& one : site.variable) size += (one.aligned16 ? 8U : 0U) + one.size();
  const std::uint64_t begin = (stack_pointer - size - 16) & ~std::uint64_t{15};
  memory.set_shadow(begin, size, kAddressable);
  std::uint64_t place = begin;
  std::size_t slot = site.fixed;
  for (const CallSite::Variable& one : site.variable) {
    if (one.aligned16) place = (place + 15) & ~std::uint64_t{15};
    if (one.bytes != 0) {
      const std::uint64_t argument = from[site.arguments[slot]];
      if (!may_read(argument, one.bytes)) return;
      memory.copy(place, &at<char>(argument), one.bytes);
      memory.copy(place + kShadowDistance, &at<char>(argument + kShadowDistance), one.bytes);
    }
    for (std::uint8_t i = 0; i < one.slots; ++i) {
      const std::uint64_t word = from[site.arguments[slot++]];
      if (one.bytes == 0) write(place + i * one.slot_bytes, &word, one.slot_bytes);
    }
    place += one.size();
  }
  frame->stack_pointer = begin;
  registers[function.variable_arguments] = begin;
}

void Machine::save_frame(Thread& thread, Frame& frame) {
  thread.unsaved = &frame;
  if (&frame < thread.bottom) return;  // the machine is below
  memory.note(reinterpret_cast<std::uint64_t>(&frame), sizeof(Frame));
  memory.note(reinterpret_cast<std::uint64_t>(frame.registers),
              frame.function->slots * sizeof(std::uint64_t));
}

void Machine::leave_frames(Thread& thread, Frame& to) {
  const std::uint64_t left = leave_handlers(thread, &to);
  for (Frame* frame = thread.top - 1; frame >= &to; --frame) {
    if (frame < thread.unsaved) save_frame(thread, *frame);
  }
  if (to.stack_pointer > left) memory.set_shadow(left, to.stack_pointer - left, 0);
  thread.top = &to;
  thread.phase = 0;
  thread.in_call = false;
}

std::uint64_t Machine::code_of(const Instruction* instruction) const {
  for (const auto& function : code.functions) {
    const Instruction* const begin = function->code.data();
    if (instruction >= begin && instruction < begin + function->code.size())
      return code_address(function->number, static_cast<std::uint64_t>(instruction - begin));
  }
  return 0;
}

// Where the thread is.
std::uint64_t Machine::code_of(const Thread& thread) const {
  if (thread.top < thread.bottom) return 0;
  const Function& function = *thread.top->function;
  return code_address(function.number, static_cast<std::uint64_t>(thread.where() - function.code.data()));
}

std::uint64_t Machine::program_code_of(const Thread& thread) const {
  for (const Frame* frame = thread.top; frame >= thread.bottom; --frame) {
    const Function& function = *frame->function;
    if (function.is_quiet) continue;
    const Instruction* const where = frame == thread.top ? thread.where() : frame->next - 1;
    return code_address(function.number, static_cast<std::uint64_t>(where - function.code.data()));
  }
  return code_of(thread);
}

// Ends.

Stop Machine::finish(End how) {
  over = true;
  trace->end = how;
  return Stop::over;
}

Stop Machine::fail(BugKind kind, std::string message) {
  return fail({kind, std::move(message), current().id, code_of(current()), {}});
}

Stop Machine::fail(Failure failure) {
  if (over) return Stop::over;
  // What a thread does that runs a round alone, at the end, is shown by another execution.
  if (trial_.thread != nullptr) return finish(End::waiting);
  if (course().passes_over) {
    tests.part_is_missing = true;
    return finish(End::finished);
  }
  trace->failure = std::move(failure);
  if (records_places()) note_failure_places();
  return finish(End::bug);
}

std::uint64_t Machine::patience(bool begins) {
  constexpr std::uint64_t kPart = 1 << 22;
  if (told_to_end != ToldToEnd::no) return begins ? 1 : kEndOfPatience;
  if (begins) {
    patience_left_ = settings.instructions;
    steps_then_ = steps_left;
  }
  const std::uint64_t part = std::min(patience_left_, kPart);
  patience_left_ -= part;
  return part;
}

std::uint64_t Machine::patience_behind_call(std::uint64_t left) {
  if (steps_left != steps_then_ || told_to_end != ToldToEnd::no) return patience(true);
  // The next jump back or call asks again.
  return left > 1 ? left - 1 : std::max<std::uint64_t>(patience(false), 1);
}

Stop Machine::end_of_patience() {
  if (told_to_end == ToldToEnd::by_time) return finish(End::time);
  if (told_to_end == ToldToEnd::hangs)
    return fail(BugKind::hang,
                std::to_string(settings.hang_seconds) + " s without an instrumented operation");
  return fail(BugKind::hang, "a billion rounds and calls without an operation");
}

// Whether the processor would not let it pass, whatever else is wrong with it.
static bool is_segmentation_fault(std::uint64_t address, std::uint64_t size) {
  if (address < kNullPage || !in_arena(address, size)) return true;
  const std::uint64_t wrong = Memory::first_unfit(address, size, kAddressable);
  if (wrong == address + size || shadow_at<std::uint8_t>(wrong) == kProtected) return true;
  const bool is_known = address - kHeap < std::uint64_t{kHeapRegions} * kHeapRegion ||
                        address - kGlobals < kGlobalsSize || address - kThreads < kThreadSlots * kThreadSize;
  return !is_known && (shadow_at<std::uint8_t>(wrong) & (kFreed | kDead)) == 0;
}

Stop Machine::fault_access(std::uint64_t address, std::uint64_t size, bool writes) {
  if (is_segmentation_fault(address, size) && has_handler_for_fault(SIGSEGV))
    return fault(SIGSEGV, address, "segmentation fault");
  return fail_access(address, size, writes);
}

void Machine::fault_in_call(std::uint64_t address, std::uint64_t size, bool writes) {
  // Behind the call's operation, and in the middle of the machine's own doings, nothing can begin again.
  const Thread& me = current();
  if (me.in_call && me.phase == 0)
    fault_access(address, size, writes);
  else
    fail_access(address, size, writes);
}

Stop Machine::fail_access(std::uint64_t address, std::uint64_t size, bool writes) {
  const std::string text = std::string("a ") + (writes ? "write" : "read") + " of " + std::to_string(size) +
                           (size == 1 ? " byte" : " bytes");
  if (address < kNullPage) return fail(BugKind::crash, "segmentation fault (null pointer)");
  // The processor has addresses of 48 bits, of which the upper half is the kernel's.
  constexpr unsigned kAddressBits = 47;
  const std::uint64_t upper = address >> kAddressBits;
  const bool is_canonical = upper == 0 || upper == ~std::uint64_t{0} >> kAddressBits;
  if (!is_canonical) return fail(BugKind::crash, "segmentation fault (no address of a program)");
  if (!in_arena(address, size)) return fail(BugKind::crash, "segmentation fault");
  // In another order the memory may be in use still.
  if (records_footprints && in_execution) note_footprint(current(), writes, address, size);
  constexpr std::uint64_t kLooked = 64;  // the size may be nonsense
  if (settings.visits_states)
    shared_words.note(current().slot, address, std::clamp<std::uint64_t>(size, 1, kLooked),
                      SharedWords::Access::plain_write);
  if (address - kThreads < kThreadSlots * kThreadSize) {
    const auto slot = static_cast<std::uint32_t>((address - kThreads) / kThreadSize);
    if (slot < course().slots_used && thread(slot).life == Life::ended)
      return fail(BugKind::use_after_free, text + " on the stack of a thread that has ended");
  }
  const std::uint64_t end = address + size;
  const std::uint64_t wrong = Memory::first_unfit(address, size, kAddressable);
  if (wrong == end) return fail(BugKind::crash, "segmentation fault");  // a write to constant memory
  const std::uint8_t shadow = shadow_at<std::uint8_t>(wrong);
  if (shadow == kProtected) return fail(BugKind::crash, "segmentation fault");
  if ((shadow & kFreed) != 0) {
    const std::optional<Heap::Block> block = heap.find(address);
    Failure failure{BugKind::use_after_free, text, current().id, code_of(current()), {}};
    if (block) {
      failure.message +=
          " in a block of " + std::to_string(block->size) + (block->size == 1 ? " byte" : " bytes");
      tell_freed(*block, failure);
    }
    failure.message += " that has been freed";
    const AccessKind kind = writes ? AccessKind::plain_write : AccessKind::plain_read;
    fail_with(std::move(failure), kind, address, size, code_of(current()));
    return Stop::over;
  }
  if ((shadow & kDead) != 0)
    return fail(BugKind::use_after_free, text + " of a variable whose scope has ended");
  const bool is_known = address - kHeap < std::uint64_t{kHeapRegions} * kHeapRegion ||
                        address - kGlobals < kGlobalsSize || address - kThreads < kThreadSlots * kThreadSize;
  if (!is_known) return fail(BugKind::crash, "segmentation fault");
  const std::optional<Heap::Block> block = heap.find(wrong);
  if (block) {
    return fail(BugKind::buffer_overflow, text + " that does not lie inside its block of " +
                                              std::to_string(block->size) +
                                              (block->size == 1 ? " byte" : " bytes"));
  }
  return fail(BugKind::buffer_overflow, text + " beyond its object");
}

std::uint16_t Machine::ask(const ChoicePoint& point) {
  if (__builtin_expect(choice_watch != nullptr, 0)) return choice_watch->choose(point);
  return director.choose(point, options, *this);
}

// Accesses.

bool Machine::may_read(std::uint64_t address, std::uint64_t size) {
  if (can_read(address, size)) return true;
  fault_in_call(address, size, false);
  return false;
}

bool Machine::may_write(std::uint64_t address, std::uint64_t size) {
  if (can_write(address, size)) return true;
  fault_in_call(address, size, true);
  return false;
}

void Machine::write(std::uint64_t address, const void* from, std::uint64_t size) {
  memory.copy(address, from, size);
  if (Memory::first_unfit(address, size, kAddressable | kDefined) != address + size)
    memory.set_shadow(address, size, kAddressable | kDefined);
}

// Its own copy in access(), which is called most of all.
[[gnu::always_inline]] inline bool Machine::judge_plainly(AccessKind kind, std::uint64_t address,
                                                          std::uint64_t size, const Instruction* where) {
  auto code_number = reinterpret_cast<std::uint64_t>(where);
  const std::uint16_t me = current().number;
  if (__builtin_expect(address - kThreads < kThreadSlots * kThreadSize, 0))
    note_foreign(kind, address, size, code_number);
  if (__builtin_expect(current().left_out != 0, 0)) code_number = marked_code(current(), kind, code_number);
  if (kind == AccessKind::plain_read
          ? races.access_plainly<AccessKind::plain_read>(me, address, size, code_number)
          : races.access_plainly<AccessKind::plain_write>(me, address, size, code_number))
    return true;
  if (!races.access(me, kind, address, size, code_number)) return true;
  stand_at(where);
  return check_races(address, size);
}

bool Machine::access(AccessKind kind, std::uint64_t address, std::uint64_t size, const Instruction* where,
                     std::uint32_t ordinal) {
  if (__builtin_expect(--steps_left == 0, 0)) {
    end_of_steps();
    return false;
  }
  if (__builtin_expect(attentive_, 0)) return access_attentively(kind, address, size, where, ordinal);
  if (!judges) {
    if (__builtin_expect(checks_ != nullptr, 0))
      return access_in_invariant(kind == AccessKind::plain_write, address);
    // Nobody tells a waiting loop that plain memory was written.
    if (kind == AccessKind::plain_read) note_unwatched_read(current());
    return true;
  }
  return judge_plainly(kind, address, size, where);
}

bool Machine::judge_access(AccessKind kind, std::uint64_t address, std::uint64_t size,
                           const Instruction* where) {
  return judge_plainly(kind, address, size, where);
}

// The loop saves where it is before it calls something only.
void Machine::stand_at(const Instruction* where) {
  if (!current().in_call) current().top->next = where;
}

bool Machine::read_for_program(std::uint64_t address, std::uint64_t size) {
  return may_read(address, size) &&
         (size == 0 || access(AccessKind::plain_read, address, size, current().where()));
}

bool Machine::write_for_program(std::uint64_t address, std::uint64_t size) {
  return may_write(address, size) && (size == 0 || current().top->function->is_quiet ||
                                      access(AccessKind::plain_write, address, size, current().where()));
}

// The log.

Course& Machine::change_course() {
  Course& all = course();
  if (course_touched_ != marks_) {
    course_touched_ = marks_;
    memory.note(reinterpret_cast<std::uint64_t>(&all), sizeof all);
  }
  return all;
}

Thread& Machine::change(Thread& thread) {
  if (touched_[thread.slot] != marks_) {
    touched_[thread.slot] = marks_;
    memory.note(reinterpret_cast<std::uint64_t>(&thread), sizeof thread);
  }
  return thread;
}

Machine::Moment Machine::mark() {
  if (judges) races.set_mark();
  Moment moment{memory.mark(),   race_marks_,   steps_left,         {},          foreign_.size(),
                allowed_.size(), freed_.size(), race_names_.size(), exit_stacks_};
  if (!settings.visits_states)
    moment.loops =
        std::make_shared<const Moment::Loops>(states_.mark(), spins_.mark(), idle_rounds_.mark(), trial_);
  if (judges) ++race_marks_;
  ++marks_;
  change_course();
  footprints_.begin();
  return moment;
}

bool Machine::undo(const Moment& moment) {
  memory.undo(moment.memory);
  ++marks_;
  change_course();
  footprints_.begin();
  over = begins_again_ = false;
  steps_left = moment.steps_left;
  if (moment.loops) {
    states_.undo(moment.loops->states);
    spins_.undo(moment.loops->spins);
    idle_rounds_.undo(moment.loops->idle_rounds);
    trial_ = moment.loops->trial;
  }
  output.resize(course().output);
  foreign_.resize(moment.foreign);
  allowed_.resize(moment.allowed);
  freed_.resize(moment.freed);
  race_names_.resize(moment.race_names);
  exit_stacks_ = moment.exit_stacks;
  if (!judges) return true;
  if (!races.can_return()) return false;
  races.return_to(moment.races);
  race_marks_ = moment.races + 1;
  return true;
}

}  // namespace thrum::vm
