/* Cancellation. In musl a handler looks where in the code of a system call it has interrupted it, which is in assembly. Here a
 * call has either not begun, or it waits, or it has returned. So it is enough that the signal interrupts a call that waits. */
#include "pthread_impl.h"
#include "syscall.h"
#include "points.h"
#include "cancel.h"

/* The thread ends if it may be cancelled. One that masks that is told by an error. */
long __cancelled(pthread_t self)
{
	if (self->canceldisable == PTHREAD_CANCEL_ENABLE || self->cancelasync)
		pthread_exit(PTHREAD_CANCELED);
	self->canceldisable = PTHREAD_CANCEL_DISABLE;
	return -ECANCELED;
}

pthread_t __spared;

/* Whether the thread is cancelled by now depends on where the others are. Between this look and the call that it stands in front of
 * no signal comes. */
static void look(pthread_t self, int calls)
{
	if (&__cancels)
		point(self, ANYTHING, calls ? CALLS : 0);
}

/* Natively the signal lets these calls begin again; other calls say EINTR whatever the handler. */
static int begins_again(syscall_arg_t nr)
{
	switch (nr) {
	case SYS_nanosleep: case SYS_clock_nanosleep: case SYS_poll: case SYS_ppoll: case SYS_select: case SYS_pselect6:
	case SYS_epoll_wait: case SYS_epoll_pwait: case SYS_pause: case SYS_rt_sigsuspend: case SYS_rt_sigtimedwait:
		return 0;
	}
	return 1;
}

#ifdef CLEAVE_NATIVELY
/* Where nobody says whose turn it is, a signal may come between the look and the call: there musl's own way holds. */
long __musl___syscall_cp_c(syscall_arg_t, syscall_arg_t, syscall_arg_t, syscall_arg_t, syscall_arg_t, syscall_arg_t, syscall_arg_t);
void __musl___testcancel(void);
#define UNLESS_SCHEDULED(otherwise) \
	if (!cleave_scheduled) \
		return otherwise
#else
#define UNLESS_SCHEDULED(otherwise)
#endif

long __syscall_cp_c(syscall_arg_t nr, syscall_arg_t a, syscall_arg_t b, syscall_arg_t c, syscall_arg_t d, syscall_arg_t e,
	syscall_arg_t f)
{
	UNLESS_SCHEDULED(__musl___syscall_cp_c(nr, a, b, c, d, e, f));
	pthread_t self = __pthread_self();
	int may = self->canceldisable == PTHREAD_CANCEL_ENABLE
		|| (self->canceldisable == PTHREAD_CANCEL_MASKED && nr != SYS_close);
	/* One that waits for a futex sees it whenever it comes. */
	if (may && nr != SYS_futex)
		look(self, 1);
	if (may && self->cancel)
		return __cancelled(self);
	long result;
	do {
		__spared = 0;
		result = __syscall(nr, a, b, c, d, e, f);
	} while (result == -EINTR && __spared == self && self->canceldisable == PTHREAD_CANCEL_DISABLE && begins_again(nr));
	if (may && result == -EINTR && nr != SYS_close && self->cancel && self->canceldisable != PTHREAD_CANCEL_DISABLE)
		return __cancelled(self);
	return result;
}

void __testcancel(void)
{
	UNLESS_SCHEDULED(__musl___testcancel());
	pthread_t self = __pthread_self();
	if (self->canceldisable != PTHREAD_CANCEL_ENABLE)
		return;
	look(self, 0);
	if (self->cancel)
		__cancelled(self);
}
