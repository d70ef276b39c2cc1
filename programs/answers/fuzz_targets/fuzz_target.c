// A fuzz target is a program: one input of any size up to --max-len, and a size that no branch asks for is no path.
// cleave: expect paths=2 failed=0
// cleave: code 0
#include <stddef.h>
#include <stdint.h>
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 2) return 0;
  return data[0] == data[1];
}
