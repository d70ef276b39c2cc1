/* New processes and threads. In musl these are in assembly, because a child must not use its parent's stack; the engine gives
 * a child frames of its own, a new thread only that of __clone. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdarg.h>
#include <unistd.h>
#include "pthread_impl.h"
#include "syscall.h"

#ifdef __i386__
long long cleave_syscall(long long, long long, long long, long long, long long, long long, long long);
#endif

pid_t vfork(void)
{
	return __syscall_ret(__syscall(SYS_vfork));
}

int __clone(int (*function)(void *), void *stack, int flags, void *argument, ...)
{
	pid_t *parent_tid = 0, *child_tid = 0;
	void *thread = 0;
	/* Not every caller passes what its flags do not ask for. */
	if (flags & (CLONE_PARENT_SETTID | CLONE_SETTLS | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID)) {
		va_list rest;
		va_start(rest, argument);
		parent_tid = va_arg(rest, pid_t *);
		thread = va_arg(rest, void *);
		child_tid = va_arg(rest, pid_t *);
		va_end(rest);
	}
#ifdef __i386__
	/* Without a frame between (runtime/musl-i386/compat.c). */
	int pid = cleave_syscall(SYS_clone, flags, 0, (uintptr_t)parent_tid, (uintptr_t)child_tid, (uintptr_t)thread, 0);
#else
	int pid = __syscall(SYS_clone, flags, stack, parent_tid, child_tid, thread);
#endif
	if (!pid)
		__syscall(SYS_exit, function(argument));
	return pid;
}

/* A detached thread ends, and what was mapped for its stack goes with it; its real stack is the engine's. */
_Noreturn void __unmapself(void *base, size_t size)
{
	__syscall(SYS_munmap, base, size);
	for (;;)
		__syscall(SYS_exit, 0);
}
