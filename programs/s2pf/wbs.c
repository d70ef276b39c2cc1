// S2PF's WBS: N updates of the wheel brake system.
// 24^N paths.
//
// cleave: expect -DN=1 paths=24
// cleave: expect -DN=2 paths=576
// cleave: expect -DN=3 paths=13824
// cleave: domain pedal 0..5
// cleave: domain autobrake 0..1
// cleave: domain skid 0..1
#ifndef N
#define N 3
#endif

#include "../oracles/wheel_brake.c"
