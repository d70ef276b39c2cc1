// A small library that parses records of several kinds: a tag, and what belongs to it. bench/since-check changes one function at a time.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct input {
  const unsigned char *at, *end;
};

static int failures;

static int next(struct input *in) { return in->at < in->end ? *in->at++ : -1; }

static int parse_number(struct input *in, uint32_t *value) {
  int digits = 0;
  *value = 0;
  while (in->at < in->end && *in->at >= '0' && *in->at <= '9') {
    *value = *value * 10 + (uint32_t)(*in->at++ - '0');
    digits++;
  }
  return digits > 0 ? 0 : -1;
}

static int parse_word(struct input *in, char *word, size_t room) {
  size_t n = 0;
  while (in->at < in->end && ((*in->at >= 'a' && *in->at <= 'z') || *in->at == '_')) {
    if (n + 1 >= room) return -1;
    word[n++] = (char)*in->at++;
  }
  word[n] = 0;
  return n > 0 ? 0 : -1;
}

static int parse_flags(struct input *in, unsigned *flags) {
  *flags = 0;
  for (int c = next(in); c >= 0 && c != ';'; c = next(in)) {
    switch (c) {
      case 'r': *flags |= 1; break;
      case 'w': *flags |= 2; break;
      case 'x': *flags |= 4; break;
      default: return -1;
    }
  }
  return 0;
}

static int parse_range(struct input *in, uint32_t *from, uint32_t *to) {
  if (parse_number(in, from) < 0) return -1;
  if (next(in) != '-') return -1;
  if (parse_number(in, to) < 0) return -1;
  return *from <= *to ? 0 : -2;
}

static unsigned checksum(const unsigned char *data, size_t n) {
  unsigned sum = 0;
  for (size_t i = 0; i < n; i++) sum = (sum << 3 | sum >> 29) ^ data[i];
  return sum;
}

static int keyword(const char *word) {
  static const char *const words[] = {"on", "off", "auto"};
  for (int i = 0; i < 3; i++)
    if (strcmp(word, words[i]) == 0) return i;
  return -1;
}

static int record(struct input *in) {
  uint32_t a = 0, b = 0;
  unsigned flags = 0;
  char word[6];
  switch (next(in)) {
    case 'n': return parse_number(in, &a) < 0 ? -1 : (int)(a & 15);
    case 'w': return parse_word(in, word, sizeof word) < 0 ? -1 : 20 + keyword(word);
    case 'f': return parse_flags(in, &flags) < 0 ? -1 : 30 + (int)flags;
    case '-': return parse_range(in, &a, &b) < 0 ? -1 : 40 + (int)((b - a) & 7);
    default: return -1;
  }
}

int main(void) {
  unsigned char file[LENGTH];
  ssize_t n = read(0, file, sizeof file);
  if (n < 2) return 1;
  struct input in = {file, file + n};
  int sum = 0;
  while (in.at < in.end) {
    int kind = record(&in);
    if (kind < 0) {
      failures++;
      break;
    }
    sum += kind;
  }
  if (failures == 0 && sum == 35) sum += checksum(file, (size_t)n) & 1;
  return (sum & 63) + failures;
}
