/* C23's <stdbit.h>: functions on the bits of unsigned integers, of each type and by the type of their operand. */
#ifndef CLEAVE_STDBIT_H
#define CLEAVE_STDBIT_H

#define __STDC_VERSION_STDBIT_H__ 202311L
#define __STDC_ENDIAN_LITTLE__ __ORDER_LITTLE_ENDIAN__
#define __STDC_ENDIAN_BIG__ __ORDER_BIG_ENDIAN__
#define __STDC_ENDIAN_NATIVE__ __BYTE_ORDER__

/* Bits of the type T. */
#define __CLEAVE_WIDTH(T) (8 * (unsigned)sizeof(T))
/* clang knows zeros of a value that is not zero. */
#define __CLEAVE_BITS(S, T) \
	static inline unsigned stdc_leading_zeros_##S(T x) \
	{ \
		return x ? (unsigned)__builtin_clzll(x) - (64 - __CLEAVE_WIDTH(T)) : __CLEAVE_WIDTH(T); \
	} \
	static inline unsigned stdc_leading_ones_##S(T x) { return stdc_leading_zeros_##S((T)~x); } \
	static inline unsigned stdc_trailing_zeros_##S(T x) { return x ? (unsigned)__builtin_ctzll(x) : __CLEAVE_WIDTH(T); } \
	static inline unsigned stdc_trailing_ones_##S(T x) { return stdc_trailing_zeros_##S((T)~x); } \
	static inline unsigned stdc_first_leading_one_##S(T x) { return x ? stdc_leading_zeros_##S(x) + 1 : 0; } \
	static inline unsigned stdc_first_leading_zero_##S(T x) { return stdc_first_leading_one_##S((T)~x); } \
	static inline unsigned stdc_first_trailing_one_##S(T x) { return x ? stdc_trailing_zeros_##S(x) + 1 : 0; } \
	static inline unsigned stdc_first_trailing_zero_##S(T x) { return stdc_first_trailing_one_##S((T)~x); } \
	static inline unsigned stdc_count_ones_##S(T x) { return (unsigned)__builtin_popcountll(x); } \
	static inline unsigned stdc_count_zeros_##S(T x) { return __CLEAVE_WIDTH(T) - stdc_count_ones_##S(x); } \
	static inline _Bool stdc_has_single_bit_##S(T x) { return x && !(x & (T)(x - 1)); } \
	static inline unsigned stdc_bit_width_##S(T x) { return __CLEAVE_WIDTH(T) - stdc_leading_zeros_##S(x); } \
	static inline T stdc_bit_floor_##S(T x) { return x ? (T)((T)1 << (stdc_bit_width_##S(x) - 1)) : 0; } \
	static inline T stdc_bit_ceil_##S(T x) \
	{ \
		unsigned width = x <= 1 ? 0 : stdc_bit_width_##S((T)(x - 1)); \
		return width < __CLEAVE_WIDTH(T) ? (T)((T)1 << width) : 0; \
	}

__CLEAVE_BITS(uc, unsigned char)
__CLEAVE_BITS(us, unsigned short)
__CLEAVE_BITS(ui, unsigned)
__CLEAVE_BITS(ul, unsigned long)
__CLEAVE_BITS(ull, unsigned long long)

#define __CLEAVE_BY_TYPE(name, x) \
	_Generic((x), _Bool: name##_uc, unsigned char: name##_uc, unsigned short: name##_us, unsigned: name##_ui, \
		unsigned long: name##_ul, unsigned long long: name##_ull)(x)

#define stdc_leading_zeros(x) __CLEAVE_BY_TYPE(stdc_leading_zeros, x)
#define stdc_leading_ones(x) __CLEAVE_BY_TYPE(stdc_leading_ones, x)
#define stdc_trailing_zeros(x) __CLEAVE_BY_TYPE(stdc_trailing_zeros, x)
#define stdc_trailing_ones(x) __CLEAVE_BY_TYPE(stdc_trailing_ones, x)
#define stdc_first_leading_zero(x) __CLEAVE_BY_TYPE(stdc_first_leading_zero, x)
#define stdc_first_leading_one(x) __CLEAVE_BY_TYPE(stdc_first_leading_one, x)
#define stdc_first_trailing_zero(x) __CLEAVE_BY_TYPE(stdc_first_trailing_zero, x)
#define stdc_first_trailing_one(x) __CLEAVE_BY_TYPE(stdc_first_trailing_one, x)
#define stdc_count_zeros(x) __CLEAVE_BY_TYPE(stdc_count_zeros, x)
#define stdc_count_ones(x) __CLEAVE_BY_TYPE(stdc_count_ones, x)
#define stdc_has_single_bit(x) __CLEAVE_BY_TYPE(stdc_has_single_bit, x)
#define stdc_bit_width(x) __CLEAVE_BY_TYPE(stdc_bit_width, x)
#define stdc_bit_floor(x) __CLEAVE_BY_TYPE(stdc_bit_floor, x)
#define stdc_bit_ceil(x) __CLEAVE_BY_TYPE(stdc_bit_ceil, x)
#endif
