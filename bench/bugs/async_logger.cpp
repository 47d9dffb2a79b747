// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expect: assertion
// quick: --strategy icb --executions 1000
//
// A logger that writes in the background: messages go into a buffer, the writer swaps it for an empty one and
// writes what was in it. To flush is to sleep until all is written.
//
// The bug: it sleeps until the buffer is empty. What the writer has swapped out may not have been written
// yet.
#include <array>
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "threads.hpp"

class Logger {
 public:
  void log(int message) {
    std::lock_guard lock(mutex_);
    buffer_.push_back(message);
    ++logged_;
    changed_.notify_all();
  }

  void flush() {
    std::unique_lock lock(mutex_);
#ifdef FIXED
    const int logged = logged_;
    changed_.wait(lock, [&] { return written_ >= logged; });
#else
    changed_.wait(lock, [this] { return buffer_.empty(); });
#endif
  }

  void stop() {
    std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }

  // In the background, until the logger is stopped.
  void write() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return stopped_ || !buffer_.empty(); });
      if (buffer_.empty()) return;
      std::vector<int> batch;
      batch.swap(buffer_);
      lock.unlock();
      for (int message : batch) file_[static_cast<std::size_t>(message)].store(true);
      lock.lock();
      written_ += static_cast<int>(batch.size());
      changed_.notify_all();
    }
  }

  bool is_written(int message) const { return file_[static_cast<std::size_t>(message)].load(); }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<int> buffer_;
  int logged_ = 0;
  int written_ = 0;
  bool stopped_ = false;
  std::array<std::atomic<bool>, 16> file_{};
};

constexpr int kMessages = 5;

Logger logger;
std::atomic<int> working{2};

void work(int first) {
  for (int message = first; message < first + kMessages; ++message) logger.log(message);
  logger.flush();
  for (int message = first; message < first + kMessages; ++message) assert(logger.is_written(message));
  if (working.fetch_sub(1) == 1) logger.stop();
}

int main() {
  run_together([] { work(0); }, [] { work(kMessages); }, [] { logger.write(); });
}
