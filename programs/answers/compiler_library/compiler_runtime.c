// cleave: expect paths=11 failed=0 unsupported=0 open=0
// cleave: code 0
/* What the compiler calls by itself. */
#include <assert.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <klee/klee.h>
static void *buf[5];
static void leap(void) { __builtin_longjmp(buf, 1); }
int main(int argc, char **argv) {
  unsigned char c; klee_make_symbolic(&c, 1, "c");
  switch (c) {
  case 0: { double x = __builtin_powi(1.5, argc + 2); return x == 3.375 ? 1 : 2; }
  case 1: { __float128 q = argc; q = q / 3; return q * 3 == 1 ? 1 : 2; }
  case 2: { _Atomic __int128 a = 5; a += 3; return (int)a; }
  case 3: { if (__builtin_setjmp(buf) == 0) leap(); return 3; }
  case 4: { void *f = __builtin_frame_address(0), *r = __builtin_return_address(0); return f && r ? 4 : 5; }
  case 5: { asm goto("test %0, %0; jnz %l[yes]" : : "r"(argc) : "cc" : yes); return 5; yes: return 6; }
  case 6: { _Float16 h = (_Float16)argc; return h == 1 ? 7 : 8; }
  case 7: { __bf16 b = (__bf16)1.5f; return (float)b == 1.5f ? 9 : 10; }
  case 8: { int r = 0; for (int i = 0; i < 3; i++) r += __builtin_constant_p(i); return r; }
  case 9: { unsigned long long t = __builtin_readcyclecounter(); return t == 0; }
  }
  return 0;
}
