// The wheel brake system, shared by the oracle and by `s2pf/wbs.c`: a state of three ints, and an update of it by
// (pedal, autobrake, skid). Only the inputs are branched on.
#ifndef WHEEL_BRAKE_H
#define WHEEL_BRAKE_H

struct brake {
  int command, meter, pressure;
};

static inline void brake_update(struct brake *b, int pedal, int autobrake, int skid) {
  int demand;
  if (pedal == 0)
    demand = 0;
  else if (pedal == 1)
    demand = 10;
  else if (pedal == 2)
    demand = 20;
  else if (pedal == 3)
    demand = 35;
  else if (pedal == 4)
    demand = 50;
  else
    demand = 80;
  if (autobrake)
    demand += 5;
  else
    demand -= b->command / 4;
  if (skid)
    b->meter = 0;
  else
    b->meter = b->meter / 2 + demand;
  b->command = demand;
  b->pressure += b->meter - b->command;
}

#endif
