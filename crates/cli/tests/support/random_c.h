/* What generated programs are written in. For the engine every macro is the plain C that its name says. Natively
 * (-DNATIVE) conditions are traced, and undefined behaviour is noticed before it happens. */
#define _GNU_SOURCE
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int8_t s8;
typedef uint8_t u8;
typedef int16_t s16;
typedef uint16_t u16;
typedef int32_t s32;
typedef uint32_t u32;
typedef int64_t s64;
typedef uint64_t u64;

#ifndef NATIVE

#include <klee/klee.h>

static void emit(s64 v) { write(1, &v, sizeof v); }

#define B(c) (c)
#define SWITCH(v, ...) (v)
#define CHOSEN(v) (v)
#define PICK(which, i) (i)
#define LOOK(which, i) (i)
#define AT(i) (i)
#define ASSUME(c) klee_assume(c)
#define ASSERT(c) assert(c)
#define ABORT() abort()
#define EXIT(status) exit(status)
/* Through a volatile object, as an unused division is one that the compiler leaves out. */
#define DIVIDE(T, dst, a, op, b) { T p_ = (T)(a), q_ = (T)(b); volatile T r_ = (T)(p_ op q_); dst = r_; }
#define SHIFT(T, dst, a, op, b) { T p_ = (T)(a); int q_ = (int)(b); volatile T r_ = (T)(p_ op q_); dst = r_; }
#define READ(T, dst, array, n, i) { int q_ = (int)(i); volatile T r_ = array[q_]; dst = r_; }
#define WRITE(T, array, n, i, v) { int q_ = (int)(i); T p_ = (T)(v); array[q_] = p_; }
#define FREE(p) free(p)

#else

#include <setjmp.h>
#include <stdarg.h>

enum { EXITS, DIVISION, OVERSHIFT, OUT_OF_BOUNDS, ASSERTION, ABORTS, OUTSIDE };

static u64 trace;
static jmp_buf leave;
static int kind, place;
static char output[1 << 16];
static size_t output_size;
static s64 inputs[4];
/* Assumptions that hold: the conditions on the way to each. */
static u64 passed[256];
static int passed_count;
static int inputs_used;
/* The places in arrays that were looked at. */
static unsigned places[4096];
static int place_count;

static void traced_value(u64 v) {
  trace = (trace ^ (v + 77)) * 0x9E3779B97F4A7C15u;
  trace ^= trace >> 29;
}

static _Noreturn void stop(int how, int where) {
  kind = how;
  place = where;
  longjmp(leave, 1);
}

static _Noreturn void bug(int how, int where, int which) {
  traced_value(1000 + which);
  traced_value((u64)where);
  stop(how, where);
}

static int traced(int c) {
  traced_value(c ? 1 : 2);
  return c;
}

static int which_case(int v, int n, const int *values) {
  for (int i = 0; i < n; i++)
    if (values[i] == v) {
      traced_value((u64)i + 10);
      return v;
    }
  traced_value(9);
  return v;
}

static int chosen(int v) {
  traced_value((u64)v + 100);
  return v;
}

static int pick(const int *which, int i) {
  traced_value((u64)which[i] + 200);
  return i;
}

static unsigned at(unsigned i) {
  if (place_count < 4096) places[place_count++] = i;
  return i;
}

/* A read from one of several objects is no branch. */
static int look(const int *which, int i) {
  at((unsigned)which[i]);
  return i;
}

static void assume(int c, int where) {
  traced_value(2000 + (u64)where);
  if (!c) stop(OUTSIDE, 0);
  if (passed_count < 256) passed[passed_count++] = trace;
}

static void emit(s64 v) {
  memcpy(output + output_size, &v, sizeof v);
  output_size += sizeof v;
}

static int print(const char *format, ...) {
  va_list list;
  va_start(list, format);
  int n = vsnprintf(output + output_size, sizeof output - output_size, format, list);
  va_end(list);
  output_size += (size_t)n;
  return n;
}

static void klee_make_symbolic(void *object, size_t size, const char *name) {
  (void)name;
  memcpy(object, &inputs[inputs_used++], size);
}

static void klee_assume(int c) {
  if (!c) stop(OUTSIDE, 0);
}

static int klee_range(int lo, int hi, const char *name) {
  int v;
  klee_make_symbolic(&v, sizeof v, name);
  klee_assume(lo <= v && v < hi);
  return v;
}

#define printf print
#define B(c) traced(!!(c))
#define COUNT_(...) ((int)(sizeof(int[]){__VA_ARGS__} / sizeof(int)))
#define SWITCH(v, ...) which_case((v), COUNT_(__VA_ARGS__), (const int[]){__VA_ARGS__})
#define CHOSEN(v) chosen(v)
#define PICK(which, i) pick(which, i)
#define LOOK(which, i) look(which, i)
#define AT(i) at(i)
#define ASSUME(c) assume(!!(c), __LINE__)
#define ASSERT(c) do { if (!(c)) bug(ASSERTION, __LINE__, 0); } while (0)
#define ABORT() bug(ABORTS, __LINE__, 0)
#define EXIT(status) stop(EXITS, (status) & 255)
#define LEAST_(T) ((T)((u64)1 << (8 * sizeof(T) - 1)))
#define DIVIDE(T, dst, a, op, b) { \
    T p_ = (T)(a), q_ = (T)(b); \
    if (q_ == 0) bug(DIVISION, __LINE__, 0); \
    if ((T)-1 < 1 && sizeof(T) >= 4 && q_ == (T)-1 && p_ == LEAST_(T)) bug(DIVISION, __LINE__, 1); \
    dst = (T)(p_ op q_); }
#define SHIFT(T, dst, a, op, b) { \
    T p_ = (T)(a); int q_ = (int)(b); \
    if (q_ < 0 || q_ >= (sizeof(T) == 8 ? 64 : 32)) bug(OVERSHIFT, __LINE__, 0); \
    dst = (T)(p_ op q_); }
#define READ(T, dst, array, n, i) { \
    int q_ = (int)(i); \
    if (q_ < 0 || q_ >= (n)) bug(OUT_OF_BOUNDS, __LINE__, 0); \
    dst = array[at((unsigned)q_)]; }
#define WRITE(T, array, n, i, v) { \
    int q_ = (int)(i); T p_ = (T)(v); \
    if (q_ < 0 || q_ >= (n)) bug(OUT_OF_BOUNDS, __LINE__, 0); \
    array[at((unsigned)q_)] = p_; }
#define FREE(p) ((void)(p))

#endif

struct domain {
  s64 lo, count;
};
struct program {
  int (*run)(void);
  int inputs;
  struct domain domains[4];
};
