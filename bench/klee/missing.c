// What programs that are compiled against glibc's headers ask for and klee-uclibc lacks. KLEE would call the machine's own functions
// for them, with one value of each symbolic argument. bench/klee/run links this with each program; a definition of the program wins.
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WEAK __attribute__((weak))

// klee-uclibc's table has glibc's bits.
extern const unsigned short *__ctype_b;
WEAK const unsigned short **__ctype_b_loc(void) { return &__ctype_b; }

// The C locale: each character is a byte.
WEAK size_t __ctype_get_mb_cur_max(void) { return 1; }

WEAK int c_strcasecmp(const char *a, const char *b) {
  for (;; a++, b++) {
    int x = *(const unsigned char *)a, y = *(const unsigned char *)b;
    if (x >= 'A' && x <= 'Z') x += 'a' - 'A';
    if (y >= 'A' && y <= 'Z') y += 'a' - 'A';
    if (x != y || x == 0) return x - y;
  }
}

WEAK void *reallocarray(void *old, size_t count, size_t size) {
  size_t all;
  if (__builtin_mul_overflow(count, size, &all)) {
    errno = ENOMEM;
    return NULL;
  }
  return realloc(old, all);
}

WEAK int __isoc99_sscanf(const char *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int found = vsscanf(text, format, arguments);
  va_end(arguments);
  return found;
}

WEAK char *secure_getenv(const char *name) { return getenv(name); }
WEAK int getpagesize(void) { return 4096; }

// No page is told to be there. m4 looks for the end of its stack with it.
WEAK int mincore(void *from, size_t length, unsigned char *found) {
  (void)from, (void)length, (void)found;
  errno = ENOMEM;
  return -1;
}

// "Random" bytes are the same ones each time, as for Cleave.
WEAK void arc4random_buf(void *to, size_t length) { memset(to, 7, length); }
WEAK ssize_t getrandom(void *to, size_t length, unsigned flags) {
  (void)flags;
  memset(to, 7, length);
  return (ssize_t)length;
}

WEAK int sigaltstack(const void *now, void *before) {
  (void)now, (void)before;
  return 0;
}

// sqlite asks for it.
size_t klee_get_obj_size(void *object);
WEAK size_t malloc_usable_size(void *object) { return object ? klee_get_obj_size(object) : 0; }

// clang asks for it where only equality counts.
WEAK int bcmp(const void *a, const void *b, size_t length) {
  const unsigned char *x = a, *y = b;
  for (size_t at = 0; at < length; at++)
    if (x[at] != y[at]) return 1;
  return 0;
}

WEAK int __isoc99_vsscanf(const char *text, const char *format, va_list arguments) { return vsscanf(text, format, arguments); }
