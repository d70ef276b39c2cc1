/* Signals of a program that Cleave explores: the engine calls this function where Linux would call a handler. It stands in
 * for musl's __restore_rt, which is where a handler returns to. */
#include <signal.h>

void cleave_signal_frame(siginfo_t *, ucontext_t *);
_Noreturn void cleave_signal_return(ucontext_t *);

void __restore_rt(int signal, void (*handler)(int, siginfo_t *, void *), int tells)
{
	siginfo_t info;
	ucontext_t context;
	cleave_signal_frame(&info, &context);
	if (tells)
		handler(signal, &info, &context);
	else
		((void (*)(int))handler)(signal);
	cleave_signal_return(&context);
}
