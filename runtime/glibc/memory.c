/* glibc's checked functions of memory and strings: musl's own, behind a check of the room that the compiler knows. */
#define _GNU_SOURCE
#include <string.h>
#include "fortify.h"

void *__memcpy_chk(void *to, const void *from, size_t n, size_t room)
{
	check(n, room);
	return memcpy(to, from, n);
}

void *__memmove_chk(void *to, const void *from, size_t n, size_t room)
{
	check(n, room);
	return memmove(to, from, n);
}

void *__mempcpy_chk(void *to, const void *from, size_t n, size_t room)
{
	check(n, room);
	return (char *)memcpy(to, from, n) + n;
}

void *__memset_chk(void *to, int c, size_t n, size_t room)
{
	check(n, room);
	return memset(to, c, n);
}

void __explicit_bzero_chk(void *to, size_t n, size_t room)
{
	check(n, room);
	memset(to, 0, n);
}

char *__strcpy_chk(char *to, const char *from, size_t room)
{
	if (room != UNKNOWN)
		check(strlen(from) + 1, room);
	return strcpy(to, from);
}

char *__stpcpy_chk(char *to, const char *from, size_t room)
{
	if (room != UNKNOWN)
		check(strlen(from) + 1, room);
	return stpcpy(to, from);
}

char *__strncpy_chk(char *to, const char *from, size_t n, size_t room)
{
	check(n, room);
	return strncpy(to, from, n);
}

char *__stpncpy_chk(char *to, const char *from, size_t n, size_t room)
{
	check(n, room);
	return stpncpy(to, from, n);
}

char *__strcat_chk(char *to, const char *from, size_t room)
{
	if (room != UNKNOWN)
		check(strlen(to) + strlen(from) + 1, room);
	return strcat(to, from);
}

char *__strncat_chk(char *to, const char *from, size_t n, size_t room)
{
	if (room != UNKNOWN)
		check(strlen(to) + strnlen(from, n) + 1, room);
	return strncat(to, from, n);
}

size_t __strlcpy_chk(char *to, const char *from, size_t n, size_t room)
{
	check(n, room);
	return strlcpy(to, from, n);
}

size_t __strlcat_chk(char *to, const char *from, size_t n, size_t room)
{
	check(n, room);
	return strlcat(to, from, n);
}
