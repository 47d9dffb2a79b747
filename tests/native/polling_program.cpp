// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "native/polling_program.hpp"

#include <sstream>

#include "support/random.hpp"

namespace thrum {

namespace {

using Instruction = PollingInstruction;
using Code = Instruction::Code;

// A variable and a value that some thread gives it.
struct Offer {
  std::uint64_t thread;
  std::uint8_t object;
  std::uint8_t value;
};

// Writes one thread. What threads wait for is mostly what another one offers; else most would wait for ever.
class Writer {
 public:
  Writer(Random& random, std::uint64_t thread, const std::vector<Offer>& offers)
      : random_(random), thread_(thread), offers_(offers) {}

  std::vector<Instruction> write() {
    for (const Offer& offer : offers_) {
      if (below(4) == 0) wait();
      if (offer.thread == thread_) make(offer);
    }
    if (below(3) == 0) wait();
    if (below(2) == 0) act();
    return std::move(list_);
  }

 private:
  std::uint8_t below(std::uint64_t limit) { return static_cast<std::uint8_t>(random_.below(limit)); }
  std::uint8_t here() const { return static_cast<std::uint8_t>(list_.size()); }
  void add(Instruction instruction) { list_.push_back(instruction); }
  void load(std::uint8_t reg, std::uint8_t x) { add({Code::load, x, reg}); }
  void store(std::uint8_t x, std::uint8_t value) { add({Code::store, x, 0, value}); }
  void change(std::uint8_t x, std::uint8_t by) { add({Code::add, x, 0, by}); }
  void lock(std::uint8_t m) { add({Code::lock, m}); }
  void unlock(std::uint8_t m) { add({Code::unlock, m}); }
  void again(std::uint8_t reg, std::uint8_t unless, std::uint8_t head) {
    add({Code::jump_unless, 0, reg, unless, 0, head});
  }

  void make(const Offer& offer) {
    const std::uint8_t m = below(2);
    const bool locked = below(2) == 0;
    if (locked) lock(m);
    store(offer.object, offer.value);
    if (locked) unlock(m);
  }

  void act() {
    const std::uint8_t x = below(kPollingObjects);
    const std::uint8_t m = below(2);
    switch (below(8)) {
      case 0: store(x, below(3)); break;
      case 1:  // two locks, in either order
      case 6:
        lock(m);
        lock(static_cast<std::uint8_t>(1 - m));
        store(x, below(3));
        unlock(static_cast<std::uint8_t>(1 - m));
        unlock(m);
        break;
      case 2: change(x, 1); break;
      case 3:
        lock(m);
        store(x, below(3));
        if (below(2) == 0) store(below(kPollingObjects), below(3));
        unlock(m);
        break;
      case 4:
        load(1, x);
        add({Code::check, 0, 1, static_cast<std::uint8_t>(1 + below(2))});
        break;
      case 5: {
        add({Code::try_lock, m, 1});
        const std::size_t jump = list_.size();
        add({Code::jump_if, 0, 1, 0});
        store(x, below(3));
        unlock(m);
        list_[jump].target = here();
        break;
      }
      default:  // a pulse
        store(x, 1);
        store(x, 0);
    }
  }

  void wait() {
    std::uint8_t x = below(kPollingObjects);
    std::uint8_t value = below(3);
    const Offer& offer = offers_[random_.below(offers_.size())];
    if (offer.thread != thread_ || below(4) == 0) {
      x = offer.object;
      value = offer.value;
    }
    const std::uint8_t y = static_cast<std::uint8_t>((x + 1 + below(kPollingObjects - 1)) % kPollingObjects);
    if (below(2) == 0)
      poll_and_put_back(x, value, y);
    else
      poll(x, value, y);
  }

  // Rounds take something and give it back.
  void poll_and_put_back(std::uint8_t x, std::uint8_t value, std::uint8_t y) {
    const std::uint8_t m = below(2);
    const std::uint8_t head = here();
    switch (below(6)) {
      case 0:  // under a lock
      case 1:
        lock(m);
        load(0, x);
        unlock(m);
        again(0, value, head);
        break;
      case 2:  // by a try-lock, which is kept
        add({Code::try_lock, m, 1});
        again(1, 1, head);
        store(x, below(3));
        unlock(m);
        break;
      case 3:  // by a try-lock, which is given back
        add({Code::try_lock, m, 1});
        again(1, 1, head);
        load(0, x);
        unlock(m);
        again(0, value, head);
        break;
      case 4: {  // stores that are undone
        load(0, x);
        const std::size_t jump = list_.size();
        add({Code::jump_if, 0, 0, value});
        const bool pulses = below(2) == 0;
        pulses ? store(y, 1) : change(y, 1);
        pulses ? store(y, 0) : change(y, 255);
        add({Code::jump, 0, 0, 0, 0, head});
        list_[jump].target = here();
        break;
      }
      default: {  // two locks
        const auto other = static_cast<std::uint8_t>(1 - m);
        lock(m);
        lock(other);
        load(0, x);
        unlock(other);
        unlock(m);
        again(0, value, head);
      }
    }
  }

  // Rounds write nothing, or what they write stays for a while.
  void poll(std::uint8_t x, std::uint8_t value, std::uint8_t y) {
    const std::uint8_t head = here();
    switch (below(6)) {
      case 0:
        load(0, x);
        again(0, value, head);
        break;
      case 1:  // for two
        load(0, x);
        again(0, value, head);
        load(1, y);
        again(1, below(2), head);
        break;
      case 2:  // a counter of its own comes back
        add({Code::next, 0, 2, static_cast<std::uint8_t>(2 + below(2))});
        load(0, x);
        again(0, value, head);
        break;
      case 3:  // a counter of all comes back
        add({Code::next, 0, 2, 2});
        add({Code::put, y, 2});
        load(0, x);
        again(0, value, head);
        break;
      case 4:  // a lock made by hand
        add({Code::cas, x, 1, 0, 1});
        again(1, 1, head);
        if (below(2) == 0) store(y, below(3));
        store(x, 0);
        break;
      default:  // an assertion in the loop
        load(0, x);
        load(1, y);
        add({Code::check, 0, 1, 2});
        again(0, value, head);
    }
  }

  Random& random_;
  std::uint64_t thread_;
  const std::vector<Offer>& offers_;
  std::vector<Instruction> list_;
};

std::string text_of(const Instruction& in, int thread, std::size_t at) {
  std::ostringstream out;
  const int x = in.object;
  const int r = in.reg;
  const int v = in.value;
  switch (in.code) {
    case Code::load: out << "r[" << r << "] = x[" << x << "].load();"; break;
    case Code::store: out << "x[" << x << "].store(" << v << ");"; break;
    case Code::add: out << "x[" << x << "].fetch_add(" << v << ");"; break;
    case Code::cas:
      out << "r[" << r << "] = exchange(x[" << x << "], " << v << ", " << int{in.other} << ");";
      break;
    case Code::lock: out << "pthread_mutex_lock(&m[" << x << "]);"; break;
    case Code::try_lock: out << "r[" << r << "] = pthread_mutex_trylock(&m[" << x << "]) == 0;"; break;
    case Code::unlock: out << "pthread_mutex_unlock(&m[" << x << "]);"; break;
    case Code::set: out << "r[" << r << "] = " << v << ";"; break;
    case Code::next:
      out << "r[" << r << "] = static_cast<unsigned char>((r[" << r << "] + 1) % " << v << ");";
      break;
    case Code::put: out << "x[" << x << "].store(r[" << r << "]);"; break;
    case Code::jump_if: out << "if (r[" << r << "] == " << v << ") goto l" << int{in.target} << ";"; break;
    case Code::jump_unless:
      out << "if (r[" << r << "] != " << v << ") goto l" << int{in.target} << ";";
      break;
    case Code::jump: out << "goto l" << int{in.target} << ";"; break;
    case Code::check:
      out << "assert(r[" << r << "] != " << v << " && \"check " << thread << "." << at << "\");";
      break;
  }
  return out.str();
}

constexpr std::string_view kPrelude = R"(// Polling programs: see native/polling_program.hpp.
#include <pthread.h>

#include <atomic>
#include <cassert>
#include <cstdlib>
#include <cstring>

static std::atomic<unsigned char> x[3];
static pthread_mutex_t m[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static unsigned char kept[4][3];  // each thread's registers at its end

static bool exchange(std::atomic<unsigned char>& variable, unsigned char expected, unsigned char desired) {
  return variable.compare_exchange_strong(expected, desired);
}

struct Program {
  void* (*threads[4])(void*);
  void (*check)();
};
static unsigned char state[16];
static bool is_state(const char* wanted, unsigned size) {
  for (unsigned i = 0; i < size; ++i)
    if (state[i] != static_cast<unsigned char>(wanted[i])) return false;
  return true;
}
)";

constexpr std::string_view kMain = R"(
int main(int, char** arguments) {
  const Program& program = programs[std::atoi(arguments[1])];
  pthread_t handles[4];
  int count = 1;
  for (; count < 4 && program.threads[count]; ++count)
    pthread_create(&handles[count], nullptr, program.threads[count], nullptr);
  program.threads[0](nullptr);
  for (int i = 1; i < count; ++i) pthread_join(handles[i], nullptr);
  for (int i = 0; i < 3; ++i) state[i] = x[i].load();
  std::memcpy(state + 3, kept, sizeof kept);
  program.check();
}
)";

}  // namespace

PollingProgram random_polling_program(std::uint64_t seed) {
  Random random(seed);
  PollingProgram program;
  const std::uint64_t threads = 2 + random.below(3) / 2;
  std::vector<Offer> offers;
  for (std::uint64_t i = 0; i <= random.below(3) + 1; ++i) {
    offers.push_back({random.below(threads), static_cast<std::uint8_t>(random.below(kPollingObjects)),
                      static_cast<std::uint8_t>(1 + random.below(2))});
  }
  for (std::uint64_t i = 0; i < threads; ++i) program.threads.push_back(Writer(random, i, offers).write());
  return program;
}

std::string print(const PollingProgram& program) {
  std::string text;
  for (std::size_t i = 0; i < program.threads.size(); ++i) {
    text += "thread " + std::to_string(i) + "\n";
    const std::vector<Instruction>& list = program.threads[i];
    for (std::size_t at = 0; at < list.size(); ++at)
      text += "  l" + std::to_string(at) + ": " + text_of(list[at], static_cast<int>(i), at) + "\n";
  }
  return text;
}

std::string translate(const std::vector<PollingProgram>& programs,
                      const std::vector<std::vector<PollingEnd>>& ends) {
  std::ostringstream out;
  std::ostringstream table;
  out << kPrelude;
  for (std::size_t p = 0; p < programs.size(); ++p) {
    out << "\nnamespace p" << p << " {\n";
    table << "  {{";
    for (std::size_t i = 0; i < programs[p].threads.size(); ++i) {
      const std::vector<Instruction>& list = programs[p].threads[i];
      out << "static void* t" << i << "(void*) {\n  unsigned char r[3] = {};\n";
      for (std::size_t at = 0; at <= list.size(); ++at) {
        bool is_target = false;
        for (const Instruction& jump : list)
          is_target =
              is_target || (jump.code >= Code::jump_if && jump.code <= Code::jump && jump.target == at);
        if (is_target) out << "l" << at << ":\n";
        if (at < list.size()) out << "  " << text_of(list[at], static_cast<int>(i), at) << "\n";
      }
      out << "  std::memcpy(kept[" << i << "], r, 3);\n  return nullptr;\n}\n";
      table << (i == 0 ? "" : ", ") << "p" << p << "::t" << i;
    }
    out << "static void check() {\n";
    for (std::size_t i = 0; i < ends[p].size(); ++i) {
      out << "  if (is_state(\"";
      for (const std::uint8_t value : ends[p][i].values) out << "\\" << std::oct << int{value} << std::dec;
      out << "\", " << ends[p][i].values.size() << ")) assert(!\"end " << i << "\");\n";
    }
    out << "  assert(!\"end that is none\");\n}\n}\n";
    table << "}, p" << p << "::check},\n";
  }
  out << "\nstatic const Program programs[] = {\n" << table.str() << "};\n" << kMain;
  return out.str();
}

}  // namespace thrum
