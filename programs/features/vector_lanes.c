// Vector instructions that LLVM keeps as intrinsics of the processor, on random lanes and those at the edges, each
// against the processor: what comes out is printed, natively too. One lane is an input.
//
// cleave: expect paths=2
// cleave: flags -w -mavx2 -msse4.2
// cleave: domain x 0..255
#include <immintrin.h>
#include <klee/klee.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef uint64_t u64;

static u64 state = 0x853c49e6748fea9b, sum;

static u64 next(void)
{
	static const u64 odd[] = {0, -1, 0x8000800080008000, 0x7fff7fff7fff7fff, 0x80808080808080ff, 0x0001000100010001};
	state = state * 6364136223846793005 + 1442695040888963407;
	u64 n = state >> 33;
	return n % 4 ? state ^ state >> 29 : odd[n / 4 % 6];
}

static void mix(const void *p, int n)
{
	for (int i = 0; i < n; i += 4) {
		uint32_t word;
		memcpy(&word, (const char *)p + i, 4);
		sum = (sum << 7 | sum >> 57) ^ word * 0x9e3779b97f4a7c15;
	}
}

static void show(const char *what)
{
	printf("%s %016llx\n", what, (unsigned long long)sum);
	sum = 0;
}

static __m128i x128(void) { return _mm_set_epi64x(next(), next()); }
static __m256i x256(void) { return _mm256_set_epi64x(next(), next(), next(), next()); }

#define ROUNDS for (int i = 0; i < 6; i++)
#define TWO(f)                                            \
	do {                                              \
		ROUNDS {                                  \
			__m128i a = x128(), b = x128();   \
			__m128i r = _mm_##f(a, b);        \
			mix(&r, 16);                      \
			__m256i c = x256(), d = x256();   \
			__m256i q = _mm256_##f(c, d);     \
			mix(&q, 32);                      \
		}                                         \
		show(#f);                                 \
	} while (0)
#define SHIFT(f, g)                                                       \
	do {                                                              \
		ROUNDS {                                                  \
			__m128i a = x128();                               \
			__m256i c = x256();                               \
			__m128i n = _mm_set_epi64x(next(), i == 5 ? next() : next() % 70); \
			__m128i r = _mm_##f(a, n), s = _mm_##g(a, i * 9);  \
			__m256i q = _mm256_##f(c, n), p = _mm256_##g(c, i * 9); \
			mix(&r, 16), mix(&s, 16), mix(&q, 32), mix(&p, 32); \
		}                                                         \
		show(#f);                                                 \
	} while (0)
#define EACH(f)                                                           \
	do {                                                              \
		ROUNDS {                                                  \
			__m128i a = x128(), n = i % 2 ? x128() : _mm_set_epi32(31, 32, 5, 0); \
			__m256i c = x256(), m = _mm256_set_epi64x(3, 64, 1, next() % 80); \
			__m128i r = _mm_##f(a, n);                        \
			__m256i q = _mm256_##f(c, m);                     \
			mix(&r, 16), mix(&q, 32);                         \
		}                                                         \
		show(#f);                                                 \
	} while (0)

static void others(void)
{
	ROUNDS {
		__m128i a = x128(), b = x128(), m = x128();
		__m256i c = x256(), d = x256(), k = x256();
		int bits[] = {_mm_movemask_epi8(a), _mm256_movemask_epi8(c), _mm_movemask_ps((__m128)a),
		              _mm_movemask_pd((__m128d)a), _mm256_movemask_ps((__m256)c), _mm256_movemask_pd((__m256d)c),
		              _mm_testz_si128(a, b), _mm_testc_si128(a, _mm_and_si128(a, b)), _mm_testnzc_si128(a, b),
		              _mm256_testz_si256(c, d), _mm256_testc_si256(c, c), _mm256_testnzc_si256(c, d)};
		mix(bits, sizeof bits);
		__m128i r = _mm_blendv_epi8(a, b, m), s = _mm_minpos_epu16(a);
		__m256i q = _mm256_blendv_epi8(c, d, k), p = _mm256_permutevar8x32_epi32(c, d);
		mix(&r, 16), mix(&s, 16), mix(&q, 32), mix(&p, 32);
		r = (__m128i)_mm_blendv_ps((__m128)a, (__m128)b, (__m128)m);
		s = (__m128i)_mm_blendv_pd((__m128d)a, (__m128d)b, (__m128d)m);
		mix(&r, 16), mix(&s, 16);
		u64 crc = next();
		crc = _mm_crc32_u64(crc, next());
		crc += _mm_crc32_u32(crc, next()) + (u64)_mm_crc32_u16(crc, next()) * 3 + (u64)_mm_crc32_u8(crc, next()) * 5;
		mix(&crc, 8);
	}
	_mm_sfence();
	_mm_lfence();
	_mm_mfence();
	_mm_pause();
	show("others");
}

int main(void)
{
	TWO(packs_epi16);
	TWO(packs_epi32);
	TWO(packus_epi16);
	TWO(packus_epi32);
	TWO(avg_epu8);
	TWO(avg_epu16);
	TWO(madd_epi16);
	TWO(maddubs_epi16);
	TWO(mulhi_epi16);
	TWO(mulhi_epu16);
	TWO(mulhrs_epi16);
	TWO(sad_epu8);
	TWO(shuffle_epi8);
	TWO(sign_epi8);
	TWO(sign_epi16);
	TWO(sign_epi32);
	TWO(hadd_epi16);
	TWO(hadd_epi32);
	TWO(hadds_epi16);
	TWO(hsub_epi16);
	TWO(hsub_epi32);
	TWO(hsubs_epi16);
	SHIFT(sll_epi16, slli_epi16);
	SHIFT(sll_epi32, slli_epi32);
	SHIFT(sll_epi64, slli_epi64);
	SHIFT(srl_epi16, srli_epi16);
	SHIFT(srl_epi32, srli_epi32);
	SHIFT(srl_epi64, srli_epi64);
	SHIFT(sra_epi16, srai_epi16);
	SHIFT(sra_epi32, srai_epi32);
	EACH(sllv_epi32);
	EACH(sllv_epi64);
	EACH(srlv_epi32);
	EACH(srlv_epi64);
	EACH(srav_epi32);
	others();
	/* A text is looked through sixteen bytes at a time. */
	unsigned char x;
	klee_make_symbolic(&x, sizeof x, "x");
	__m128i text = _mm_insert_epi8(_mm_set1_epi8('a'), x, 5);
	int found = _mm_movemask_epi8(_mm_packs_epi16(_mm_cmpeq_epi16(text, _mm_set1_epi16('a' << 8 | 'a')), _mm_setzero_si128()));
	if (found == 0xff)
		return 1;
	return 0;
}
