/* What Cleave gives to a C program beside KLEE's intrinsics: the functions of Test-Comp. */
#ifndef CLEAVE_H
#define CLEAVE_H

#include <klee/klee.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A new symbolic value of the type. */
char __VERIFIER_nondet_char(void);
signed char __VERIFIER_nondet_schar(void);
unsigned char __VERIFIER_nondet_uchar(void);
short __VERIFIER_nondet_short(void);
unsigned short __VERIFIER_nondet_ushort(void);
int __VERIFIER_nondet_int(void);
unsigned __VERIFIER_nondet_uint(void);
unsigned __VERIFIER_nondet_unsigned(void);
long __VERIFIER_nondet_long(void);
unsigned long __VERIFIER_nondet_ulong(void);
long long __VERIFIER_nondet_longlong(void);
unsigned long long __VERIFIER_nondet_ulonglong(void);
size_t __VERIFIER_nondet_size_t(void);
float __VERIFIER_nondet_float(void);
double __VERIFIER_nondet_double(void);
void *__VERIFIER_nondet_pointer(void);
_Bool __VERIFIER_nondet_bool(void);
char *__VERIFIER_nondet_pchar(void);
char *__VERIFIER_nondet_charp(void);
unsigned char __VERIFIER_nondet_unsigned_char(void);
unsigned __VERIFIER_nondet_unsigned_int(void);
long long __VERIFIER_nondet_loff_t(void);
long __VERIFIER_nondet_off_t(void);
long __VERIFIER_nondet_ssize_t(void);
unsigned long __VERIFIER_nondet_sector_t(void);
unsigned long __VERIFIER_nondet_pthread_t(void);
signed char __VERIFIER_nondet_s8(void);
short __VERIFIER_nondet_s16(void);
int __VERIFIER_nondet_s32(void);
long __VERIFIER_nondet_s64(void);
unsigned char __VERIFIER_nondet_u8(void);
unsigned short __VERIFIER_nondet_u16(void);
unsigned __VERIFIER_nondet_u32(void);
unsigned long __VERIFIER_nondet_u64(void);
int8_t __VERIFIER_nondet_int8_t(void);
int16_t __VERIFIER_nondet_int16_t(void);
int32_t __VERIFIER_nondet_int32_t(void);
int64_t __VERIFIER_nondet_int64_t(void);
uint8_t __VERIFIER_nondet_uint8_t(void);
uint16_t __VERIFIER_nondet_uint16_t(void);
uint32_t __VERIFIER_nondet_uint32_t(void);
uint64_t __VERIFIER_nondet_uint64_t(void);
__int128 __VERIFIER_nondet_int128(void);
unsigned __int128 __VERIFIER_nondet_uint128(void);
/* Makes these bytes symbolic. */
void __VERIFIER_nondet_memory(void *memory, size_t size);
/* Goes on only where the condition holds. */
void __VERIFIER_assume(int condition);
void assume_abort_if_not(int condition);
/* No other thread runs between the two. */
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
/* The error that a verifier is to find. */
void __VERIFIER_error(void);
void reach_error(void);

#ifdef __cplusplus
}
#endif

#endif
