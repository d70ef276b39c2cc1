/* Signals: their actions, the data that stands beside them, and the call of a handler, which gets structures of 32 bits. */
#define _GNU_SOURCE
#include "compat.h"
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

/* A siginfo_t of the kernel, in words. What follows the signal, the error and the code is aligned to eight bytes there. */
struct wide_info {
	uint32_t signal, error, code, pad, rest[28];
};
struct own_info {
	uint32_t signal, error, code, rest[29];
};
_Static_assert(sizeof(siginfo_t) == sizeof(struct own_info), "a siginfo_t has 128 bytes");

/* Ids, a status or a value of the program, times of a child; an address; a descriptor. */
static void narrow(siginfo_t *to, const struct wide_info *from)
{
	struct own_info own = {from->signal, from->error, from->code, {from->rest[0], from->rest[1], from->rest[2], from->rest[4], from->rest[6]}};
	if (from->signal == SIGPOLL)
		own.rest[1] = from->rest[2];
	memcpy(to, &own, sizeof own);
}

static struct wide_info widen(const siginfo_t *from)
{
	struct own_info own;
	memcpy(&own, from, sizeof own);
	return (struct wide_info){own.signal, own.error, own.code, 0, {own.rest[0], own.rest[1], own.rest[2]}};
}

/* A ucontext_t of the kernel: the registers are not passed on. */
struct wide_context {
	char front[296];
	uint32_t mask[32];
	char end[512];
};

static void handle(int signal, void (*handler)(int, siginfo_t *, void *), int tells, const struct wide_info *info, struct wide_context *context)
{
	if (!tells) {
		((void (*)(int))handler)(signal);
		return;
	}
	siginfo_t own_info;
	narrow(&own_info, info);
	ucontext_t own = {0};
	memcpy(&own.uc_sigmask, context->mask, 8);
	handler(signal, &own_info, &own);
	memcpy(context->mask, &own.uc_sigmask, 8);
}

#ifdef CLEAVE_NATIVELY
/* The kernel calls cleave_handler, as 64-bit code (gate.s), which calls this. */
static struct own_handler {
	void (*function)(int, siginfo_t *, void *);
	int tells;
} handlers[_NSIG];

/* A flag of the kernel alone: the handler returns to a function that the program names. */
enum { RESTORER = 0x04000000 };

void cleave_handler(void);
void cleave_restorer(void);

void cleave_handled(int signal, const struct wide_info *info, struct wide_context *context)
{
	struct own_handler handler = handlers[signal];
	handle(signal, handler.function, handler.tells, info, context);
}
#else
void cleave_signal_frame(struct wide_info *, struct wide_context *);
_Noreturn void cleave_signal_return(struct wide_context *);

/* The engine calls this where Linux would call a handler. */
void __restore_rt(int signal, void (*handler)(int, siginfo_t *, void *), int tells)
{
	struct wide_info info;
	struct wide_context context;
	cleave_signal_frame(&info, &context);
	handle(signal, handler, tells, &info, &context);
	cleave_signal_return(&context);
}

/* The C library names another function where a handler is told nothing. */
void __restore(void)
{
}
#endif

/* A signal's action, as the C library passes it. */
struct wide_action {
	uint64_t handler, flags, restorer, mask;
};
struct own_action {
	uint32_t handler, flags, restorer, mask[2];
};

long compat_action(long long signal, const void *given, void *kept, long long size)
{
	struct wide_action to = {0}, from = {0};
	const struct own_action *new = given;
	struct own_action *old = kept;
	if (new)
		to = (struct wide_action){new->handler, new->flags, new->restorer, new->mask[0] | (uint64_t)new->mask[1] << 32};
#ifndef CLEAVE_NATIVELY
	to.restorer = AT(__restore_rt);
#else
	if (signal < 0 || signal >= _NSIG)
		return -EINVAL;
	struct own_handler before = handlers[signal];
	if (new && new->handler > 1) {
		/* A signal that comes at once finds its handler. */
		handlers[signal] = (struct own_handler){(void (*)(int, siginfo_t *, void *))new->handler, !!(new->flags & SA_SIGINFO)};
		to.handler = AT(cleave_handler);
		to.restorer = AT(cleave_restorer);
		to.flags |= RESTORER;
	}
#endif
	long result = cleave_syscall(SYS_rt_sigaction, signal, new ? AT(&to) : 0, old ? AT(&from) : 0, size, 0, 0);
#ifdef CLEAVE_NATIVELY
	if (result)
		handlers[signal] = before;
	if (from.handler == AT(cleave_handler))
		from.handler = AT(before.function);
#endif
	if (!result && old)
		*old = (struct own_action){from.handler, from.flags, from.restorer, {from.mask, from.mask >> 32}};
	return result;
}

struct wide_stack {
	uint64_t start;
	int32_t flags, pad;
	uint64_t size;
};

long compat_stack(const void *given, void *kept)
{
	const stack_t *new = given;
	stack_t *old = kept;
	struct wide_stack to = {0}, from = {0};
	if (new)
		to = (struct wide_stack){AT(new->ss_sp), new->ss_flags, 0, new->ss_size};
	long result = cleave_syscall(SYS_sigaltstack, new ? AT(&to) : 0, old ? AT(&from) : 0, 0, 0, 0, 0);
	if (!result && old)
		*old = (stack_t){(void *)(uintptr_t)from.start, from.flags, from.size};
	return result;
}

/* How a timer tells, as the C library passes it: a value, and numbers. */
struct wide_event {
	uint64_t value;
	int32_t signal, kind, thread, rest[11];
};
struct own_event {
	uint32_t value;
	int32_t signal, kind, thread;
};

long compat_timer(long long clock, const void *event, void *timer)
{
	const struct own_event *own = event;
	struct wide_event wide = {0};
	if (own) {
		wide = (struct wide_event){own->value, own->signal, own->kind};
		/* Where it tells no thread, nobody has set that. */
		if (own->kind & 4)
			wide.thread = own->thread;
	}
	return cleave_syscall(SYS_timer_create, clock, own ? AT(&wide) : 0, AT(timer), 0, 0, 0);
}

long compat_queued(long long n, long long to, long long thread, long long signal, const void *info)
{
	struct wide_info wide = widen(info);
	return n == SYS_rt_sigqueueinfo ? cleave_syscall(n, to, signal, AT(&wide), 0, 0, 0)
		: cleave_syscall(n, to, thread, signal, AT(&wide), 0, 0);
}

/* A call that tells of a signal or a child: with the kind and id of the child, or the set of signals. */
long compat_waited(long long n, long long a, long long b, void *info, long long d, long long e)
{
	struct wide_info wide = {0};
	uint64_t at = info ? AT(&wide) : 0;
	long result = n == SYS_waitid ? cleave_syscall(n, a, b, at, d, e, 0) : cleave_syscall(n, a, at, d, e, 0, 0);
	if (result >= 0 && info)
		narrow(info, &wide);
	return result;
}
