/* The first thread: a descriptor in static memory. Thread-local variables are the engine's: each thread but the first has copies
 * of them. */
#define SYSCALL_NO_TLS 1
#include <stddef.h>
#include "pthread_impl.h"
#include "libc.h"
#include "syscall.h"

int cleave_set_thread_pointer(void *);

volatile int __thread_list_lock;

static struct pthread the_thread;

/* The engine sets errno itself where an allocation fails. */
_Static_assert(offsetof(struct pthread, errno_val) == 52, "errno is where crates/engine/src/library/failing.rs says");

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

/* What a new thread has beside its stack: its descriptor, at the end of the `libc.tls_size` bytes that it gets for it. */
void *__copy_tls(unsigned char *mem)
{
	uintptr_t end = (uintptr_t)mem + libc.tls_size - sizeof(struct pthread);
	return (void *)(end & -(uintptr_t)_Alignof(struct pthread));
}

void __init_tls(size_t *aux)
{
	(void)aux;
	libc.can_do_threads = 1;
	libc.tls_size = sizeof(struct pthread) + _Alignof(struct pthread);
	__init_tp(&the_thread);
}
