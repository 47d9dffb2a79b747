// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether the buffer is still there is asked under the lock, and it is freed under the lock; in between, another
// thread may do the same.
#include <mutex>
#include <thread>

std::mutex mutex;
int* buffer = new int[4];
bool closed = false;

bool is_open() {
  std::lock_guard guard(mutex);
  return !closed;
}

void close_buffer() {
  if (!is_open()) return;
  std::lock_guard guard(mutex);
  closed = true;
  delete[] buffer;
}

int main() {
  std::thread first(close_buffer);
  std::thread second(close_buffer);
  first.join();
  second.join();
}
