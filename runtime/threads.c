/* Threads natively, under the schedule of the model. Where the engine has a point (runtime/musl/points.h, and accesses that
 * `cleave cc` marks), a thread makes a call that no kernel has. A replay under the model's schedule answers it when it is the
 * thread's turn; see crates/replay/src/answers/turns.rs. */
#define _GNU_SOURCE
#include "test.h"
#include <sched.h>
#include <stdint.h>
#include <sys/types.h>

/* The call, and what it says. */
enum { SCHEDULE = 0x636c65, READY = 1, BORN = 2, POINT = 3, STUCK = 4, CANCELLATION = 5, ACCESS = 6, WRITTEN = 7 };
/* The bit that marks give to an access that writes (crates/program/src/atomics.rs). */
enum { WRITES = 2 };
/* What a point names: see runtime/musl/points.h. */
#define ANYTHING ((const volatile void *)-1)
#define CALLS ((const volatile int *)1)

/* What `cleave_ordered` says of sections without points (runtime/atomic_sections.c), and how many this thread is in. */
enum { SECTION_BEGINS = 3, SECTION_ENDS = 4 };
static _Thread_local unsigned sections;

/* Somebody answers. */
int cleave_scheduled;

#ifdef __i386__
long long cleave_syscall(long long, long long, long long, long long, long long, long long, long long);
#endif

static long tell_more(long what, long more)
{
#ifdef __i386__
	return cleave_syscall(SCHEDULE, what, more, 0, 0, 0, 0);
#else
	long result;
	__asm__ volatile("syscall" : "=a"(result) : "a"((long)SCHEDULE), "D"(what), "S"(more) : "rcx", "r11", "memory");
	return result;
#endif
}

static long tell(long what)
{
	return tell_more(what, 0);
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
	cleave_scheduled = !tell(READY);
	if (!cleave_scheduled)
		return __real___clone(function, stack, flags, argument, parent_tid, thread, child_tid);
	struct start *start = (struct start *)((uintptr_t)stack & -16) - 1;
	*start = (struct start){function, argument};
	return __real___clone(begin, start, flags, start, parent_tid, thread, child_tid);
}

void cleave_point(const volatile void *object, const volatile void *other, const volatile int *word)
{
	if (!cleave_scheduled || sections)
		return;
	if (object == ANYTHING || other == ANYTHING)
		tell_more(CANCELLATION, word == CALLS);
	else
		tell(POINT);
}

/* An atomic or a volatile access follows. */
void cleave_atomic_point(const volatile void *place, uint64_t size, uint64_t does)
{
	(void)place, (void)size, (void)does;
	if (cleave_scheduled && !sections)
		tell(ACCESS);
}

void cleave_atomic_begins(const volatile void *place, uint64_t size, uint64_t does)
{
	(void)place, (void)size, (void)does;
}

/* It is done. */
void cleave_atomic_ends(const volatile void *place, uint64_t size, uint64_t does)
{
	(void)place, (void)size;
	if (cleave_scheduled && does & WRITES)
		tell(WRITTEN);
}

/* The path ends here. What the thread does, it does alone. */
void cleave_stuck(const char *why)
{
	(void)why;
	if (cleave_scheduled)
		tell(STUCK);
}

void cleave_ordered(const volatile void *object, int how)
{
	(void)object;
	if (cleave_scheduled && how == SECTION_BEGINS)
		sections++;
	else if (how == SECTION_ENDS && sections)
		sections--;
}

void cleave_bad_unlock(const char *what)
{
	(void)what;
}

void cleave_misused(const char *what)
{
	(void)what;
}
