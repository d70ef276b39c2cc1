/* glibc's checked functions of input and of the system. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <klee/klee.h>
#include <limits.h>
#include <poll.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/select.h>
#include <unistd.h>
#include "fortify.h"

char *__fgets_chk(char *to, size_t room, int n, FILE *file)
{
	check(n > 0 ? n : 0, room);
	return fgets(to, n, file);
}

char *__fgets_unlocked_chk(char *to, size_t room, int n, FILE *file)
{
	return __fgets_chk(to, room, n, file);
}

size_t __fread_chk(void *to, size_t room, size_t size, size_t n, FILE *file)
{
	size_t all;
	check(__builtin_mul_overflow(size, n, &all) ? UNKNOWN : all, room);
	return fread(to, size, n, file);
}

size_t __fread_unlocked_chk(void *to, size_t room, size_t size, size_t n, FILE *file)
{
	return __fread_chk(to, room, size, n, file);
}

ssize_t __read_chk(int fd, void *to, size_t n, size_t room)
{
	check(n, room);
	return read(fd, to, n);
}

ssize_t __pread_chk(int fd, void *to, size_t n, off_t offset, size_t room)
{
	check(n, room);
	return pread(fd, to, n, offset);
}

ssize_t __pread64_chk(int fd, void *to, size_t n, off_t offset, size_t room)
{
	return __pread_chk(fd, to, n, offset, room);
}

ssize_t __readlink_chk(const char *path, char *to, size_t n, size_t room)
{
	check(n, room);
	return readlink(path, to, n);
}

ssize_t __readlinkat_chk(int fd, const char *path, char *to, size_t n, size_t room)
{
	check(n, room);
	return readlinkat(fd, path, to, n);
}

char *__getcwd_chk(char *to, size_t n, size_t room)
{
	check(n, room);
	return getcwd(to, n);
}

char *__realpath_chk(const char *path, char *to, size_t room)
{
	check(PATH_MAX, room);
	return realpath(path, to);
}

int __gethostname_chk(char *to, size_t n, size_t room)
{
	check(n, room);
	return gethostname(to, n);
}

size_t __confstr_chk(int name, char *to, size_t n, size_t room)
{
	check(n, room);
	return confstr(name, to, n);
}

int __ttyname_r_chk(int fd, char *to, size_t n, size_t room)
{
	check(n, room);
	return ttyname_r(fd, to, n);
}

int __getgroups_chk(int n, gid_t *to, size_t room)
{
	check(n > 0 ? n * sizeof *to : 0, room);
	return getgroups(n, to);
}

int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t room)
{
	check(n, room / sizeof *fds);
	return poll(fds, n, timeout);
}

int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask, size_t room)
{
	check(n, room / sizeof *fds);
	return ppoll(fds, n, timeout, mask);
}

long __fdelt_chk(long fd)
{
	if (fd < 0 || fd >= FD_SETSIZE)
		__chk_fail();
	return fd / (8 * (long)sizeof(long));
}

/* Opening without a mode: the flags must not ask for a new file. */

int __open_2(const char *path, int flags)
{
	if (flags & O_CREAT)
		klee_report_error("", 0, "open with O_CREAT and without a mode", "user.err");
	return open(path, flags);
}

int __open64_2(const char *path, int flags)
{
	return __open_2(path, flags);
}

int __openat_2(int fd, const char *path, int flags)
{
	if (flags & O_CREAT)
		klee_report_error("", 0, "openat with O_CREAT and without a mode", "user.err");
	return openat(fd, path, flags);
}

int __openat64_2(int fd, const char *path, int flags)
{
	return __openat_2(fd, path, flags);
}

_Noreturn void __longjmp_chk(jmp_buf place, int value)
{
	longjmp(place, value);
}

char *__gets_chk(char *to, size_t room)
{
	size_t n = 0;
	int c;
	while ((c = getchar()) != EOF && c != '\n') {
		check(n + 2, room);
		to[n++] = c;
	}
	if (c == EOF && n == 0)
		return 0;
	check(n + 1, room);
	to[n] = 0;
	return to;
}

char *__getwd_chk(char *to, size_t room)
{
	char *got = getcwd(to, room);
	if (!got && errno == ERANGE)
		__chk_fail();
	return got;
}

int __getdomainname_chk(char *to, size_t n, size_t room)
{
	check(n, room);
	return getdomainname(to, n);
}

int __getlogin_r_chk(char *to, size_t n, size_t room)
{
	check(n, room);
	return getlogin_r(to, n);
}

int __ptsname_r_chk(int fd, char *to, size_t n, size_t room)
{
	check(n, room);
	return ptsname_r(fd, to, n);
}
