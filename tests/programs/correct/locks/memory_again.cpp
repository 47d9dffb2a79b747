// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// compilers: both
// case initialised: exhausted
// case assigned: exhausted
// case cleared: exhausted
// case constructed: exhausted
// case in_frames: exhausted
// case in_blocks: exhausted
// case never_destroyed: exhausted
// case all_woken: exhausted
//
// Memory of objects that were destroyed, or are left behind without, becomes other objects.
#include <pthread.h>
#include <semaphore.h>

#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <string>
#include <thread>

namespace {

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
pthread_barrier_t barrier;
sem_t semaphore;

void use_all() {
  std::thread other([] {
    pthread_mutex_lock(&mutex);
    pthread_cond_broadcast(&condition);
    pthread_mutex_unlock(&mutex);
    pthread_barrier_wait(&barrier);
  });
  pthread_barrier_wait(&barrier);
  sem_post(&semaphore);
  sem_wait(&semaphore);
  pthread_rwlock_wrlock(&rwlock);
  pthread_rwlock_unlock(&rwlock);
  other.join();
}

void destroy_all() {
  pthread_mutex_destroy(&mutex);
  pthread_cond_destroy(&condition);
  pthread_rwlock_destroy(&rwlock);
  pthread_barrier_destroy(&barrier);
  sem_destroy(&semaphore);
}

void initialised() {
  for (int i = 0; i < 2; ++i) {
    pthread_mutex_init(&mutex, nullptr);
    pthread_cond_init(&condition, nullptr);
    pthread_rwlock_init(&rwlock, nullptr);
    pthread_barrier_init(&barrier, nullptr, 2);
    sem_init(&semaphore, 0, 0);
    use_all();
    destroy_all();
  }
}

void assigned() {
  for (int i = 0; i < 2; ++i) {
    mutex = PTHREAD_MUTEX_INITIALIZER;
    condition = PTHREAD_COND_INITIALIZER;
    rwlock = PTHREAD_RWLOCK_INITIALIZER;
    pthread_barrier_init(&barrier, nullptr, 2);
    sem_init(&semaphore, 0, 0);
    use_all();
    destroy_all();
  }
}

// Zeros are what the static initialisers are made of.
void cleared() {
  pthread_barrier_init(&barrier, nullptr, 2);
  sem_init(&semaphore, 0, 0);
  use_all();
  destroy_all();
  std::memset(&mutex, 0, sizeof mutex);
  std::memset(&condition, 0, sizeof condition);
  std::memset(&rwlock, 0, sizeof rwlock);
  pthread_barrier_init(&barrier, nullptr, 2);
  sem_init(&semaphore, 0, 0);
  use_all();
}

// Of the library's types: some are destroyed trivially, others call pthread's.
struct Objects {
  std::mutex mutex;
  std::recursive_mutex recursive;
  std::shared_mutex shared;
  std::condition_variable condition;
};
alignas(Objects) unsigned char place[sizeof(Objects)];
void constructed() {
  for (int i = 0; i < 2; ++i) {
    auto* objects = new (place) Objects;
    std::thread other([objects] {
      std::lock_guard lock(objects->mutex);
      objects->condition.notify_one();
    });
    { std::shared_lock lock(objects->shared); }
    { std::lock_guard lock(objects->recursive); }
    other.join();
    objects->~Objects();
  }
}

// A destroyed mutex, a barrier that is not, and then other objects on the same stack.
[[gnu::noinline]] void leave_behind() {
  pthread_mutex_t mine[4];
  for (pthread_mutex_t& each : mine) {
    pthread_mutex_init(&each, nullptr);
    pthread_mutex_destroy(&each);
  }
}
[[gnu::noinline]] void leave_barrier() {
  pthread_barrier_t mine;
  pthread_barrier_init(&mine, nullptr, 1);
  pthread_barrier_wait(&mine);
}
[[gnu::noinline]] void use_frame() {
  std::mutex mine[4];
  for (std::mutex& each : mine) std::lock_guard lock(each);
}
void in_frames() {
  std::thread([] {
    for (int i = 0; i < 3; ++i) {
      leave_behind();
      use_frame();
      leave_barrier();
    }
  }).join();
}

void in_blocks() {
  auto use = [] {
    for (int i = 0; i < 3; ++i) {
      auto* old = static_cast<pthread_mutex_t*>(std::malloc(sizeof(pthread_mutex_t)));
      pthread_mutex_init(old, nullptr);
      pthread_mutex_destroy(old);
      std::free(old);
      auto made = std::make_unique<std::mutex>();
      std::lock_guard lock(*made);
      // Freed as it is; the next one is another block.
      auto* left = static_cast<pthread_barrier_t*>(std::malloc(sizeof(pthread_barrier_t)));
      pthread_barrier_init(left, nullptr, 1);
      pthread_barrier_wait(left);
      std::free(left);
    }
  };
  std::thread first(use);
  std::thread second(use);
  first.join();
  second.join();
}

// Mutexes and semaphores that are initialised once more are in wide use.
void never_destroyed() {
  for (int i = 0; i < 2; ++i) {
    pthread_mutex_init(&mutex, nullptr);
    sem_init(&semaphore, 0, 1);
    std::thread other([] {
      pthread_mutex_lock(&mutex);
      pthread_mutex_unlock(&mutex);
    });
    sem_wait(&semaphore);
    other.join();
  }
}

// Who was woken is done with the condition variable, though not back yet; so with the barrier.
bool ready = false;
void all_woken() {
  pthread_barrier_init(&barrier, nullptr, 2);
  std::thread waiter([] {
    pthread_mutex_lock(&mutex);
    while (!ready) pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) pthread_barrier_destroy(&barrier);
  });
  pthread_mutex_lock(&mutex);
  ready = true;
  pthread_cond_broadcast(&condition);
  pthread_cond_destroy(&condition);
  pthread_mutex_unlock(&mutex);
  if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) pthread_barrier_destroy(&barrier);
  waiter.join();
}

}  // namespace

int main(int, char** arguments) {
  const std::map<std::string, void (*)()> cases{
      {"initialised", initialised},         {"assigned", assigned},   {"cleared", cleared},
      {"constructed", constructed},         {"in_frames", in_frames}, {"in_blocks", in_blocks},
      {"never_destroyed", never_destroyed}, {"all_woken", all_woken}};
  cases.at(arguments[1])();
}
