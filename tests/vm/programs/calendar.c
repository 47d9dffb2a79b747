#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static void show(const struct tm* t) {
  printf("%d-%d-%d %d:%d:%d w%d y%d dst%d %s %ld\n", t->tm_year, t->tm_mon, t->tm_mday, t->tm_hour, t->tm_min, t->tm_sec, t->tm_wday, t->tm_yday, t->tm_isdst, t->tm_zone, t->tm_gmtoff);
}
int main(void) {
  const time_t times[] = {0, 1, 86399, 1700000000, -1, 951827696, 4102444800, -62135596800};
  for (int i = 0; i < 8; ++i) {
    struct tm t;
    show(gmtime(&times[i]));
    show(localtime(&times[i]));
    gmtime_r(&times[i], &t);
    printf("%ld ", (long)timegm(&t));
    t.tm_mday += 40;
    t.tm_hour -= 30;
    printf("%ld ", (long)mktime(&t));
    show(&t);
    printf("%s%s", ctime(&times[i]), asctime(&t));
    char text[200];
    printf("%zu ", strftime(text, sizeof text, "%a %A %b %B %c %C %d %D %e %F %g %G %H %I %j %k %m %M %n %p %r %R %S %t %T %u %U %V %w %W %x %X %y %Y %z %Z %%", &t));
    puts(text);
  }
  char small[4] = "abc";
  struct tm t = {0};
  printf("%zu\n", strftime(small, 3, "%Y", &t));
  const char* rest = strptime("2024-02-29 12:34:56 tail", "%Y-%m-%d %H:%M:%S", &t);
  printf("%s %d %d %d %d\n", rest, t.tm_year, t.tm_mon, t.tm_mday, t.tm_wday);
  printf("%d %g\n", strptime("x", "%Y", &t) == NULL, difftime(10, 4));
  return 0;
}
