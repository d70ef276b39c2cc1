// A parser of fields: a byte for the type, a byte for the length, then the data. Its check of the length looks right.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { NAME = 1, AGE = 2 };

struct person {
  char name[4];
  uint8_t age;
};

static int parse(const uint8_t *data, size_t size, struct person *person) {
  size_t at = 0;
  while (at + 2 <= size) {
    uint8_t type = data[at], length = data[at + 1];
    at += 2;
    if (at + length > size) return -1;             // the data would end behind the packet
    if (type == NAME) {
      if (length > sizeof person->name) return -1; // and its zero? A name of four letters has none
      memcpy(person->name, data + at, length);
      person->name[length] = 0;
    } else if (type == AGE) {
      person->age = data[at];                      // a length of zero has no byte here
    }
    at += length;
  }
  return at == size ? 0 : -1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct person person = {0};
  parse(data, size, &person);
  return 0;
}
