// Reads records of a type, a length and that many bytes, and keeps those that are known in a table.
// Holds: what was accepted is as long as its parts, every record lies inside the input, and records are in order.
#include <assert.h>
#include <stdint.h>
#include <unistd.h>

#ifndef N
#define N 8
#endif

enum { PAD = 0, NUMBER = 1, NAME = 2, END = 0xff };

struct record {
  uint8_t type;
  uint8_t length;
  const uint8_t *value;
};

// The next record, or 0 if it is malformed or there is none.
static int next(const uint8_t **at, const uint8_t *end, struct record *record) {
  const uint8_t *p = *at;
  while (p < end && *p == PAD) p++;
  if (end - p < 2) return 0;
  record->type = p[0];
  record->length = p[1];
  record->value = p + 2;
  if (record->length > end - record->value) return 0;
  if (record->type == NUMBER && (record->length == 0 || record->length > 4)) return 0;
  *at = record->value + record->length;
  return 1;
}

static uint32_t number(const struct record *record) {
  uint32_t result = 0;
  for (int i = 0; i < record->length; i++) result = result << 8 | record->value[i];
  return result;
}

int main(void) {
  uint8_t input[N];
  struct record records[N / 2 + 1], record;
  int count = 0, names = 0, size = 0;
  uint64_t sum = 0;
  ssize_t n = read(0, input, N);
  if (n < 0) return 1;
  const uint8_t *at = input, *end = input + n;
  while (next(&at, end, &record)) {
    if (record.type == END) break;
    if (record.type == NUMBER) sum += number(&record);
    if (record.type == NAME) names++;
    size += 2 + record.length;
    records[count++] = record;
  }
  assert(size <= at - input && at <= end);
  assert(2 * count <= n && names <= count);
  assert(sum <= (uint64_t)UINT32_MAX * (count - names));
  for (int i = 0; i < count; i++) {
    const uint8_t *limit = i + 1 < count ? records[i + 1].value - 2 : end;
    assert(records[i].type != PAD && records[i].type != END);
    assert(records[i].value >= input + 2 && records[i].value + records[i].length <= limit);
  }
  return 0;
}
