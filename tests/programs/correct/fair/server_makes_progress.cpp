// expect: inconclusive
// reason: did not end
// args: --fair on --steps 2000 --executions 20
// plain: no
// A server and its client go round for ever, as they are meant to: thrum_progress() says so, and it is no
// livelock. Whether all of it is right nobody can say.
#include <mutex>
#include <thread>
#include <thrum/thrum.hpp>

std::mutex mutex;

void serve() {
  while (true) {
    mutex.lock();
    mutex.unlock();
    thrum::progress();
    std::this_thread::yield();
  }
}

int main() {
  std::thread first(serve);
  std::thread second(serve);
  first.join();
  second.join();
}
