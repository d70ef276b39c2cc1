/* Threads natively, under the schedule of the model. Where the engine has a point (runtime/musl/points.h), a thread makes a call that
 * no kernel has. A replay under the model's schedule answers it when it is the thread's turn; see crates/replay/src/turns.rs. */
#define _GNU_SOURCE
#include "test.h"
#include <sched.h>
#include <stdint.h>
#include <sys/types.h>

/* The call, and what it says. */
enum { SCHEDULE = 0x636c65, READY = 1, BORN = 2, POINT = 3, STUCK = 4 };

/* Somebody answers. */
static int scheduled;

static long tell(long what)
{
	long result;
	__asm__ volatile("syscall" : "=a"(result) : "a"((long)SCHEDULE), "D"(what) : "rcx", "r11", "memory");
	return result;
}

/* What a new thread is to do stands on its stack. */
struct start {
	int (*function)(void *);
	void *argument;
};

static int begin(void *given)
{
	struct start start = *(struct start *)given;
	/* It stops here, as nobody else does while it makes its first steps. */
	tell(BORN);
	return start.function(start.argument);
}

int __real___clone(int (*)(void *), void *, int, void *, pid_t *, void *, pid_t *);

int __wrap___clone(int (*function)(void *), void *stack, int flags, void *argument, pid_t *parent_tid, void *thread,
	pid_t *child_tid)
{
	if (!(flags & CLONE_THREAD))
		return __real___clone(function, stack, flags, argument, parent_tid, thread, child_tid);
	/* Reading the test makes calls that the engine does not. */
	cleave_load_test();
	scheduled = !tell(READY);
	if (!scheduled)
		return __real___clone(function, stack, flags, argument, parent_tid, thread, child_tid);
	struct start *start = (struct start *)((uintptr_t)stack & -16) - 1;
	*start = (struct start){function, argument};
	return __real___clone(begin, start, flags, start, parent_tid, thread, child_tid);
}

void cleave_point(const volatile void *object, const volatile void *other, const volatile int *word)
{
	(void)object, (void)other, (void)word;
	if (scheduled)
		tell(POINT);
}

/* The path ends here. What the thread does, it does alone. */
void cleave_stuck(const char *why)
{
	(void)why;
	if (scheduled)
		tell(STUCK);
}

void cleave_ordered(const volatile void *object, int how)
{
	(void)object, (void)how;
}

void cleave_bad_unlock(const char *what)
{
	(void)what;
}

void cleave_misused(const char *what)
{
	(void)what;
}
