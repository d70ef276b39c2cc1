// Readings of a thermometer as floats: a filter, limits with hysteresis, and conversions to whole degrees.
// flags: -O0
#include <klee/klee.h>

enum { READINGS = 5 };

int main(void) {
  short raw[READINGS];
  klee_make_symbolic(raw, sizeof raw, "raw");
  float filtered = 20.0f;
  int heating = 0, switches = 0;
  for (int i = 0; i < READINGS; i++) {
    float celsius = (float)raw[i] * 0.0625f - 55.0f;
    if (celsius > 125.0f || celsius < -55.0f) return 1;
    filtered += 0.25f * (celsius - filtered);
    int now = heating ? filtered < 21.5f : filtered < 19.0f;
    switches += now != heating;
    heating = now;
  }
  int degrees = (int)(filtered + 0.5f);
  if (degrees == 37) return 2;
  if (switches > 2) return 3;
  return heating ? 4 : 0;
}
