// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of libraries/c under the names of renamed.h, random inputs for them, and memory behind which
// nothing may be read.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <cwchar>
#include <new>
#include <random>
#include <string>

extern "C" {
void* vm_memcpy(void*, const void*, std::size_t);
void* vm_mempcpy(void*, const void*, std::size_t);
void* vm_memmove(void*, const void*, std::size_t);
void* vm_memset(void*, int, std::size_t);
int vm_memcmp(const void*, const void*, std::size_t);
int vm_bcmp(const void*, const void*, std::size_t);
void* vm_memchr(const void*, int, std::size_t);
void* vm_memrchr(const void*, int, std::size_t);

std::size_t vm_strlen(const char*);
std::size_t vm_strnlen(const char*, std::size_t);
char* vm_stpcpy(char*, const char*);
char* vm_strcpy(char*, const char*);
char* vm_stpncpy(char*, const char*, std::size_t);
char* vm_strncpy(char*, const char*, std::size_t);
char* vm_strcat(char*, const char*);
char* vm_strncat(char*, const char*, std::size_t);
int vm_strncmp(const char*, const char*, std::size_t);
int vm_strcmp(const char*, const char*);
int vm_strncasecmp(const char*, const char*, std::size_t);
int vm_strcasecmp(const char*, const char*);
char* vm_strchrnul(const char*, int);
char* vm_strchr(const char*, int);
char* vm_index(const char*, int);
char* vm_strrchr(const char*, int);
char* vm_rindex(const char*, int);
char* vm_strstr(const char*, const char*);
std::size_t vm_strspn(const char*, const char*);
std::size_t vm_strcspn(const char*, const char*);
char* vm_strpbrk(const char*, const char*);
char* vm_strtok_r(char*, const char*, char**);
char* vm___strtok_r(char*, const char*, char**);
char* vm_strtok(char*, const char*);
char* vm_strndup(const char*, std::size_t);
char* vm_strdup(const char*);
int vm_strcoll(const char*, const char*);
std::size_t vm_strxfrm(char*, const char*, std::size_t);

wchar_t* vm_wmemcpy(wchar_t*, const wchar_t*, std::size_t);
wchar_t* vm_wmempcpy(wchar_t*, const wchar_t*, std::size_t);
wchar_t* vm_wmemmove(wchar_t*, const wchar_t*, std::size_t);
wchar_t* vm_wmemset(wchar_t*, wchar_t, std::size_t);
int vm_wmemcmp(const wchar_t*, const wchar_t*, std::size_t);
wchar_t* vm_wmemchr(const wchar_t*, wchar_t, std::size_t);
std::size_t vm_wcslen(const wchar_t*);
std::size_t vm_wcsnlen(const wchar_t*, std::size_t);
wchar_t* vm_wcpcpy(wchar_t*, const wchar_t*);
wchar_t* vm_wcscpy(wchar_t*, const wchar_t*);
wchar_t* vm_wcsncpy(wchar_t*, const wchar_t*, std::size_t);
wchar_t* vm_wcscat(wchar_t*, const wchar_t*);
wchar_t* vm_wcsncat(wchar_t*, const wchar_t*, std::size_t);
int vm_wcsncmp(const wchar_t*, const wchar_t*, std::size_t);
int vm_wcscmp(const wchar_t*, const wchar_t*);
int vm_wcscoll(const wchar_t*, const wchar_t*);
std::size_t vm_wcsxfrm(wchar_t*, const wchar_t*, std::size_t);
wchar_t* vm_wcschr(const wchar_t*, wchar_t);
wchar_t* vm_wcsrchr(const wchar_t*, wchar_t);
wchar_t* vm_wcsstr(const wchar_t*, const wchar_t*);
std::size_t vm_wcsspn(const wchar_t*, const wchar_t*);
std::size_t vm_wcscspn(const wchar_t*, const wchar_t*);
wchar_t* vm_wcspbrk(const wchar_t*, const wchar_t*);
wchar_t* vm_wcstok(wchar_t*, const wchar_t*, wchar_t**);
wchar_t* vm_wcsdup(const wchar_t*);

const std::uint16_t* const* vm___ctype_b_loc();
const std::int32_t* const* vm___ctype_tolower_loc();
const std::int32_t* const* vm___ctype_toupper_loc();
int vm_isalnum(int);
int vm_isalpha(int);
int vm_isblank(int);
int vm_iscntrl(int);
int vm_isdigit(int);
int vm_isgraph(int);
int vm_islower(int);
int vm_isprint(int);
int vm_ispunct(int);
int vm_isspace(int);
int vm_isupper(int);
int vm_isxdigit(int);
int vm_isascii(int);
int vm_toascii(int);
int vm_tolower(int);
int vm_toupper(int);

void vm_qsort_r(void*, std::size_t, std::size_t, int (*)(const void*, const void*, void*), void*);
void vm_qsort(void*, std::size_t, std::size_t, int (*)(const void*, const void*));
void* vm_bsearch(const void*, const void*, std::size_t, std::size_t, int (*)(const void*, const void*));
int vm_abs(int);
long vm_labs(long);
long long vm_llabs(long long);
std::div_t vm_div(int, int);
std::ldiv_t vm_ldiv(long, long);
std::lldiv_t vm_lldiv(long long, long long);
int vm_atoi(const char*);
long vm_atol(const char*);
long long vm_atoll(const char*);
void vm_srandom(unsigned);
void vm_srand(unsigned);
long vm_random();
int vm_rand();
int vm_rand_r(unsigned*);
}

namespace thrum {

// While it is set, the functions get no memory.
inline bool no_memory = false;

// With AddressSanitizer the C library's functions are not the C library's: strcmp says only which text comes
// first, and qsort asks more.
#ifdef __SANITIZE_ADDRESS__
inline constexpr bool kOfCLibrary = false;
#else
inline constexpr bool kOfCLibrary = true;
#endif

inline int sign(int order) { return order < 0 ? -1 : static_cast<int>(order > 0); }

inline constexpr int kRandomInputs = 5000;

// Characters that end in front of a page which nobody may touch. Each call of place() overwrites the last
// one's.
class Guarded {
 public:
  Guarded() : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    void* pages = mmap(nullptr, 2 * page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(static_cast<char*>(pages) + page_, page_, PROT_NONE) != 0)
      throw std::bad_alloc();
    pages_ = static_cast<char*>(pages);
  }
  ~Guarded() { munmap(pages_, 2 * page_); }
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  // A copy of the characters, with nothing behind them.
  template <class Character>
  Character* place(const std::basic_string<Character>& text) {
    const std::size_t size = text.size() * sizeof(Character);
    char* begin = pages_ + page_ - size;
    if (size != 0) std::memcpy(begin, text.data(), size);
    return reinterpret_cast<Character*>(begin);
  }
  // The same, with a zero behind them.
  template <class Character>
  Character* place_string(std::basic_string<Character> text) {
    text.push_back(0);
    return place(text);
  }

 private:
  std::size_t page_;
  char* pages_ = nullptr;
};

class Inputs {
 public:
  // From 0 to most.
  std::size_t number(std::size_t most) { return random_() % (most + 1); }

  // At most so many characters of a small set, so that texts have parts in common; no zeros among them.
  std::string text(std::size_t most) { return text_of<char>("abAB.[\x7f\x80\xff", most); }
  // Wide ones, negative numbers among them.
  std::wstring wide_text(std::size_t most) {
    static const std::wstring set = {L'a',
                                     L'b',
                                     L'B',
                                     L'\x80',
                                     static_cast<wchar_t>(0x7fffffff),
                                     static_cast<wchar_t>(-1),
                                     static_cast<wchar_t>(0x80000000U)};
    return text_of<wchar_t>(set, most);
  }
  // Zeros are among these.
  template <class Character>
  std::basic_string<Character> with_zeros(std::basic_string<Character> text) {
    for (Character& c : text) {
      if (number(7) == 0) c = 0;
    }
    return text;
  }
  // Of the set, or any.
  int character() { return number(1) == 0 ? static_cast<int>(number(600)) - 300 : "abAB.\x80"[number(6)]; }
  std::uint32_t word() { return static_cast<std::uint32_t>(random_()); }

 private:
  template <class Character>
  std::basic_string<Character> text_of(const std::basic_string<Character>& set, std::size_t most) {
    // A few texts are of one character only.
    const std::size_t used = number(3) == 0 ? 0 : set.size() - 1;
    std::basic_string<Character> text;
    for (std::size_t left = number(most); left > 0; --left) text.push_back(set[number(used)]);
    return text;
  }

  std::mt19937_64 random_{20};
};

// How far behind the beginning a result points; -1: it is null.
template <class Character>
std::ptrdiff_t place_in(const Character* begin, const void* result) {
  return result == nullptr ? -1 : static_cast<const Character*>(result) - begin;
}

}  // namespace thrum
