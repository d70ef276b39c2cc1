/* The one thread: a descriptor in static memory. Thread-local variables are plain globals to the engine. */
#define SYSCALL_NO_TLS 1
#include <stddef.h>
#include "pthread_impl.h"
#include "libc.h"
#include "syscall.h"

int cleave_set_thread_pointer(void *);

volatile int __thread_list_lock;

static struct pthread the_thread;

/* The engine sets errno itself where an allocation fails. */
_Static_assert(offsetof(struct pthread, errno_val) == 52, "errno is where crates/engine/src/failing.rs says");

int __init_tp(void *p)
{
	struct pthread *thread = p;
	thread->self = thread;
	cleave_set_thread_pointer(thread);
	thread->detach_state = DT_JOINABLE;
	thread->tid = __syscall(SYS_set_tid_address, &__thread_list_lock);
	thread->locale = &libc.global_locale;
	thread->robust_list.head = &thread->robust_list.head;
	thread->next = thread->prev = thread;
	return 0;
}

void __init_tls(size_t *aux)
{
	(void)aux;
	__init_tp(&the_thread);
}
