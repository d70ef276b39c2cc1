/* Atomic accesses that clang makes calls of: to objects of a size or an alignment that the processor has no instruction for. In the
 * engine they are plain accesses with the marks of atomic ones (crates/program/src/atomics.rs); natively those of two registers are
 * cmpxchg16b (cmpxchg8b for 32 bits), and others hold a lock. The back end makes the calls with a size in their names, of accesses that
 * have their marks already. */
#include <stdint.h>
#include <string.h>

enum { READS = 1, WRITES = 2, ACQUIRED = 4, RELEASED = 8, WEAK = 32 };

void cleave_atomic_point(const volatile void *place, uint64_t size, uint64_t does);
void cleave_atomic_begins(const volatile void *place, uint64_t size, uint64_t does);
void cleave_atomic_ends(const volatile void *place, uint64_t size, uint64_t does);

static uint64_t ordered(int order)
{
	switch (order) {
	case __ATOMIC_RELAXED: return WEAK;
	case __ATOMIC_CONSUME:
	case __ATOMIC_ACQUIRE: return ACQUIRED | WEAK;
	case __ATOMIC_RELEASE: return RELEASED | WEAK;
	case __ATOMIC_ACQ_REL: return ACQUIRED | RELEASED | WEAK;
	default: return ACQUIRED | RELEASED;
	}
}

static void begins(const volatile void *place, size_t size, uint64_t does)
{
	cleave_atomic_point(place, size, does);
	cleave_atomic_begins(place, size, does);
}

/* Two registers, which the processor exchanges at once. */
#ifdef __SIZEOF_INT128__
typedef unsigned __int128 pair;
#define PAIR(name) __asm__("__atomic_" name "_16")
#else
typedef uint64_t pair __attribute__((aligned(8)));
#define PAIR(name) __asm__("__atomic_" name "_8")
#endif

/* Under the lock: what two objects have becomes what it is to be. Without a `wanted` it becomes `next`, without a `next` it stays. */
static int exchange(size_t size, unsigned char *place, unsigned char *old, const unsigned char *wanted, const unsigned char *next)
{
	unsigned char differs = 0, was[size ? size : 1];
	memcpy(was, place, size);
	for (size_t i = 0; wanted && i < size; i++)
		differs |= was[i] ^ wanted[i];
	if (next && !differs)
		memcpy(place, next, size);
	if (old && (!wanted || differs))
		memcpy(old, was, size);
	return !differs;
}

#define ALIGNED_PAIR(size, place) ((size) == sizeof(pair) && (uintptr_t)(place) % sizeof(pair) == 0)

#ifdef CLEAVE_NATIVELY
#ifdef __SIZEOF_INT128__
#pragma clang attribute push(__attribute__((target("cx16"))), apply_to = function)
#endif
static char lock;

static pair swapped(volatile void *place, pair old, pair next)
{
	return __sync_val_compare_and_swap((volatile pair *)place, old, next);
}

static pair current(volatile void *place)
{
	return swapped(place, 0, 0);
}

static int locked(size_t size, void *place, void *old, const void *wanted, const void *next)
{
	if (ALIGNED_PAIR(size, place)) {
		pair was = current(place), to, expected;
		if (wanted)
			memcpy(&expected, wanted, size);
		if (next)
			memcpy(&to, next, size);
		for (;;) {
			int same = !wanted || was == expected;
			pair seen = next && same ? swapped(place, was, to) : was;
			if (seen == was) {
				if (old && (!wanted || !same))
					memcpy(old, &was, size);
				return same;
			}
			was = seen;
		}
	}
	while (__atomic_test_and_set(&lock, __ATOMIC_ACQUIRE))
		;
	int same = exchange(size, place, old, wanted, next);
	__atomic_clear(&lock, __ATOMIC_RELEASE);
	return same;
}

/* What the back end calls, for an access that has its marks. */
pair load_pair(volatile void *place, int order) PAIR("load");
pair load_pair(volatile void *place, int order)
{
	return current(place);
}

#define MODIFY(name, expression)                                                  \
	pair name##_pair(volatile void *place, pair value, int order) PAIR(#name); \
	pair name##_pair(volatile void *place, pair value, int order)             \
	{                                                                         \
		pair was = current(place), seen;                                  \
		while ((seen = swapped(place, was, expression)) != was)           \
			was = seen;                                               \
		return was;                                                       \
	}

MODIFY(exchange, value)
MODIFY(fetch_add, was + value)
MODIFY(fetch_sub, was - value)
MODIFY(fetch_and, was & value)
MODIFY(fetch_or, was | value)
MODIFY(fetch_xor, was ^ value)
MODIFY(fetch_nand, ~(was & value))

void store_pair(volatile void *place, pair value, int order) PAIR("store");
void store_pair(volatile void *place, pair value, int order)
{
	exchange_pair(place, value, order);
}

_Bool compare_exchange_pair(volatile void *place, pair *expected, pair next, int order, int otherwise) PAIR("compare_exchange");
_Bool compare_exchange_pair(volatile void *place, pair *expected, pair next, int order, int otherwise)
{
	pair wanted = *expected, was = swapped(place, wanted, next);
	*expected = was;
	return was == wanted;
}
#ifdef __SIZEOF_INT128__
#pragma clang attribute pop
#endif
#else
#define locked exchange
#endif

void load(size_t size, void *place, void *value, int order) __asm__("__atomic_load");
void load(size_t size, void *place, void *value, int order)
{
	uint64_t does = READS | ordered(order);
	begins(place, size, does);
	locked(size, place, value, 0, 0);
	cleave_atomic_ends(place, size, does);
}

void store(size_t size, void *place, void *value, int order) __asm__("__atomic_store");
void store(size_t size, void *place, void *value, int order)
{
	uint64_t does = WRITES | ordered(order);
	begins(place, size, does);
	locked(size, place, 0, 0, value);
	cleave_atomic_ends(place, size, does);
}

void swap(size_t size, void *place, void *value, void *old, int order) __asm__("__atomic_exchange");
void swap(size_t size, void *place, void *value, void *old, int order)
{
	uint64_t does = READS | WRITES | ordered(order);
	begins(place, size, does);
	locked(size, place, old, 0, value);
	cleave_atomic_ends(place, size, does);
}

_Bool compare_swap(size_t size, void *place, void *expected, void *next, int order, int otherwise) __asm__("__atomic_compare_exchange");
_Bool compare_swap(size_t size, void *place, void *expected, void *next, int order, int otherwise)
{
	uint64_t does = READS | WRITES | ordered(order);
	begins(place, size, does);
	int same = locked(size, place, expected, expected, next);
	cleave_atomic_ends(place, size, same ? does : READS | (ordered(otherwise) & ~RELEASED));
	return same;
}

_Bool lock_free(size_t size, const volatile void *place) __asm__("__atomic_is_lock_free");
_Bool lock_free(size_t size, const volatile void *place)
{
	return size && size <= sizeof(pair) && !(size & (size - 1)) && (uintptr_t)place % size == 0;
}
