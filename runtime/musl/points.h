/* Points: a thread tells the engine that it is about to use what threads share. Orders of threads are explored from one point to the
 * next (crates/engine/src/threads/schedules.rs). */
#ifndef POINTS_H
#define POINTS_H
#include "libc.h"

/* What is in the way of whatever another thread does; beside another object: what the thread has begun to use before it comes to that. */
#define ANYTHING ((void *)-1)
/* As the word: a call follows. */
#define CALLS ((void *)1)

/* What is used, what else, and the word whose low 30 bits must be zero for the thread to go on. */
void cleave_point(const volatile void *object, const volatile void *other, const volatile int *word);

/* What orders threads, for the search for data races (crates/engine/src/threads/races.rs): what a thread did before it releases an object
 * comes before what another one does after it has acquired it. */
enum { ACQUIRES, RELEASES, JOINS };
void cleave_ordered(const volatile void *object, int how);

static inline void ordered(const volatile void *object, int how)
{
	if (libc.threaded)
		cleave_ordered(object, how);
}

static inline void point(const volatile void *object, const volatile void *other, const volatile int *word)
{
	if (libc.threaded)
		cleave_point(object, other, word);
}
#endif
