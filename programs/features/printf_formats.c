// printf: integers of all sizes, flags, widths, precisions, floats of all formats, strings, characters, %n.
//
// cleave: expect paths=1
// cleave: exit 0
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>

int main(void) {
  printf("[%d] [%i] [%5d] [%-5d] [%05d] [%+d] [% d] [%.3d] [%8.3d]\n", 42, -42, 42, 42, 42, 42, 42, 7, -7);
  printf("[%u] [%o] [%#o] [%x] [%X] [%#x] [%#010x]\n", 4294967295u, 8u, 8u, 48879u, 48879u, 48879u, 48879u);
  printf("[%hhd] [%hd] [%ld] [%lld] [%jd] [%zu] [%td]\n", (signed char)-1, (short)-2, LONG_MIN, LLONG_MAX, INTMAX_MIN,
         sizeof(int), (ptrdiff_t)-5);
  printf("[%*d] [%-*d] [%.*d]\n", 6, 1, 6, 2, 4, 3);
  printf("[%s] [%10s] [%-10s] [%.2s] [%c] [%%]\n", "text", "right", "left", "cut off", 'x');
  printf("[%f] [%.0f] [%#.0f] [%10.3f] [%-10.1f] [%+f]\n", 3.14159, 2.5, 2.5, -1.0005, 9.96, 1e10);
  printf("[%e] [%E] [%.0e] [%.10e]\n", 12345.678, 0.00012, 5e-300, 1.0 / 3);
  printf("[%g] [%g] [%g] [%G] [%.3g] [%#g]\n", 100000.0, 1000000.0, 0.0001, 1e-10, 1234.5, 1.0);
  printf("[%a] [%A] [%.2a]\n", 1.0, 0.1, 3.999);
  printf("[%f] [%e] [%g] [%5.1f]\n", INFINITY, -INFINITY, NAN < 0 ? 0.0 : 1.0, -0.0);
  printf("[%.20f] [%.17g] [%g]\n", 0.1, DBL_MAX, DBL_MIN);
  printf("[%Lf] [%.25Lg] [%Le] [%La]\n", 1.5L, 0.1L, LDBL_MAX, 1.0L);
  printf("[%" PRIu64 "] [%" PRIx8 "]\n", UINT64_MAX, (uint8_t)200);
  int so_far = 0;
  int written = printf("12345%n678\n", &so_far);
  printf("%d %d\n", so_far, written);
  char small[8];
  int needed = snprintf(small, sizeof small, "%s-%d", "truncated", 7);
  printf("%d [%s]\n", needed, small);
  return 0;
}
