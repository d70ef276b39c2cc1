// A controller in fixed point: proportional, integral and differential parts with saturation, over some samples.
// flags: -O0
#include <klee/klee.h>
#include <stdint.h>

enum { SAMPLES = 5 };

static int32_t clamp(int32_t value, int32_t low, int32_t high) { return value < low ? low : value > high ? high : value; }

int main(void) {
  int8_t samples[SAMPLES];
  klee_make_symbolic(samples, sizeof samples, "samples");
  int32_t integral = 0, before = 0, valve = 0, alarms = 0;
  for (int i = 0; i < SAMPLES; i++) {
    int32_t error = 20 - samples[i];
    integral = clamp(integral + error, -150, 150);
    int32_t output = (3 * error << 4) + 5 * integral + 2 * (error - before);
    before = error;
    output = clamp(output >> 4, -100, 100);
    if (output > 90) alarms++;
    if (output < valve - 60) return 1;
    valve = (3 * valve + output) / 4;
  }
  if (valve > 50) return 2;
  if (valve == -7) return 3;
  return alarms > 2 ? 4 : 0;
}
