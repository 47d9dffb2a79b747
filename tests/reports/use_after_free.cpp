// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who is done first frees what the other still needs, if it comes to it later.
#include <atomic>
#include <thread>

struct Job {
  int result = 0;
};
Job* job = new Job;
std::atomic<int> done = 0;

void work() {
  if (done.fetch_add(1) == 0) delete job;
  else job->result = 1;
}

int main() {
  std::thread first(work);
  std::thread second(work);
  first.join();
  second.join();
}
