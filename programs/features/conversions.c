// Conversions between all widths and signs, integer promotions, compound assignments on narrow types, comparisons
// of mixed signs, shifts of negative values, booleans, enumerations, overflow builtins on mixed types.
//
// cleave: expect paths=1
// cleave: exit 0
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

static volatile int8_t i8 = -100;
static volatile uint8_t u8 = 200;
static volatile int16_t i16 = -30000;
static volatile uint16_t u16 = 60000;
static volatile int32_t i32 = -2000000000;
static volatile uint32_t u32 = 4000000000u;
static volatile int64_t i64 = -9000000000000000000;
static volatile uint64_t u64 = 18000000000000000000u;
static volatile float f = -3.99f;
static volatile double d = 4294967295.75;

enum small { LOW = -3, HIGH = 300 };
enum __attribute__((packed)) tiny { ONE = 1, TOP = 255 };

int main(void) {
  printf("%d %d %d %d\n", i8 + u8, (int8_t)u8, (uint8_t)i8, i8 * u8);
  printf("%d %u %d %d\n", (int16_t)u16, (uint16_t)i16, i16 * u16 > 0, u16 * 2);
  printf("%lld %llu %d %u\n", (long long)u32, (unsigned long long)(uint64_t)i32, (int32_t)u64, (uint32_t)i64);
  printf("%d %d %d %d\n", i8 < u8, i32 < u32, i64 < (int64_t)u32, i8 < u64);
  printf("%d %d %d\n", i8 >> 3, i32 >> 31, (int)(i64 >> 60));
  int8_t narrow = i8;
  narrow += 200;
  narrow *= 3;
  narrow -= 1;
  narrow <<= 1;
  narrow ^= 0x55;
  printf("%d ", narrow);
  uint8_t byte = u8;
  byte += 100;
  byte = (uint8_t)-byte;
  byte = (uint8_t)~byte >> 1;
  int before = byte++;
  printf("%d %d\n", before, ++byte);
  printf("%d %u %lld %d\n", (int)f, (unsigned)d, (long long)d, (int8_t)f);
  printf("%.9g %.17g %.9g %.17g\n", (float)i32, (double)u64, (float)u64, (double)i64);
  bool yes = (bool)0.5, no = (bool)(u8 - 200), many = (bool)256;
  printf("%d %d %d %d\n", yes, no, many, yes + many);
  enum small e = HIGH;
  enum tiny t = TOP;
  e += LOW;
  t++;
  printf("%d %d %zu %zu\n", e, t, sizeof e, sizeof t);
  int r32;
  uint8_t r8;
  int64_t r64;
  printf("%d %d ", __builtin_add_overflow(i32, u32, &r32), r32);
  printf("%d %d ", __builtin_mul_overflow(u8, i8, &r8), r8);
  printf("%d %lld ", __builtin_sub_overflow(i64, u64, &r64), (long long)r64);
  printf("%d %d\n", __builtin_add_overflow(u16, u16, &r32), r32);
  printf("%lld %lld %llu\n", (long long)(i64 / i32), (long long)(i64 % u32), (unsigned long long)(u64 / u8));
  printf("%d %d %d %d\n", -7 / 2 * i8, i8 % 7, -i8 % 7, i16 / i8);
  printf("%d %c %zu\n", 'a' + 1, "text"[u8 - 198], sizeof(i8 ? i8 : i64));
  return 0;
}
