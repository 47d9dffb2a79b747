// libc's functions of strings and memory do what they should, and loops of them are no waiting loops.
// flags: -O2 -D_FORTIFY_SOURCE=2
// expect: exhausted
#include <strings.h>

#include <atomic>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cwchar>
#include <thread>

std::atomic<int> turns;
char text[64];
wchar_t wide[16];

void check_strings(const char* word) {
  std::strcpy(text, word);
  std::strcat(text, "-");
  std::strncat(text, word, 2);
  assert(std::strcmp(text, "word-wo") == 0 && strcasecmp(text, "WORD-WO") == 0);
  bcopy("abc", text + 20, 4);
  assert(std::memcmp(text + 20, "abc", 4) == 0 && std::strlen(text + 20) == 3);
  std::snprintf(text + 30, 8, "%s%d", word, 7);
  assert(std::strchr(text + 30, '7') == text + 34 && std::strstr(text, "-w") == text + 4);
  char* copy = strndup(word, 2);
  assert(std::strspn(copy, "ow") == 2);
  std::free(copy);
  std::wcscpy(wide, L"wide");
  std::wmemcpy(wide + 8, L"xyz", 4);
  assert(std::wcslen(wide) == 4 && std::wcscmp(wide + 8, L"xyz") == 0);
}

int count_words() {
  char list[] = "one two three";
  int count = 0;
  for (char* word = std::strtok(list, " "); word; word = std::strtok(nullptr, " ")) {
    turns.load();
    ++count;
  }
  return count;
}

int main() {
  std::thread a([] {
    turns.fetch_add(1);
    check_strings("word");
    assert(count_words() == 3);
  });
  std::thread b([] { turns.fetch_add(1); });
  a.join();
  b.join();
}
