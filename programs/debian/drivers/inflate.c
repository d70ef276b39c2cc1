// Inflates standard input, with any of zlib's headers, and prints how it ended and how much came out.
#include <stdio.h>
#include <string.h>
#include <zlib.h>

int main(void) {
  static unsigned char packed[256], plain[4096];
  z_stream stream;
  memset(&stream, 0, sizeof stream);
  stream.next_in = packed;
  stream.avail_in = fread(packed, 1, sizeof packed, stdin);
  stream.next_out = plain;
  stream.avail_out = sizeof plain;
  if (inflateInit2(&stream, 15 + 32) != Z_OK) return 2;
  int end = inflate(&stream, Z_FINISH);
  printf("%d %lu\n", end, stream.total_out);
  inflateEnd(&stream);
  return end != Z_STREAM_END;
}
