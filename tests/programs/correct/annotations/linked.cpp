// The interfaces by which libraries explain themselves to sanitizers can be linked, and do no harm.
// expect: exhausted
#include <cassert>
#include <cstddef>
#include <mutex>
#include <thread>

extern "C" {
void __tsan_acquire(void*);
void __tsan_release(void*);
void* __tsan_get_current_fiber();
void __tsan_set_fiber_name(void*, const char*);
void __tsan_mutex_create(void*, unsigned);
void AnnotateHappensBefore(const char*, int, const volatile void*);
void AnnotateHappensAfter(const char*, int, const volatile void*);
void AnnotateBenignRaceSized(const char*, int, const volatile void*, long, const char*);
void AnnotateIgnoreReadsBegin(const char*, int);
void AnnotateIgnoreReadsEnd(const char*, int);
int RunningOnValgrind();
unsigned short __sanitizer_unaligned_load16(const void*);
}

int main() {
  std::mutex mutex;
  int value = 0;
  auto body = [&] {
    std::lock_guard lock(mutex);
    AnnotateHappensAfter(__FILE__, __LINE__, &value);
    __tsan_acquire(&value);
    ++value;
    __tsan_release(&value);
    AnnotateHappensBefore(__FILE__, __LINE__, &value);
  };
  AnnotateBenignRaceSized(__FILE__, __LINE__, &value, sizeof value, "meant");
  __tsan_mutex_create(&mutex, 0);
  __tsan_set_fiber_name(__tsan_get_current_fiber(), "main");
  std::thread a(body);
  std::thread b(body);
  a.join();
  b.join();
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
  assert(value == 2 && RunningOnValgrind() == 0);
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  const char bytes[] = {0, 1, 1};
  assert(__sanitizer_unaligned_load16(bytes + 1) == 0x101);
}
