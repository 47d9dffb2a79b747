// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What compiled programs read and write by plain accesses, with the values (Wanted::kAccesses).
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "native/replayed_values.hpp"
#include "native/workshop.hpp"
#include "supervisor/worker.hpp"

namespace thrum {
namespace {

constexpr Wanted::Set kWanted = Wanted::kChoices | Wanted::kEvents | Wanted::kAccesses;

Trace run(Program& program, const Plan& plan = {}) {
  Trace trace;
  program.run(plan, nullptr, {kWanted}, trace);
  return trace;
}

Plan random_plan(std::uint64_t seed) {
  Plan plan;
  plan.policy = {.kind = Policy::Kind::random, .seed = seed, .waiting = Waiting::values};
  return plan;
}

using Record = std::tuple<std::string, std::uint64_t, std::uint32_t, std::uint64_t>;

// The accesses of a thread, as (r, w or f; offset from begin; size; value), of `bytes` bytes from there.
std::vector<Record> records(const Trace& trace, ThreadId thread, std::uint64_t begin, std::uint64_t bytes) {
  std::vector<Record> found;
  for (const RecordedAccess& access : trace.accesses) {
    if (access.thread != thread || access.object < begin || access.object >= begin + bytes) continue;
    const char* kind = !access.writes ? "r" : access.operation == Operation::deallocate ? "f" : "w";
    found.emplace_back(kind, access.object - begin, access.size, access.value);
  }
  return found;
}

// The address to which a value was written that is written once.
std::uint64_t where(const Trace& trace, std::uint64_t value) {
  for (const RecordedAccess& access : trace.accesses) {
    if (access.writes && access.value == value) return access.object;
  }
  ADD_FAILURE() << "nobody writes " << value;
  return 0;
}

std::vector<std::tuple<std::uint32_t, ThreadId, Record>> all_records(const Trace& trace) {
  std::vector<std::tuple<std::uint32_t, ThreadId, Record>> found;
  for (const RecordedAccess& access : trace.accesses)
    found.emplace_back(access.event, access.thread,
                       Record{operation_name(access.operation), access.object, access.size, access.value});
  return found;
}

class Accesses : public testing::Test {
 protected:
  void lead(const std::string& source, const std::function<void(Program&)>& lead, const char* flag = "-O0") {
    ASSERT_EQ(workshop_.compile("program", source, flag), "");
    lead_program(workshop_.path("program"), {}, lead);
  }
  void lead_program(const std::string& path, const std::vector<std::string>& arguments,
                    const std::function<void(Program&)>& lead) {
    WorkerSettings settings;
    settings.program = path;
    settings.arguments = arguments;
    settings.time_seconds = 60;
    settings.lead = lead;
    job_.led = true;
    const WorkerOutcome outcome = run_worker(settings, job_, names_);
    EXPECT_EQ(outcome.problem, "");
  }

  Workshop workshop_;
  Job job_;
  ThreadNames names_;
};

// The second thread comes when the first has ended.
constexpr const char* kFields = R"(
#include <cstdint>
#include <cstring>
#include <thread>
struct alignas(64) Fields {
  std::uint64_t eight;
  std::uint32_t four;
  std::uint16_t two;
  std::uint8_t one, other;
  unsigned char text[16];
  union { std::uint64_t wide; std::uint8_t narrow[8]; };
  std::uint64_t own;
} fields;
std::uint64_t sum;
int main() {
  std::thread([] {
    fields.eight = 1;
    fields.eight = 0x1122334455667788;
    fields.four = 0xaabbccdd;
    fields.two = 0x1234;
    fields.one = 7;
    std::memcpy(fields.text + 4, "abcdefgh", 8);
    fields.wide = 0x0807060504030201;
    fields.own = fields.wide;
  }).join();
  std::thread([] {
    sum = fields.eight + fields.one + fields.four;
    fields.four = 5;
    sum += fields.four + fields.narrow[2];
    fields.narrow[3] = 9;
    sum += fields.wide;
    std::memcpy(&sum, fields.text + 6, 4);
  }).join();
  return sum == 0;
})";

TEST_F(Accesses, HaveTheFirstValueReadAndTheLastOneWritten) {
  lead(kFields, [&](Program& program) {
    const Trace trace = run(program);
    ASSERT_EQ(trace.end, End::finished);
    EXPECT_TRUE(trace.grew);
    const std::uint64_t begin = where(trace, 0x1122334455667788);
    EXPECT_EQ(begin % 64, 0u);
    // The copied bytes lie in two cells. Nobody else accesses `own`.
    EXPECT_EQ(records(trace, *program.names().parse("0.1"), begin, 64),
              (std::vector<Record>{{"w", 0, 8, 0x1122334455667788},
                                   {"w", 8, 4, 0xaabbccdd},
                                   {"w", 12, 2, 0x1234},
                                   {"w", 14, 1, 7},
                                   {"w", 20, 4, 0x64636261},
                                   {"w", 24, 4, 0x68676665},
                                   {"w", 32, 8, 0x0807060504030201}}));
    // What it has read or written before is not read again.
    EXPECT_EQ(records(trace, *program.names().parse("0.2"), begin, 64),
              (std::vector<Record>{{"r", 0, 8, 0x1122334455667788},
                                   {"r", 14, 1, 7},
                                   {"r", 8, 4, 0xaabbccdd},
                                   {"r", 34, 1, 3},
                                   {"r", 32, 2, 0x0201},
                                   {"r", 36, 4, 0x08070605},
                                   {"r", 22, 2, 0x6463},
                                   {"r", 24, 2, 0x6665},
                                   {"w", 8, 4, 5},
                                   {"w", 35, 1, 9}}));
  });
}

// Two sections of one lock, and a block that one thread allocates and the other one frees.
constexpr const char* kLocked = R"(
#include <cstdlib>
#include <mutex>
#include <thread>
std::mutex mutex;
alignas(64) long value = 0x51;
alignas(64) long* block;
int main() {
  std::thread first([] {
    { std::lock_guard lock(mutex); value = value + 0x100; value = value * 2; }
    { std::lock_guard lock(mutex); block = static_cast<long*>(std::malloc(24)); block[0] = 0x7777777; block[1] = 1; }
  });
  first.join();
  std::thread second([] {
    std::lock_guard lock(mutex);
    value = block[0];
    block[0] = 3;
    std::free(block);
  });
  second.join();
})";

TEST_F(Accesses, StandBetweenTheEventsOfTheirThread) {
  lead(kLocked, [&](Program& program) {
    const Trace trace = run(program);
    ASSERT_EQ(trace.end, End::finished);
    const std::uint64_t value = where(trace, 0x2a2);
    const std::uint64_t block = where(trace, 0x7777777);
    const ThreadId first = *program.names().parse("0.1");
    const ThreadId second = *program.names().parse("0.2");
    EXPECT_EQ(records(trace, first, value, 8), (std::vector<Record>{{"r", 0, 8, 0x51}, {"w", 0, 8, 0x2a2}}));
    EXPECT_EQ(records(trace, second, value, 8), (std::vector<Record>{{"w", 0, 8, 0x7777777}}));
    EXPECT_EQ(records(trace, first, block, 24),
              (std::vector<Record>{{"w", 0, 8, 0x7777777}, {"w", 8, 8, 1}}));
    EXPECT_EQ(records(trace, second, block, 24),
              (std::vector<Record>{{"r", 0, 8, 0x7777777}, {"f", 0, 8, 0}, {"f", 8, 8, 0}}));
    for (const RecordedAccess& access : trace.accesses) {
      if (access.object != value) continue;
      ASSERT_GT(access.event, 0u);
      ASSERT_LT(access.event, trace.events.size());
      EXPECT_EQ(trace.events[access.event - 1].operation, Operation::lock);
      EXPECT_EQ(trace.events[access.event - 1].thread, access.thread);
      EXPECT_EQ(trace.events[access.event].operation, Operation::unlock);
    }
  });
}

// One thread accesses a number by plain accesses, the other one by atomic operations. A large array is
// private.
constexpr const char* kHalfAtomic = R"(
#include <atomic>
#include <thread>
alignas(64) long number;
long array[100000];
std::atomic<bool> ready{false};
int main() {
  std::thread writer([] {
    for (long& element : array) element = &element - array;
    number = 0x4444444;
    ready = true;
  });
  std::thread reader([] {
    if (ready) std::atomic_ref(number).fetch_add(1);
  });
  writer.join();
  reader.join();
})";

TEST_F(Accesses, AreRecordedWhereAtomicOperationsShareTheMemory) {
  lead(kHalfAtomic, [&](Program& program) {
    const Trace trace = run(program);
    EXPECT_TRUE(trace.grew);
    where(trace, 0x4444444);
    EXPECT_LT(trace.accesses.size(), 200u) << "the array is private";
    const Trace again = run(program);
    EXPECT_FALSE(again.grew);
    EXPECT_EQ(all_records(again), all_records(trace));
    EXPECT_EQ(again.events, trace.events);
    Trace late;
    program.run(random_plan(1), nullptr, {kWanted, Wanted::From::last_departure}, late);
    EXPECT_EQ(all_records(late), all_records(run(program, random_plan(1)))) << "from the beginning";
    EXPECT_FALSE(late.accesses.empty());
  });
}

// The events have the stacks' ends besides, and a growing block moves.
constexpr const char* kMixed = R"(
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>
#include <thrum/thrum.h>
struct { short a; char b, c; int d; double e; char name[20]; } shared;
std::mutex mutex;
std::atomic<int> turns{0};
char* text;
std::vector<long> numbers;
int in_section;
void work(int id) {
  for (int round = 0; round < 3; ++round) {
    {
      std::lock_guard lock(mutex);
      shared.a = static_cast<short>(shared.a + id);
      shared.b ^= static_cast<char>(shared.c + 1);
      shared.d = shared.d * 3 + id;
      shared.e += 0.5 * shared.d;
      std::snprintf(shared.name, sizeof shared.name, "%d of %d", id, shared.d % 100);
      text = static_cast<char*>(std::realloc(text, 10 + numbers.size()));
      std::strcpy(text, "thread");
      text[5] = static_cast<char>('0' + id);
      numbers.push_back(text[5] + round);
    }
    static int made = id * 7;
    int before = turns + made;
    before -= made;
    int* local = &before;
    while (!turns.compare_exchange_weak(*local, before + 1)) {}
    thrum_atomic_begin();
    in_section += before;
    turns.fetch_add(id);
    in_section += turns;
    thrum_atomic_end();
  }
}
int main() {
  int on_stack = 1;
  text = static_cast<char*>(std::calloc(1, 8));
  std::thread first(work, 1), second(work, 2), third([&] {
    std::lock_guard lock(mutex);
    on_stack += shared.d;
    if (numbers.size() > 4) numbers = std::vector<long>(1, on_stack);
  });
  first.join();
  second.join();
  third.join();
  std::free(text);
  return on_stack == 0;
})";

// What is written is what is read, in many orders.
TEST_F(Accesses, AgreeWithEachOther) {
  for (const char* flag : {"-O0", "-O2"}) {
    for (const Heap heap : {Heap::fresh, Heap::lifo}) {
      job_.heap = heap;
      ReplayedValues values;
      bool has_grown = false;
      lead(
          kMixed,
          [&](Program& program) {
            for (std::uint64_t seed = 0; seed < 300; ++seed) {
              const Trace trace = run(program, random_plan(seed));
              ASSERT_EQ(trace.end, End::finished) << trace.failure.message;
              ASSERT_EQ(values.replay(trace), "") << "seed " << seed << " " << flag;
              has_grown = has_grown || trace.grew;
              if (seed % 50 != 0) continue;
              EXPECT_EQ(all_records(run(program, random_plan(seed))), all_records(trace));
            }
          },
          flag);
      EXPECT_TRUE(has_grown);
      EXPECT_GT(values.known, 10'000u);
      EXPECT_GT(values.writes, 10'000u);
    }
  }
}

// Each line of the variable is a program and its arguments.
TEST_F(Accesses, AgreeInProgramsAtHand) {
  const char* list = std::getenv("THRUM_VALUES_PROGRAMS");
  if (!list) GTEST_SKIP() << "THRUM_VALUES_PROGRAMS names none";
  std::istringstream lines(list);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string path;
    words >> path;
    std::vector<std::string> arguments;
    for (std::string word; words >> word;) arguments.push_back(word);
    ReplayedValues values;
    std::uint64_t executions = 0;
    lead_program(path, arguments, [&](Program& program) {
      for (std::uint64_t seed = 0; seed < 100; ++seed) {
        const Trace trace = run(program, random_plan(seed));
        if (trace.end == End::time) break;
        ++executions;
        const std::string problem = values.replay(trace);
        EXPECT_EQ(problem, "") << line << ", seed " << seed;
        if (!problem.empty()) break;
      }
    });
    std::printf("%s: %lu executions, %lu reads, %lu writes, %lu bytes known, %lu unknown\n", line.c_str(),
                executions, values.reads, values.writes, values.known, values.unknown);
  }
}

}  // namespace
}  // namespace thrum
