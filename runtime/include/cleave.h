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
/* Goes on only where the condition holds. */
void __VERIFIER_assume(int condition);
/* The error that a verifier is to find. */
void __VERIFIER_error(void);
void reach_error(void);

#ifdef __cplusplus
}
#endif

#endif
