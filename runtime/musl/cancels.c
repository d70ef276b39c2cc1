/* Cancelling other threads; cancel.c has what cancelled ones do. A program that has none of this needs no points there. */
#include <string.h>
#include "pthread_impl.h"
#include "syscall.h"
#include "points.h"
#include "cancel.h"

const char __cancels = 1;

static void handle(int signal, siginfo_t *info, void *context)
{
	pthread_t self = __pthread_self();
	ucontext_t *interrupted = context;
	__spared = self;
	if (!self->cancel || self->canceldisable == PTHREAD_CANCEL_DISABLE || !self->cancelasync)
		return;
	/* The thread ends in the handler, under the mask that held before. */
	interrupted->uc_sigmask.__bits[0] |= 1UL << (SIGCANCEL - 1);
	__syscall(SYS_rt_sigprocmask, SIG_SETMASK, &interrupted->uc_sigmask, 0, _NSIG / 8);
	__cancelled(self);
}

#ifdef CLEAVE_NATIVELY
int __musl_pthread_cancel(pthread_t);
#endif

int pthread_cancel(pthread_t thread)
{
#ifdef CLEAVE_NATIVELY
	if (!cleave_scheduled)
		return __musl_pthread_cancel(thread);
#endif
	static int handled;
	if (!handled) {
		struct sigaction action = { .sa_flags = SA_SIGINFO, .sa_sigaction = handle };
		memset(&action.sa_mask, -1, _NSIG / 8);
		__libc_sigaction(SIGCANCEL, &action, 0);
		handled = 1;
	}
	/* It may be in any call, and see it at once. */
	if (thread != __pthread_self())
		point(ANYTHING, 0, 0);
	thread->cancel = 1;
	if (thread != __pthread_self())
		return pthread_kill(thread, SIGCANCEL);
	if (thread->canceldisable == PTHREAD_CANCEL_ENABLE && thread->cancelasync)
		pthread_exit(PTHREAD_CANCELED);
	return 0;
}
