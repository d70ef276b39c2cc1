// Reads UTF-8 from standard input, puts it into a normal form (compatible, composed, without case) and prints that, the number of
// graphemes and the width of each code point.
#include <stdio.h>
#include <stdlib.h>
#include <utf8proc.h>

int main(void) {
  static unsigned char text[256];
  long length = (long)fread(text, 1, sizeof text, stdin);
  utf8proc_uint8_t *normal;
  utf8proc_ssize_t size = utf8proc_map(text, length, &normal, UTF8PROC_STABLE | UTF8PROC_COMPAT | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD);
  if (size < 0) {
    puts(utf8proc_errmsg(size));
    return 1;
  }
  utf8proc_int32_t before = 0, now, state = 0;
  int graphemes = 0, width = 0;
  for (utf8proc_ssize_t at = 0; at < size;) {
    utf8proc_ssize_t taken = utf8proc_iterate(normal + at, size - at, &now);
    if (taken < 1) break;
    if (at == 0 || utf8proc_grapheme_break_stateful(before, now, &state)) graphemes++;
    width += utf8proc_charwidth(now);
    before = now;
    at += taken;
  }
  fwrite(normal, 1, (size_t)size, stdout);
  printf("\n%d %d\n", graphemes, width);
  free(normal);
  return 0;
}
