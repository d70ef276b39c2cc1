// A graph of five nodes as bits of the input: reachability, two colours, and the length of a shortest path with weights.
#include <klee/klee.h>
#include <stdint.h>

enum { N = 5, FAR = 1000 };

int main(void) {
  uint8_t rows[N], weights[N];
  klee_make_symbolic(rows, sizeof rows, "rows");
  klee_make_symbolic(weights, sizeof weights, "weights");
  for (int i = 0; i < N; i++) {
    if (rows[i] >> N || rows[i] >> i & 1) return 1;
    if (weights[i] < 1 || weights[i] > 60) return 2;
  }
  uint8_t reached = 1;
  for (int step = 0; step < N; step++) {
    for (int i = 0; i < N; i++) reached |= (uint8_t)(rows[i] & -(reached >> i & 1));
  }
  if (!(reached >> (N - 1))) return 3;
  int distance[N] = {0, FAR, FAR, FAR, FAR};
  uint8_t done = 0;
  for (int step = 0; step < N; step++) {
    int best = -1;
    for (int i = 0; i < N; i++) {
      if (!(done >> i & 1) && distance[i] < FAR && (best < 0 || distance[i] < distance[best])) best = i;
    }
    if (best < 0) break;
    done |= (uint8_t)(1 << best);
    for (int i = 0; i < N; i++) {
      if ((rows[best] >> i & 1) && distance[best] + weights[i] < distance[i]) distance[i] = distance[best] + weights[i];
    }
  }
  if (distance[N - 1] == FAR) return 9;
  return distance[N - 1] > 100 ? 4 : 0;
}
