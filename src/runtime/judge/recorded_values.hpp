// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records the plain accesses of an execution with their values (Wanted::kAccesses).
//
// The idea. From one event of a thread to its next one the thread runs alone. So of all that it reads and
// writes there, a search needs two things only: what a byte held when the thread first read it, if the thread
// had not written it before; and what the byte held at the end, if the thread wrote it. Example:
//
//   x = y + 1; x = x * 2; y = 7;   with y = 4 before   a read of y, 4; then writes of x, 10, and of y, 7
//
// A read is recorded when it comes: the memory still holds what is read. A write is announced before it
// happens, so it is noted, and the memory is read when the stretch ends: when the thread stops before a
// visible operation, or records an event. Before a system call it is read too, since that may unmap it. The
// end of memory (a free, an unmapping, the end of a thread's stack) is a write without a value.
//
// Only cells that several threads access are recorded (shared_cells.hpp). Where an execution shows that a
// cell is shared, earlier accesses are missing; then it has to run again (NativeProgram::run).
//
// What is not seen, so that a later read may give a value that nobody is recorded to have written: writes by
// code that is not instrumented, such as the rebalancing of a std::map inside libstdc++; results that calls
// of the runtime's own store (sigaction and the like; those of pthread_create, pthread_join, compare-exchange
// and sem_getvalue are seen); the zeros of memory that is mapped, and what other processes write. The state
// of locks and semaphores changes by their events: sem_getvalue is a load of it. A leader can tell: the value
// of such a read is not that of the last write.
//
// Thread safety: one thread runs at a time. Tested by tests/native/accesses_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/event.hpp"
#include "runtime/base/engine.hpp"
#include "runtime/base/forever.hpp"
#include "runtime/base/thread.hpp"
#include "runtime/base/word_map.hpp"
#include "runtime/base/world.hpp"
#include "runtime/judge/shared_cells.hpp"

namespace thrum {

class RecordedValues {
 public:
  constexpr RecordedValues() = default;

  // An execution begins.
  void begin();

  // The running thread is about to read these bytes. code: where in the program; 0: not known.
  void read(const Thread& me, std::uint64_t address, std::uint64_t size) { read_at(me, address, size, 0); }
  void read_at(const Thread& me, std::uint64_t address, std::uint64_t size, std::uint64_t code);
  // It has read these bytes, of which the first eight were `value`.
  void read(const Thread& me, std::uint64_t address, std::uint64_t size, std::uint64_t value);
  // It is about to write them, or has just written them.
  void write(const Thread& me, std::uint64_t address, std::uint64_t size);
  // Their memory is about to end.
  void end_memory(const Thread& me, std::uint64_t address, std::uint64_t size);
  // It accesses them by an event.
  void touch(const Thread& me, std::uint64_t address, std::uint64_t size);

  // Records the writes that were noted; they have happened.
  void write_out();
  // The same at the end of a stretch.
  void end_stretch();
  // The program's code made a fault: perhaps the memory of a write that was noted cannot be read either.
  void note_fault() { careful_ = true; }

  // The number of cells that are known to be shared.
  std::size_t shared() const { return cells_.count(); }
  // See SharedCells. Not while an execution runs.
  void save(ByteWriter& out) const { cells_.save(out); }
  void load(ByteReader& in) { cells_.load(in); }

 private:
  // What the stretch has done so far to a cell: a bit for each byte.
  struct Known {
    std::uint8_t read = 0;
    std::uint8_t written = 0;
    std::uint8_t noted = 0;  // written, and not recorded yet
    std::uint8_t cuts = 0;   // a write begins or ends before that byte
  };
  Known known(std::uint64_t cell) const;
  void set(std::uint64_t cell, Known known);
  void begin_stretch(const Thread& me);
  template <typename Visit>
  void for_each_shared(const Thread& me, std::uint64_t address, std::uint64_t size, Visit visit);
  void record(Operation operation, std::uint64_t cell, std::uint8_t bytes, const char* values,
              std::uint8_t cuts = 0, std::uint64_t code = 0) const;

  SharedCells cells_;
  // Of the stretch.
  WordMap known_;                     // by cell
  std::vector<std::uint64_t> noted_;  // cells with noted writes, in their order; perhaps others
  ThreadId thread_ = kNoThread;
  bool in_section_ = false;
  bool careful_ = false;  // a fault has happened in this execution
};

extern constinit Forever<RecordedValues> the_recorded_values;
inline RecordedValues& recorded_values() { return the_recorded_values.value; }

// Whether values are recorded at present.
inline bool records_values() { return __builtin_expect(engine.records_values, 0) && world.running; }

// The runtime itself reads or writes the program's memory, on behalf of the running thread.
inline void note_value_read(const volatile void* address, std::size_t size) {
  if (records_values())
    recorded_values().read(running_thread(), reinterpret_cast<std::uint64_t>(address), size);
}
inline void note_value_written(const volatile void* address, std::size_t size) {
  if (records_values())
    recorded_values().write(running_thread(), reinterpret_cast<std::uint64_t>(address), size);
}

}  // namespace thrum
