// Each operation on all pairs of special numbers, in each rounding mode, gives the bits that the processor gives: the program
// writes them, and replay compares what was written.
//
// cleave: expect -DT=float paths=4
// cleave: expect -DT=double paths=4
// cleave: expect -DT='long double' paths=4
#include "any.h"
#include <fenv.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define M(name) _Generic((T)0, float: name##f, double: name, long double: name##l)

// What an operation gave so far (FNV's hash).
static uint64_t seen;

static void see(const void *p, unsigned n) {
  for (const unsigned char *c = p; n--; c++) seen = (seen ^ *c) * 0x100000001b3;
}

// A NaN's payload where two of them meet in a function of the C library depends on how that was compiled.
static void number(T x) { see(&x, sizeof x == 16 ? 10 : sizeof x); }

static void integer(uint64_t x) { see(&x, sizeof x); }

static void tell(const char *name) {
  char line[40];
  unsigned n = strlen(name);
  memcpy(line, name, n);
  line[n++] = ' ';
  for (int i = 60; i >= 0; i -= 4) line[n++] = "0123456789abcdef"[seen >> i & 15];
  line[n++] = '\n';
  write(1, line, n);
  seen = 0xcbf29ce484222325;
}

static T numbers[64];
static int count;

static void add(T x) {
  numbers[count++] = x;
  numbers[count++] = -x;
}

// Numbers that the compiler knows nothing of.
static void make_numbers(void) {
  volatile T zero = 0, one = 1, most = 0x1p63, digits = sizeof(T) == 4 ? 0x1p-23 : sizeof(T) == 8 ? 0x1p-52 : 0x1p-63;
  volatile T least = sizeof(T) == 4 ? (T)0x1p-149 : sizeof(T) == 8 ? (T)0x1p-1074 : (T)0x1p-16445L;
  add(zero);
  add(one);
  add(one / zero);
  add(one / 2);
  add(one + one / 2);
  add(2 * one + one / 2);
  add(one + digits);
  add(one - digits / 2);
  add(one / 3);
  add(most);
  add(2 * most);
  add(most + most * digits);
  add(most / 0x1p32);
  add(most / 0x1p32 - one / 2);
  add(least);
  add(least / digits);
  add(least / digits - least);
  add((one - digits / 2) / digits);
  numbers[count++] = zero / zero;
}

#define ALL(name, statement) \
  for (int i = 0; i < count; i++) { \
    volatile T a = numbers[i]; \
    statement; \
  } \
  tell(name);

#define PAIRS(name, statement) \
  for (int i = 0; i < count; i++) \
    for (int j = 0; j < count; j++) { \
      volatile T a = numbers[i], b = numbers[j]; \
      statement; \
    } \
  tell(name);

static const uint64_t integers[] = {0, 1, 2, 3, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x1000001, 0x7fffffff, 0x80000000,
                                    0xffffffff, 0x100000000, 0x20000000000001, 0x3ffffffffffffd, 0x4000004000000001,
                                    0x7fffffffffffffff, 0x8000000000000000, 0x8000000000000001, 0xfffffffffffffbff,
                                    0xffffffffffffffff};

#define INTEGERS(name, type) \
  for (unsigned i = 0; i < sizeof integers / sizeof *integers; i++) { \
    volatile type n = integers[i]; \
    number((T)n); \
    number((T)(type)(n >> 1)); \
    number((T)(type)(n & 0xfe)); \
    number((T)(type)(n / 7)); \
    number((T)(type)(n % 7)); \
    number((T)(type)(n + 1)); \
  } \
  tell(name);

typedef uint64_t longs __attribute__((vector_size(16)));
typedef unsigned ints __attribute__((vector_size(16)));
typedef double doubles __attribute__((vector_size(16)));
typedef float floats __attribute__((vector_size(16)));

static void vectors(void) {
  for (unsigned i = 0; i < sizeof integers / sizeof *integers; i++) {
    volatile uint64_t n = integers[i];
    longs two = {n, n >> 1};
    ints four = {n, n >> 1, n >> 32, n & 0xff};
    doubles d = __builtin_convertvector(two, doubles);
    floats f = __builtin_convertvector(four, floats);
    see(&d, sizeof d);
    see(&f, sizeof f);
  }
  tell("vectors");
}

int main(void) {
  unsigned char mode = 0;
  klee_make_symbolic(&mode, 1, "mode");
  seen = 0xcbf29ce484222325;
  make_numbers();
  if (mode == 0) fesetround(FE_DOWNWARD);
  else if (mode == 1) fesetround(FE_UPWARD);
  else if (mode == 2) fesetround(FE_TOWARDZERO);

  PAIRS("+", number(a + b))
  PAIRS("-", number(a - b))
  PAIRS("*", number(a * b))
  PAIRS("/", number(a / b))
  PAIRS("<", integer((a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | isunordered(a, b) << 4))
  PAIRS("fmod", number(M(fmod)(a, b)))
  PAIRS("remainder", number(M(remainder)(a, b)))
  PAIRS("fmin", number(M(fmin)(a, b)))
  PAIRS("fmax", number(M(fmax)(a, b)))
  PAIRS("fdim", number(M(fdim)(a, b)))
  PAIRS("copysign", number(M(copysign)(a, b)))
  PAIRS("nextafter", number(M(nextafter)(a, b)))
  PAIRS("hypot", number(M(hypot)(a, b)))
  PAIRS("min", number(a < b ? a : b))
  ALL("-x", number(-a))
  ALL("0-x", number(0 - a))
  ALL("fabs", number(M(fabs)(a)))
  ALL("sqrt", number(M(sqrt)(a)))
  ALL("cbrt", number(M(cbrt)(a)))
  ALL("floor", number(M(floor)(a)))
  ALL("ceil", number(M(ceil)(a)))
  ALL("trunc", number(M(trunc)(a)))
  ALL("round", number(M(round)(a)))
  ALL("rint", number(M(rint)(a)))
  ALL("nearbyint", number(M(nearbyint)(a)))
  ALL("logb", number(M(logb)(a)))
  ALL("ldexp", number(M(ldexp)(a, i - 20)))
  ALL("modf", T whole; number(M(modf)(a, &whole)); number(whole))
  ALL("frexp", int e = 0; number(M(frexp)(a, &e)); if (isfinite(a)) integer(e))
  ALL("lrint", integer(M(lrint)(a)))
  ALL("llrint", integer(M(llrint)(a)))
  ALL("lround", integer(M(lround)(a)))
  ALL("llround", integer(M(llround)(a)))
  ALL("float", float x = a; see(&x, sizeof x))
  ALL("double", double x = a; see(&x, sizeof x))
  ALL("long double", long double x = a; see(&x, 10))
  ALL("signed char", integer((signed char)a))
  ALL("short", integer((short)a))
  ALL("int", integer((int)a))
  ALL("long", integer((long)a))
  ALL("unsigned char", integer((unsigned char)a))
  ALL("unsigned short", integer((unsigned short)a))
  ALL("unsigned", integer((unsigned)a))
  ALL("unsigned long", integer((unsigned long)a))
  ALL("__int128", __int128 n = (__int128)a; see(&n, sizeof n))
  ALL("unsigned __int128", unsigned __int128 n = (unsigned __int128)a; see(&n, sizeof n))
  INTEGERS("of signed char", signed char)
  INTEGERS("of unsigned char", unsigned char)
  INTEGERS("of short", short)
  INTEGERS("of unsigned short", unsigned short)
  INTEGERS("of int", int)
  INTEGERS("of unsigned", unsigned)
  INTEGERS("of long", long)
  INTEGERS("of unsigned long", unsigned long)
  INTEGERS("of __int128", __int128)
  INTEGERS("of unsigned __int128", unsigned __int128)
  vectors();
  return mode;
}
