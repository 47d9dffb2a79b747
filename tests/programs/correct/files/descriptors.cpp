// Descriptors opened in an execution are closed after it, and their numbers repeat; what it closes is open
// again, and offsets go back.
// expect: exhausted
#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <cstring>
#include <thread>

std::atomic<int> turns;

int main(int, char** argv) {
  int before = open(argv[0], O_RDONLY);
  char magic[4];
  assert(read(before, magic, 4) == 4 && std::memcmp(magic, "\177ELF", 4) == 0);
  int lowest = dup(0);
  close(lowest);
  std::thread other([] { turns.fetch_add(1); });
  turns.fetch_add(1);
  turns.fetch_add(1);
  other.join();
  assert(lseek(before, 0, SEEK_CUR) == 4);
  assert(lseek(before, 100, SEEK_SET) == 100);
  int file = open(argv[0], O_RDONLY);
  assert(file == lowest);
  assert(eventfd(0, EFD_NONBLOCK) == lowest + 1);
  int pair[2];
  assert(pipe(pair) == 0 && pair[0] == lowest + 2);
  assert(write(pair[1], "x", 1) == 1);
  assert(read(pair[0], magic, 4) == 1);
  assert(close(before) == 0);
  assert(read(before, magic, 4) == -1);
  assert(dup2(file, before) == before);
  assert(lseek(before, 0, SEEK_CUR) == 0);
}
