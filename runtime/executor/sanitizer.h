/* The runtime of AddressSanitizer's instrumentation, and of the counters of edges and comparisons. */
#pragma once
#include "layout.h"

void __asan_init(void) {}
void __asan_version_mismatch_check_v8(void) {}
void __asan_unregister_elf_globals(void) {}

struct global {
	u64 start, size, size_with_redzone, name, module, has_dynamic_start, place, indicator;
};

static void mark(u64 start, u64 size, u64 room, int redzone)
{
	u8 *shadow = SHADOW(start);
	fill(shadow, 0, size >> 3);
	shadow += size >> 3;
	if (size & 7)
		*shadow++ = size & 7;
	fill(shadow, redzone, SHADOW(start + room) - shadow);
}

void __asan_register_elf_globals(u64 flag, struct global *first, struct global *end)
{
	for (struct global *g = first; g < end && !own->has_globals; g++)
		if (g->start)
			mark(g->start, g->size, g->size_with_redzone, GLOBAL_REDZONE);
}

void __asan_handle_no_return(void)
{
	u64 here = (u64)__builtin_frame_address(0);
	if (is_on_stack(here))
		fill(SHADOW(here), 0, (STACK + STACK_SIZE - here) >> 3);
}

#define REPORTS(access) \
	void __asan_report_##access(u64 address) \
	{ \
		CRASH(); \
	}
REPORTS(load1)
REPORTS(load2)
REPORTS(load4)
REPORTS(load8)
REPORTS(load16)
REPORTS(store1)
REPORTS(store2)
REPORTS(store4)
REPORTS(store8)
REPORTS(store16)
void __asan_report_load_n(u64 address, u64 n)
{
	CRASH();
}
void __asan_report_store_n(u64 address, u64 n)
{
	CRASH();
}

#define SETS(byte) \
	void __asan_set_shadow_##byte(u8 *at, u64 n) \
	{ \
		fill(at, 0x##byte, n); \
	}
SETS(00)
SETS(01)
SETS(02)
SETS(03)
SETS(04)
SETS(05)
SETS(06)
SETS(07)
SETS(f1)
SETS(f2)
SETS(f3)
SETS(f5)
SETS(f8)

void __asan_poison_stack_memory(u64 start, u64 size)
{
	fill(SHADOW(start), 0xf8, (size + 7) >> 3);
}

void __asan_unpoison_stack_memory(u64 start, u64 size)
{
	mark(start, size, size, 0);
}

void __asan_alloca_poison(u64 start, u64 size)
{
	u64 end = (start + size + 31) & ~31ul;
	fill(SHADOW(start - 32), 0xca, 4);
	mark(start, size, end - start, 0xcb);
	fill(SHADOW(end), 0xcb, 4);
}

void __asan_allocas_unpoison(u64 top, u64 bottom)
{
	if (top && top <= bottom)
		fill(SHADOW(top), 0, (bottom - top) >> 3);
}

static int is_bad(u64 start, u64 n)
{
	if (!n)
		return 0;
	u64 last = start + n - 1;
	if (start < 1ul << 16 || last < start || last >> 32)
		return 1;
	for (u8 *shadow = SHADOW(start); shadow < SHADOW(last); shadow++)
		if (*shadow)
			return 1;
	signed char of_last = *SHADOW(last);
	return of_last && (signed char)(last & 7) >= of_last;
}

#define CHECK(start, n) \
	do { \
		if (is_bad((u64)(start), n)) \
			CRASH(); \
	} while (0)

void *memmove(void *to, const void *from, size_t n)
{
	CHECK(to, n);
	CHECK(from, n);
	if ((u64)to - (u64)from >= n)
		copy(to, from, n);
	else
		for (u64 i = n; i--;)
			((u8 *)to)[i] = ((const u8 *)from)[i];
	return to;
}

void *memcpy(void *to, const void *from, size_t n)
{
	CHECK(to, n);
	CHECK(from, n);
	if (to != from && ((u64)to - (u64)from < n || (u64)from - (u64)to < n))
		CRASH();
	copy(to, from, n);
	return to;
}

void *memset(void *to, int byte, size_t n)
{
	CHECK(to, n);
	fill(to, byte, n);
	return to;
}

void *__asan_memcpy(void *to, const void *from, size_t n) __attribute__((alias("memcpy")));
void *__asan_memmove(void *to, const void *from, size_t n) __attribute__((alias("memmove")));
void *__asan_memset(void *to, int byte, size_t n) __attribute__((alias("memset")));

/* Comparisons: a value that comes to one for the first time is a mark, such as the state of a state machine. */

static void compared(u64 place, u64 value)
{
	u64 key = (place << 32 ^ value) * 0x9e3779b97f4a7c15ul >> 44;
	if (own->values[key / 64] >> key % 64 & 1)
		return;
	u32 site = (place * 0x9e3779b97f4a7c15ul) >> 50;
	if (own->distinct[site] >= MOST_VALUES || own->news == MOST_NEWS)
		return;
	own->distinct[site]++;
	own->values[key / 64] |= 1ul << key % 64;
	own->news_at[own->news++] = key;
}

#define PLACE ((u64)__builtin_return_address(0))
#define COMPARES(size, type) \
	void __sanitizer_cov_trace_const_cmp##size(type a, type b) \
	{ \
		compared(PLACE, b); \
	} \
	void __sanitizer_cov_trace_cmp##size(type a, type b) \
	{ \
		compared(PLACE, __builtin_popcountll((u64)(a ^ b))); \
	}
COMPARES(1, u8)
COMPARES(2, uint16_t)
COMPARES(4, u32)
COMPARES(8, u64)

void __sanitizer_cov_trace_switch(u64 value, u64 *cases)
{
	compared(PLACE, value);
}
