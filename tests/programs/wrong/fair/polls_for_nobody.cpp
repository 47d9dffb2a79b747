// case yields: bug livelock
// case sleeps: bug livelock
// args: --fair on --steps 1000
// plain: no
// Polls a flag under a lock, and the one who was to set it has gone.
#include <chrono>
#include <cstring>
#include <mutex>
#include <thread>

std::mutex mutex;
bool ready = false;

int main(int count, char** words) {
  const bool sleeps = count > 1 && std::strcmp(words[1], "sleeps") == 0;
  std::thread worker([] { std::lock_guard lock(mutex); });
  while (true) {
    mutex.lock();
    bool done = ready;
    mutex.unlock();
    if (done) break;
    if (sleeps) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    } else {
      std::this_thread::yield();
    }
  }
  worker.join();
}
