// Files that an execution makes are gone after it; the working directory, the mask and the limits go back.
// expect: exhausted
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <thrum/thrum.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

std::atomic<int> turns;

int main() {
  umask(022);
  std::thread other([] { turns.fetch_add(1); });
  turns.fetch_add(1);
  other.join();
  char folder[] = "/tmp/thrum-test-XXXXXX";
  assert(mkdtemp(folder));
  char here[4096];
  assert(std::strcmp(getcwd(here, sizeof here), folder) != 0);
  assert(umask(077) == 022);
  rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  assert(limit.rlim_cur != 77);
  limit.rlim_cur = 77;
  assert(setrlimit(RLIMIT_NOFILE, &limit) == 0);
  assert(chdir(folder) == 0);
  assert(access("made", F_OK) == -1);
  FILE* file = std::fopen("made", "w");
  std::fputs("text", file);
  std::fclose(file);
  assert(mkdir("inner", 0700) == 0);
  assert(std::fopen("inner/second", "w"));
  assert(symlink("made", "link") == 0);
  assert(std::rename("made", "renamed") == 0 && access("renamed", F_OK) == 0);
  char name[] = "XXXXXX";
  assert(mkstemp(name) >= 0);
  assert(unlink(name) == 0);
  assert(tmpfile());
  assert(std::filesystem::copy_file("/proc/self/exe", "copy"));
  if (!thrum_is_active()) std::filesystem::remove_all(folder);
}
