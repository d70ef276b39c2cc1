/* Cancellation. In musl a handler looks where in the code of a system call it has interrupted it, which is in assembly. Here a
 * call has either not begun, or it waits, or it has returned. So it is enough that the signal interrupts a call that waits. */
#include <string.h>
#include "pthread_impl.h"
#include "syscall.h"

/* The thread ends if it may be cancelled. One that masks that is told by an error. */
static long cancelled(pthread_t self)
{
	if (self->canceldisable == PTHREAD_CANCEL_ENABLE || self->cancelasync)
		pthread_exit(PTHREAD_CANCELED);
	self->canceldisable = PTHREAD_CANCEL_DISABLE;
	return -ECANCELED;
}

long __syscall_cp_c(syscall_arg_t nr, syscall_arg_t a, syscall_arg_t b, syscall_arg_t c, syscall_arg_t d, syscall_arg_t e,
	syscall_arg_t f)
{
	pthread_t self = __pthread_self();
	int point = self->canceldisable == PTHREAD_CANCEL_ENABLE
		|| (self->canceldisable == PTHREAD_CANCEL_MASKED && nr != SYS_close);
	if (point && self->cancel)
		return cancelled(self);
	long result = __syscall(nr, a, b, c, d, e, f);
	if (point && result == -EINTR && nr != SYS_close && self->cancel && self->canceldisable != PTHREAD_CANCEL_DISABLE)
		return cancelled(self);
	return result;
}

static void handle(int signal, siginfo_t *info, void *context)
{
	pthread_t self = __pthread_self();
	ucontext_t *interrupted = context;
	if (!self->cancel || self->canceldisable == PTHREAD_CANCEL_DISABLE || !self->cancelasync)
		return;
	/* The thread ends in the handler, under the mask that held before. */
	interrupted->uc_sigmask.__bits[0] |= 1UL << (SIGCANCEL - 1);
	__syscall(SYS_rt_sigprocmask, SIG_SETMASK, &interrupted->uc_sigmask, 0, _NSIG / 8);
	cancelled(self);
}

void __testcancel(void)
{
	pthread_t self = __pthread_self();
	if (self->cancel && self->canceldisable == PTHREAD_CANCEL_ENABLE)
		cancelled(self);
}

int pthread_cancel(pthread_t thread)
{
	static int handled;
	if (!handled) {
		struct sigaction action = { .sa_flags = SA_SIGINFO, .sa_sigaction = handle };
		memset(&action.sa_mask, -1, _NSIG / 8);
		__libc_sigaction(SIGCANCEL, &action, 0);
		handled = 1;
	}
	thread->cancel = 1;
	if (thread != __pthread_self())
		return pthread_kill(thread, SIGCANCEL);
	if (thread->canceldisable == PTHREAD_CANCEL_ENABLE && thread->cancelasync)
		pthread_exit(PTHREAD_CANCELED);
	return 0;
}
