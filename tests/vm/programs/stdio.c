#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>
int main(void) {
  puts("puts");
  putchar('p');
  putc('q', stdout);
  fputc('r', stdout);
  putchar_unlocked('s');
  fputs(" fputs\n", stdout);
  printf("%zu ", fwrite("abcdef", 2, 3, stdout));
  printf("%zu\n", fwrite("x", 0, 3, stdout));
  fprintf(stdout, "%s\n", "fprintf");
  printf("%d %d %d\n", fflush(stdout), fileno(stdin), fileno(stdout));
  printf("%d %d\n", setvbuf(stdout, NULL, _IOFBF, 1 << 16), ferror(stdout));
  printf("%d ", getchar());
  printf("%d ", feof(stdin));
  clearerr(stdin);
  printf("%d ", feof(stdin));
  printf("%d ", ungetc('u', stdin));
  printf("%c ", getc(stdin));
  ungetc('v', stdin);
  char line[20] = "old";
  printf("%s ", fgets(line, 20, stdin));
  printf("%d %s ", fgets(line, 20, stdin) == NULL, line);
  printf("%zu ", fread(line, 1, 5, stdin));
  char* block = NULL;
  size_t size = 0;
  printf("%zd\n", getline(&block, &size, stdin));
  free(block);
  for (int i = 0; i < 140; ++i) printf("%d %s\n", i, strerror(i));
  char text[64];
  printf("%s %d %s\n", strerror_r(EINVAL, text, sizeof text), 0, strerror_r(9999, text, sizeof text));
  printf("%s %s\n", strsignal(11), strsignal(1));
  errno = 0;
  printf("%d ", fopen("/no/such/file", "r") == NULL);
  printf("%d\n", errno == ENOENT);
  fflush(stdout);
  struct iovec parts[] = {{"one ", 4}, {"two\n", 4}};
  int wrote = (int)writev(1, parts, 2);
  int more = (int)write(1, "write\n", 6);
  printf("%d %d %d\n", wrote, more, (int)read(0, text, 10));
  errno = EACCES;
  dprintf(1, "%s", "");
  return 0;
}
