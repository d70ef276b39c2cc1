// All types of the competition, with the prototypes that tasks have.
// cleave: expect paths=1 failed=1
// cleave: code 3
// cleave: replay uncertain
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__nothrow__, __leaf__)) __attribute__((__noreturn__));
void reach_error() { __assert_fail("0", "nondet_types.c", 3, "reach_error"); } //~ ERROR (-O2) assert
typedef long long loff_t;
extern _Bool __VERIFIER_nondet_bool();
extern char __VERIFIER_nondet_char();
extern unsigned char __VERIFIER_nondet_u8();
extern unsigned short __VERIFIER_nondet_u16();
extern unsigned int __VERIFIER_nondet_u32();
extern unsigned long __VERIFIER_nondet_ulong();
extern unsigned long long __VERIFIER_nondet_ulonglong();
extern loff_t __VERIFIER_nondet_loff_t();
extern unsigned long __VERIFIER_nondet_sector_t();
extern unsigned long __VERIFIER_nondet_size_t();
extern short __VERIFIER_nondet_short();
extern unsigned short __VERIFIER_nondet_ushort();
extern float __VERIFIER_nondet_float();
extern double __VERIFIER_nondet_double();
extern __int128 __VERIFIER_nondet_int128();
extern unsigned __int128 __VERIFIER_nondet_uint128();
extern char *__VERIFIER_nondet_pchar();
extern void *__VERIFIER_nondet_pointer();
extern void __VERIFIER_nondet_memory(void *, unsigned long);

int main(void)
{
	unsigned char block[3];
	__VERIFIER_nondet_memory(block, sizeof block);
	int all = (__VERIFIER_nondet_bool() == 1) & (__VERIFIER_nondet_char() == 'c') & (__VERIFIER_nondet_u8() == 200) &
	          (__VERIFIER_nondet_u16() == 40000) & (__VERIFIER_nondet_u32() == 4000000000u) &
	          (__VERIFIER_nondet_ulong() == 1ul << 63) & (__VERIFIER_nondet_ulonglong() == 1ull << 62) &
	          (__VERIFIER_nondet_loff_t() == -5) & (__VERIFIER_nondet_sector_t() == 6) &
	          (__VERIFIER_nondet_size_t() == 7) & (__VERIFIER_nondet_short() == -8) &
	          (__VERIFIER_nondet_ushort() == 65535) & (__VERIFIER_nondet_float() == 1.5f) &
	          (__VERIFIER_nondet_double() == -2.25) & (__VERIFIER_nondet_int128() == (__int128)1 << 100) &
	          (__VERIFIER_nondet_uint128() == (unsigned __int128)3 << 120) & (block[2] == 9) &
	          (__VERIFIER_nondet_pchar() != 0) & (__VERIFIER_nondet_pointer() == 0);
	if (all)
		reach_error(); //~ ERROR (-O0) report_error
	return 0;
}
