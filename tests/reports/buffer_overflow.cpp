// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -O2 -D_FORTIFY_SOURCE=2
//
// The length is read twice, and grows in between.
#include <string.h>

#include <atomic>
#include <thread>

std::atomic<unsigned long> length{8};
char message[16] = "hello, world";
char copy[8];

void receive() {
  if (length > sizeof copy) return;
  memcpy(copy, message, length);
}

int main() {
  std::thread receiver(receive);
  length = sizeof message;
  receiver.join();
}
