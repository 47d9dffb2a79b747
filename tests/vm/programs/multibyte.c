#define _GNU_SOURCE
#include <errno.h>
#include <langinfo.h>
#include <libintl.h>
#include <iconv.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>
int main(void) {
  wchar_t w[20];
  char b[20];
  mbstate_t s = {0};
  printf("%zu ", mbrtowc(w, "abc", 3, &s));
  printf("%d ", (int)w[0]);
  printf("%zu %zu %zd ", mbrtowc(w, "", 1, &s), mbrlen("x", 1, &s), (ssize_t)mbrtowc(w, "a", 0, &s));
  errno = 0;
  printf("%zd %d\n", (ssize_t)mbrtowc(w, "\xff", 1, &s), errno);
  errno = 0;
  printf("%zu %zd %d\n", wcrtomb(b, L'z', &s), (ssize_t)wcrtomb(b, 0x416, &s), errno);
  printf("%d %d %d %d %d\n", mbtowc(w, "q", 1), mbtowc(NULL, NULL, 0), wctomb(b, L'r'), mblen("abc", 3), mbsinit(&s) != 0);
  printf("%zu %ls\n", mbstowcs(w, "many bytes", 20), w);
  printf("%zu %zu\n", mbstowcs(NULL, "many", 0), mbstowcs(w, "many", 2));
  printf("%zu %s %zu\n", wcstombs(b, L"back", 20), b, wcstombs(NULL, L"back", 0));
  const char* from = "source";
  printf("%zu ", mbsrtowcs(w, &from, 3, &s));
  printf("%s\n", from);
  printf("%zu %d\n", mbsrtowcs(w, &from, 20, &s), from == NULL);
  const wchar_t* wfrom = L"wide source";
  printf("%zu ", wcsrtombs(b, &wfrom, 4, &s));
  printf("%ls ", wfrom);
  printf("%zu %d %s\n", wcsnrtombs(b, &wfrom, 3, 20, &s), wfrom != NULL, b);
  from = "bounded";
  printf("%zu %s\n", mbsnrtowcs(w, &from, 3, 20, &s), from);
  printf("%d %d %d %d\n", btowc('a'), btowc(EOF), wctob(L'b'), wctob(0x416));
  for (wint_t c = 0; c < 200; ++c)
    printf("%d%d%d%d%d%d:%d:%d ", !!iswalpha(c), !!iswdigit(c), !!iswspace(c), !!iswupper(c), !!iswpunct(c), !!iswprint(c), towlower(c), towupper(c));
  printf("\n%d %d %d\n", iswctype(L'a', wctype("alpha")) != 0, iswctype(L'1', wctype("alpha")) != 0, wctype("nonsense") == 0);
  printf("%d\n", (int)towctrans(L'a', wctrans("toupper")));
  printf("%s|%s|%s|%s|%s|%zu\n", nl_langinfo(CODESET), nl_langinfo(RADIXCHAR), nl_langinfo(D_T_FMT), nl_langinfo(DAY_1), nl_langinfo(MON_12), strlen(nl_langinfo(CRNCYSTR)));
  printf("%d\n", (int)MB_CUR_MAX);
  locale_t c = newlocale(LC_ALL_MASK, "C", NULL);
  printf("%d %d ", c != NULL, uselocale(NULL) == LC_GLOBAL_LOCALE);
  printf("%d ", uselocale(c) == LC_GLOBAL_LOCALE);
  printf("%d ", uselocale(NULL) == c);
  uselocale(LC_GLOBAL_LOCALE);
  errno = 0;
  printf("%d %d\n", newlocale(LC_ALL_MASK, "xx_XX", NULL) == NULL, errno);
  printf("%s %s %d\n", gettext("message"), dgettext("domain", "other"), strcoll_l("a", "b", c) < 0);
  freelocale(c);
  printf("%s %d\n", setlocale(LC_ALL, "C"), setlocale(LC_ALL, "zz_ZZ") == NULL);
  errno = 0;
  printf("%d %d\n", iconv_open("no-such-set", "UTF-8") == (iconv_t)-1, errno);
  printf("%.3f %ld\n", strtod_l("2.5", NULL, newlocale(LC_ALL_MASK, "C", NULL)), strtol("9", NULL, 10));
  return 0;
}
