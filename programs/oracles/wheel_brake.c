// The wheel brake system: N updates of (pedal, autobrake, skid) on a state of three ints.
// Only the inputs are branched on, so an update has 6 * 2 * 2 outcomes and N updates have 24^N.
//
// cleave: expect -DN=1 paths=24
// cleave: expect -DN=2 paths=576
// cleave: expect -DN=3 paths=13824
// cleave: domain pedal 0..5
// cleave: domain autobrake 0..1
// cleave: domain skid 0..1
#include <klee/klee.h>

#include "wheel_brake.h"

#ifndef N
#define N 2
#endif

static volatile int result;

int main(void) {
  struct brake b = {0, 0, 100};
  for (int step = 0; step < N; step++) {
    int pedal, autobrake, skid;
    klee_make_symbolic(&pedal, sizeof pedal, "pedal");
    klee_make_symbolic(&autobrake, sizeof autobrake, "autobrake");
    klee_make_symbolic(&skid, sizeof skid, "skid");
    brake_update(&b, pedal, autobrake, skid);
  }
  result = b.pressure;
  return 0;
}
