// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What characters are, in the locale "C", and glibc's tables of that. A table has entries for -128 to 255: a
// plain char is looked up as well as an unsigned one and EOF. <ctype.h> is not included, since it defines
// some of these as macros.
//
// Tested by tests/libraries/characters_test.cpp.
#include <stdint.h>

// glibc's bits of a class, for processors that store the low byte first.
enum {
  kUpper = 1 << 8,
  kLower = 1 << 9,
  kAlpha = 1 << 10,
  kDigit = 1 << 11,
  kXdigit = 1 << 12,
  kSpace = 1 << 13,
  kPrint = 1 << 14,
  kGraph = 1 << 15,
  kBlank = 1 << 0,
  kCntrl = 1 << 1,
  kPunct = 1 << 2,
  kAlnum = 1 << 3,
};

enum { kFirst = -128, kEnd = 256, kEntries = kEnd - kFirst };

enum {
  kVisible = kPrint | kGraph,
  kMark = kVisible | kPunct,
  kLetter = kVisible | kAlpha | kAlnum,
};

#define INDEX(character) ((character)-kFirst)
#define AT(character) [INDEX(character)]
#define FROM(first, last) [INDEX(first)... INDEX(last)]

static const uint16_t classes[kEntries] = {
    FROM(0, 8) = kCntrl,
    AT('\t') = kCntrl | kSpace | kBlank,
    FROM('\n', '\r') = kCntrl | kSpace,
    FROM(14, 31) = kCntrl,
    AT(' ') = kPrint | kSpace | kBlank,
    FROM('!', '/') = kMark,
    FROM('0', '9') = kVisible | kDigit | kXdigit | kAlnum,
    FROM(':', '@') = kMark,
    FROM('A', 'F') = kLetter | kUpper | kXdigit,
    FROM('G', 'Z') = kLetter | kUpper,
    FROM('[', '`') = kMark,
    FROM('a', 'f') = kLetter | kLower | kXdigit,
    FROM('g', 'z') = kLetter | kLower,
    FROM('{', '~') = kMark,
    AT(127) = kCntrl,
};

// The numbers from `n` on.
#define TWO(n) (n), (n) + 1
#define FOUR(n) TWO(n), TWO((n) + 2)
#define EIGHT(n) FOUR(n), FOUR((n) + 4)
#define SIXTEEN(n) EIGHT(n), EIGHT((n) + 8)
#define THIRTY_TWO(n) SIXTEEN(n), SIXTEEN((n) + 16)
#define SIXTY_FOUR(n) THIRTY_TWO(n), THIRTY_TWO((n) + 32)
#define LETTERS(n) SIXTEEN(n), EIGHT((n) + 16), TWO((n) + 24)
// The upper half stands twice: as negative characters, of which the last is EOF, and as positive ones.
#define NEGATIVE SIXTY_FOUR(128), THIRTY_TWO(192), SIXTEEN(224), EIGHT(240), FOUR(248), TWO(252), 254, -1
#define UPPER_HALF SIXTY_FOUR(128), SIXTY_FOUR(192)

static const int32_t lower[kEntries] = {NEGATIVE, SIXTY_FOUR(0), 64,        LETTERS('a'), FOUR(91),
                                        TWO(95),  LETTERS('a'),  FOUR(123), 127,          UPPER_HALF};
static const int32_t upper[kEntries] = {NEGATIVE, SIXTY_FOUR(0), 64,        LETTERS('A'), FOUR(91),
                                        TWO(95),  LETTERS('A'),  FOUR(123), 127,          UPPER_HALF};

static const uint16_t* const classes_of_zero = classes - kFirst;
static const int32_t* const lower_of_zero = lower - kFirst;
static const int32_t* const upper_of_zero = upper - kFirst;

const uint16_t* const* __ctype_b_loc(void) { return &classes_of_zero; }
const int32_t* const* __ctype_tolower_loc(void) { return &lower_of_zero; }
const int32_t* const* __ctype_toupper_loc(void) { return &upper_of_zero; }

static int has(int character, int bits) { return classes[INDEX(character)] & bits; }

int isalnum(int character) { return has(character, kAlnum); }
int isalpha(int character) { return has(character, kAlpha); }
int isblank(int character) { return has(character, kBlank); }
int iscntrl(int character) { return has(character, kCntrl); }
int isdigit(int character) { return has(character, kDigit); }
int isgraph(int character) { return has(character, kGraph); }
int islower(int character) { return has(character, kLower); }
int isprint(int character) { return has(character, kPrint); }
int ispunct(int character) { return has(character, kPunct); }
int isspace(int character) { return has(character, kSpace); }
int isupper(int character) { return has(character, kUpper); }
int isxdigit(int character) { return has(character, kXdigit); }

int isascii(int character) { return (character & ~127) == 0; }
int toascii(int character) { return character & 127; }

int tolower(int character) {
  return character >= kFirst && character < kEnd ? lower[INDEX(character)] : character;
}

int toupper(int character) {
  return character >= kFirst && character < kEnd ? upper[INDEX(character)] : character;
}
