// Inline assembly: instructions with their widths, flags, addresses and loops on operands of all kinds, each against
// the processor: what comes out is printed, natively too.
//
// cleave: expect paths=2
// cleave: flags -w
// cleave: domain x 0..255
#include <klee/klee.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

static u64 state = 0x9e3779b97f4a7c15, sum;

static u64 next(void)
{
	static const u64 odd[] = {0, 1, -1, 1ull << 63, 0x7fffffffffffffff, 0x80000000, 0x7fffffff, 0x80, 0xff, 0x8000};
	state = state * 6364136223846793005 + 1442695040888963407;
	u64 n = state >> 33;
	return n % 4 ? state ^ state >> 29 : odd[n / 4 % 10];
}

static void mix(u64 v)
{
	sum = (sum << 5 | sum >> 59) ^ v * 0x100000001b3;
}

static void show(const char *what)
{
	printf("%s %016llx\n", what, (unsigned long long)sum);
	sum = 0;
}

#define FLAGS c, z, s, o, p
#define FLAG_OUT , "=@ccc"(c), "=@ccz"(z), "=@ccs"(s), "=@cco"(o), "=@ccp"(p)
#define MIX_FLAGS mix(c | z << 1 | s << 2 | o << 3 | p << 4)

#define TWO(T, text)                                                                    \
	do {                                                                            \
		T a = next(), b = next();                                               \
		int FLAGS;                                                              \
		__asm__(text " %6, %0" : "+r"(a) FLAG_OUT : "r"(b));                    \
		mix(a), MIX_FLAGS;                                                      \
	} while (0)
#define CARRY(T, text)                                                                  \
	do {                                                                            \
		T a = next(), b = next(), before = next();                              \
		int FLAGS;                                                              \
		__asm__("add %7, %7\n\t" text " %6, %0" : "+r"(a) FLAG_OUT : "r"(b), "r"(before)); \
		mix(a), MIX_FLAGS;                                                      \
	} while (0)
#define ONE(T, text)                                                                    \
	do {                                                                            \
		T a = next();                                                           \
		int z, s;                                                               \
		__asm__(text " %0" : "+r"(a), "=@ccz"(z), "=@ccs"(s));                  \
		mix(a), mix(z | s << 1);                                                \
	} while (0)
#define PLAIN(T, text)                                                                  \
	do {                                                                            \
		T a = next();                                                           \
		__asm__(text " %0" : "+r"(a));                                          \
		mix(a);                                                                 \
	} while (0)
#define SHIFT(T, text)                                                                  \
	do {                                                                            \
		T a = next(), b = a;                                                    \
		u8 n = next();                                                          \
		int c, d;                                                               \
		__asm__(text " %%cl, %0" : "+r"(a) : "c"(n));                           \
		__asm__(text " $3, %0" : "+r"(b), "=@ccc"(c));                          \
		mix(a), mix(b), mix(c);                                                 \
		__asm__(text " %0" : "+r"(b), "=@ccc"(c), "=@cco"(d));                  \
		mix(b), mix(c | d << 1);                                                \
	} while (0)
#define EACH(M, text)                                                                   \
	do {                                                                            \
		for (int i = 0; i < 12; i++) {                                          \
			M(u8, text);                                                    \
			M(u16, text);                                                   \
			M(u32, text);                                                   \
			M(u64, text);                                                   \
		}                                                                       \
		show(text);                                                             \
	} while (0)
#define WIDE(M, text)                                                                   \
	do {                                                                            \
		for (int i = 0; i < 12; i++) {                                          \
			M(u32, text);                                                   \
			M(u64, text);                                                   \
		}                                                                       \
		show(text);                                                             \
	} while (0)

static void bits(void)
{
	for (int i = 0; i < 24; i++) {
		u64 a = next(), b = next() | 1, r = 7;
		u32 n = next(), q;
		int c;
		__asm__("bt %2, %1" : "=@ccc"(c) : "r"(a), "r"(b));
		mix(c);
		__asm__("btsq %2, %0" : "+r"(a), "=@ccc"(c) : "Ir"(b));
		__asm__("btr $5, %k0" : "+r"(a));
		__asm__("btcl %1, %k0" : "+r"(a) : "r"(n));
		mix(a), mix(c);
		__asm__("bsf %1, %0" : "=r"(r) : "r"(b));
		mix(r);
		__asm__("bsrl %1, %0" : "=r"(q) : "r"((u32)b));
		mix(q);
		__asm__("popcnt %1, %0" : "=r"(r) : "r"(a));
		mix(r);
		__asm__("bswap %0" : "+r"(n));
		mix(n);
		__asm__("rorw $8, %w0" : "+r"(n));
		mix(n);
		u64 field[4] = {a, b, n, r};
		__asm__("btsq %2, %0" : "+m"(field[1]), "=@ccc"(c) : "r"((long)(n % 256) - 64) : "memory");
		mix(field[0]), mix(field[1]), mix(field[2]), mix(field[3]), mix(c);
	}
	show("bits");
}

static void products(void)
{
	for (int i = 0; i < 24; i++) {
		u64 a = next(), b = next() | 1, low, high;
		u32 e = next(), f = next() | 1, l, h;
		int c;
		__asm__("mulq %3" : "=a"(low), "=d"(high) : "0"(a), "rm"(b));
		mix(low), mix(high);
		__asm__("imulq %4" : "=a"(low), "=d"(high), "=@ccc"(c) : "0"(a), "r"(b));
		mix(low), mix(high), mix(c);
		__asm__("mull %3" : "=a"(l), "=d"(h) : "0"(e), "r"(f));
		mix(l), mix(h);
		__asm__("imul %2, %0" : "+r"(l), "=@cco"(c) : "r"(f));
		mix(l), mix(c);
		__asm__("imull $-77, %1, %0" : "=r"(l) : "r"(f));
		mix(l);
		__asm__("divq %4" : "=a"(low), "=d"(high) : "0"(a), "1"(0ul), "r"(b));
		mix(low), mix(high);
		__asm__("divq %4" : "=a"(low), "=d"(high) : "0"(a), "1"(b / 3), "r"(b));
		mix(low), mix(high);
		__asm__("cltd\n\tidivl %3" : "=a"(l), "=&d"(h) : "0"(e >> 1), "r"(f) : "cc");
		mix(l), mix(h);
		u8 q, r = (f & 0x7f) | 1;
		__asm__("movzbl %b1, %%eax; divb %2; mov %%ah, %0" : "=r"(q) : "r"(e), "r"(r) : "eax");
		mix(q);
	}
	show("products");
}

static void exchanges(void)
{
	for (int i = 0; i < 16; i++) {
		u64 word = next(), old = i % 2 ? word : next(), new = next(), seen;
		u32 half = next(), more = next();
		u8 ok;
		__asm__ volatile("lock; cmpxchgq %3, %1\n\tsetz %2" : "=a"(seen), "+m"(word), "=q"(ok) : "r"(new), "0"(old) : "memory");
		mix(seen), mix(word), mix(ok);
		__asm__ volatile("lock xaddl %0, %1" : "+r"(more), "+m"(half) : : "memory");
		mix(more), mix(half);
		__asm__ volatile("xchg %0, %1" : "+r"(more), "+m"(half));
		mix(more), mix(half);
		__asm__("cmpl %2, %1\n\tcmovbl %2, %0" : "+r"(more) : "r"(half), "r"((u32)new));
		mix(more);
		__asm__("movsbl %b1, %0" : "=r"(half) : "q"(more));
		mix(half);
		__asm__("movzwl %w1, %k0; movslq %k0, %q0" : "=r"(seen) : "r"(more));
		mix(seen);
		__asm__("movb %h1, %b0" : "+q"(half) : "Q"(more));
		mix(half);
		__asm__("leaq 7(%1,%2,4), %0" : "=r"(seen) : "r"(word), "r"(new));
		mix(seen);
		__asm__("pushq %1; pushq %2; popq %0; popq %1" : "=&r"(seen), "+r"(word) : "r"(new));
		mix(seen), mix(word);
		u32 seven;
		__asm__("xorl %0, %0; addl $7, %0" : "=r"(seven));
		mix(seven);
		__asm__("shldq $9, %1, %0" : "+r"(word) : "r"(new));
		__asm__("shrd %%cl, %k1, %k0" : "+r"(word) : "r"(new), "c"((u8)more));
		mix(word);
	}
	show("exchanges");
}

static void texts(int x)
{
	char a[64] = "a text of some length, to be moved", b[64] = {0};
	long n = strlen(a) + 1;
	void *from = a, *to = b;
	__asm__ volatile("cld; rep movsb" : "+S"(from), "+D"(to), "+c"(n) : : "memory");
	mix((char *)from - a), mix((char *)to - b), mix(n);
	puts(b);
	to = a, n = 5;
	__asm__ volatile("rep stosl" : "+D"(to), "+c"(n) : "a"(0x64636261) : "memory");
	puts(a);
	/* The length, as it was once found. */
	n = -1, to = b;
	__asm__ volatile("repne scasb" : "+D"(to), "+c"(n) : "a"(0) : "memory", "cc");
	mix(~n - 1);
	u8 same;
	from = a, to = b, n = 10;
	__asm__ volatile("cmpb %%al, %%al; repe cmpsb; sete %0" : "=r"(same), "+S"(from), "+D"(to), "+c"(n) : : "memory", "cc");
	mix(same), mix(n);
	/* A loop with a label of its own. */
	u64 product = 1, k = 10;
	__asm__("1:\n\timulq %1, %0\n\tdecq %1\n\tjnz 1b" : "+r"(product), "+r"(k) : : "cc");
	mix(product);
	int sign;
	__asm__("testl %1, %1; jns 2f; movl $-1, %0; jmp 3f; 2: movl $1, %0; 3:" : "=&r"(sign) : "r"(-x) : "cc");
	mix(sign);
	show("texts");
}

int main(void)
{
	EACH(TWO, "add");
	EACH(TWO, "sub");
	EACH(TWO, "cmp");
	EACH(TWO, "and");
	EACH(TWO, "or");
	EACH(TWO, "xor");
	EACH(TWO, "test");
	EACH(CARRY, "adc");
	EACH(CARRY, "sbb");
	EACH(ONE, "inc");
	EACH(ONE, "dec");
	EACH(ONE, "neg");
	EACH(PLAIN, "not");
	WIDE(PLAIN, "bswap");
	EACH(SHIFT, "shl");
	EACH(SHIFT, "shr");
	EACH(SHIFT, "sar");
	EACH(SHIFT, "rol");
	EACH(SHIFT, "ror");
	bits();
	products();
	exchanges();
	texts(3);
	/* With an input: a flag is a decision. */
	u8 x, carry;
	klee_make_symbolic(&x, sizeof x, "x");
	u8 y = x;
	__asm__("addb $200, %0; setc %1" : "+r"(y), "=r"(carry));
	if (carry != (x > 55) || (u8)(x + 200) != y)
		return 1;
	u32 seventeen = 0;
	__asm__("cmpb $17, %1; cmove %2, %0" : "+r"(seventeen) : "r"(x), "r"(17));
	if (seventeen == 17)
		return 17;
	return 0;
}
