/* glibc's and C++'s that musl has not: destructors of thread-local objects, which run when the thread exits. There is one
 * thread, and they run as if registered by atexit when the first of them was. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>

struct registered {
	void (*destroy)(void *);
	void *object;
	struct registered *before;
};

static struct registered *last;

static void destroy_all(void)
{
	while (last) {
		struct registered *now = last;
		last = now->before;
		now->destroy(now->object);
		free(now);
	}
}

int __cxa_thread_atexit_impl(void (*destroy)(void *), void *object, void *module)
{
	struct registered *now = malloc(sizeof *now);
	(void)module;
	if (!now || (!last && atexit(destroy_all))) {
		free(now);
		return -1;
	}
	*now = (struct registered){ destroy, object, last };
	last = now;
	return 0;
}

/* realpath under the name that glibc has for it where it allocates the result. */
char *canonicalize_file_name(const char *path)
{
	if (!path) {
		errno = EINVAL;
		return 0;
	}
	return realpath(path, 0);
}
