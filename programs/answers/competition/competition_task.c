// A task of SV-COMP in its own words: `abort` in `assume_abort_if_not` is an assumption, and the third assertion fails.
// cleave: expect paths=5..8 failed=1 assumed_away=1..2
// cleave: code 3
// cleave: replay uncertain
extern void abort(void);
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__nothrow__, __leaf__)) __attribute__((__noreturn__));
void reach_error() { __assert_fail("0", "prog.c", 3, "reach_error"); }
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar();
extern _Bool __VERIFIER_nondet_bool();
void assume_abort_if_not(int cond) { if (!cond) { abort(); } }
void __VERIFIER_assert(int cond) { if (!(cond)) { ERROR: { reach_error(); abort(); } } return; } //~ ERROR report_error

int main(void) {
  int n = __VERIFIER_nondet_int();
  assume_abort_if_not(n > 0 && n <= 5);
  double d = 0.0;
  unsigned s = 0;
  for (int i = 1; i <= n; i++) { s += i; d += __VERIFIER_nondet_bool() ? 1.0 : 0.5; }
  __VERIFIER_assert(s == (unsigned)n * (n + 1) / 2);
  __VERIFIER_assert(d <= n);
  unsigned char c = __VERIFIER_nondet_uchar();
  __VERIFIER_assert(!(d == 2.5 && n == 4 && c == 77));     /* fails */
  return 0;
}
