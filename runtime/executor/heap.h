/* The heap: an execution uses no memory twice. The size of an object stands in front of it. */
#pragma once
#include "sanitizer.h"

enum { LIVE = 0x6c697665, DEAD = 0x64656164 };
struct head {
	u64 state, size;
};

static void *allocated(u64 size, u64 align)
{
	if (size > HEAP_SIZE / 4 || align > 1ul << 20)
		return 0;
	u64 start = (own->heap_top + sizeof(struct head) + align - 1) & ~(align - 1);
	u64 room = ((size + 15) & ~15ul) + 16;
	if (start + room > HEAP + HEAP_SIZE)
		leave(TOO_LONG, 0, STACK);
	struct head *head = (struct head *)start - 1;
	*head = (struct head){ LIVE, size };
	fill(SHADOW(own->heap_top), HEAP_REDZONE, (start - own->heap_top) >> 3);
	mark(start, size, room, HEAP_REDZONE);
	own->heap_top = start + room;
	return (void *)start;
}

/* The head of an object that may be freed, or nothing. */
static struct head *head_of(void *at)
{
	u64 start = (u64)at;
	struct head *head = (struct head *)start - 1;
	return start > HEAP && start < own->heap_top && !(start & 15) && head->state == LIVE ? head : 0;
}

void *malloc(size_t size)
{
	return allocated(size, 16);
}

void *calloc(size_t count, size_t size)
{
	size_t all;
	return __builtin_mul_overflow(count, size, &all) ? 0 : allocated(all, 16);
}

void free(void *at)
{
	if (!at)
		return;
	struct head *head = head_of(at);
	if (!head)
		CRASH();
	head->state = DEAD;
	fill(SHADOW(at), HEAP_FREED, (head->size + 7) >> 3);
}

void *realloc(void *at, size_t size)
{
	if (!at)
		return malloc(size);
	struct head *head = head_of(at);
	if (!head)
		CRASH();
	void *moved = malloc(size);
	if (moved) {
		copy(moved, at, head->size < size ? head->size : size);
		free(at);
	}
	return moved;
}

void *memalign(size_t align, size_t size)
{
	return allocated(size, align < 16 ? 16 : align);
}

void *aligned_alloc(size_t align, size_t size)
{
	return memalign(align, size);
}

int posix_memalign(void **where, size_t align, size_t size)
{
	*where = memalign(align, size);
	return *where ? 0 : 12;
}

size_t malloc_usable_size(void *at)
{
	struct head *head = at ? head_of(at) : 0;
	return head ? head->size : 0;
}

void *cleave_allocate(size_t size)
{
	return allocated(size, 16);
}

/* Reads behind the end of an argument are the engine's to find. */
void cleave_text_ends(char *text, size_t from)
{
	(void)text, (void)from;
}
