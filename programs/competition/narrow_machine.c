// The machine of ILP32: sizes, layouts, variable arguments, pointers as numbers, the C library. No error is reached there.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern int __VERIFIER_nondet_int(void);
void reach_error(void) {}
#define HOLDS(condition) do { if (!(condition)) reach_error(); } while (0)

struct mixed {
	char c;
	long long wide;
	void *pointer;
	double number;
	short s : 5, t : 7;
};

struct node {
	struct node *next;
	int value;
};

static long long sum(int n, ...)
{
	va_list rest, again;
	long long all = 0;
	va_start(rest, n);
	va_copy(again, rest);
	for (int i = 0; i < n; i++) {
		all += va_arg(rest, int);
		all += va_arg(rest, long long);
		all += (long long)va_arg(rest, double);
		all += *va_arg(rest, int *);
		struct node inside = va_arg(rest, struct node);
		all += inside.value;
		all += (long long)va_arg(rest, long double);
	}
	va_end(rest);
	HOLDS(va_arg(again, int) == 1);
	va_end(again);
	return all;
}

static int by_value(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static struct mixed filled(int n)
{
	struct mixed m = {'a', 1LL << 40, &m, 0.5, n, -n};
	m.pointer = 0;
	return m;
}

static jmp_buf place;
static int table[4] = {3, 1, 2, 0};
static int *into = &table[2];
static int (*compares[2])(const void *, const void *) = {0, by_value};

int main(void)
{
	HOLDS(sizeof(long) == 4 && sizeof(void *) == 4 && sizeof(size_t) == 4 && sizeof(long double) == 12);
	HOLDS(sizeof(struct mixed) == 28 && offsetof(struct mixed, wide) == 4 && offsetof(struct mixed, number) == 16);
	HOLDS(*into == 2 && compares[1] == by_value && into - table == 2);
	int five = 5;
	struct node last = {0, 7};
	HOLDS(sum(2, 1, 1LL << 33, 2.5, &five, last, 3.0L, 10, -1LL, -2.0, &five, last, 4.0L) == (1LL << 33) + 41);
	qsort(table, 4, sizeof *table, compares[1]);
	for (int i = 0; i < 4; i++)
		HOLDS(table[i] == i);
	struct mixed m = filled(3);
	HOLDS(m.s == 3 && m.t == -3 && m.wide == 1LL << 40 && m.pointer == NULL && m.number == 0.5);
	uintptr_t number = (uintptr_t)&table[1];
	HOLDS(*(int *)(number + sizeof *table) == 2 && sizeof number == 4);
	HOLDS((void *)-1 == (void *)0xffffffffu && (unsigned)-1L == 0xffffffffu);
	char text[64];
	HOLDS(snprintf(text, sizeof text, "%d %ld %lld %zu %s %.1f %c", -1, 2L, 3LL << 32, sizeof m, "five", 6.5, '7') == 30);
	HOLDS(!strcmp(text, "-1 2 12884901888 28 five 6.5 7"));
	HOLDS(strtol("4294967296", 0, 10) == 0x7fffffff && strtoll("4294967296", 0, 10) == 1LL << 32);
	int n = __VERIFIER_nondet_int();
	struct node *list = 0;
	for (int i = 0; i < 4; i++) {
		struct node *new = malloc(sizeof *new);
		if (!new)
			return 0;
		*new = (struct node){list, i * 10};
		list = new;
	}
	int found = 0;
	for (struct node *at = list; at; at = at->next)
		if (at->value == n)
			found = n;
	HOLDS(found == 0 || found == 10 || found == 20 || found == 30);
	if (n >= 0 && n < 4) {
		int *at = &table[n];
		struct { int *kept; } keeper = {at};
		HOLDS(*keeper.kept == n && keeper.kept - table == n);
	}
	while (list) {
		struct node *next = list->next;
		free(list);
		list = next;
	}
	if (setjmp(place) == 0)
		longjmp(place, 3);
	printf("%p %ld\n", (void *)0, (long)n);
	return 0;
}
