/* Points: a thread tells the engine that it is about to use what threads share. Orders of threads are explored from one point to the
 * next (crates/engine/src/schedules.rs). */
#ifndef POINTS_H
#define POINTS_H
#include "libc.h"

/* What is used, what else, and the word whose low 30 bits must be zero for the thread to go on. */
void cleave_point(const volatile void *object, const volatile void *other, const volatile int *word);

static inline void point(const volatile void *object, const volatile void *other, const volatile int *word)
{
	if (libc.threaded)
		cleave_point(object, other, word);
}
#endif
