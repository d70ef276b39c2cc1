/* glibc's checked functions of formatted output. Their flag asks glibc to refuse `%n` in memory that can be written. */
#define _GNU_SOURCE
#include <limits.h>
#include <stdio.h>
#include "fortify.h"

int __vsnprintf_chk(char *to, size_t n, int flag, size_t room, const char *format, va_list values)
{
	(void)flag;
	check(n, room);
	return vsnprintf(to, n, format, values);
}

int __vsprintf_chk(char *to, int flag, size_t room, const char *format, va_list values)
{
	(void)flag;
	if (room > INT_MAX)
		return vsprintf(to, format, values);
	int length = vsnprintf(to, room, format, values);
	if (length >= 0)
		check((size_t)length + 1, room);
	return length;
}

int __vfprintf_chk(FILE *file, int flag, const char *format, va_list values)
{
	(void)flag;
	return vfprintf(file, format, values);
}

int __vprintf_chk(int flag, const char *format, va_list values)
{
	(void)flag;
	return vprintf(format, values);
}

int __vdprintf_chk(int fd, int flag, const char *format, va_list values)
{
	(void)flag;
	return vdprintf(fd, format, values);
}

int __vasprintf_chk(char **to, int flag, const char *format, va_list values)
{
	(void)flag;
	return vasprintf(to, format, values);
}

VARIADIC(int, __snprintf_chk, __vsnprintf_chk, format,
         (char *to, size_t n, int flag, size_t room, const char *format, ...), to, n, flag, room, format)
VARIADIC(int, __sprintf_chk, __vsprintf_chk, format, (char *to, int flag, size_t room, const char *format, ...),
         to, flag, room, format)
VARIADIC(int, __fprintf_chk, __vfprintf_chk, format, (FILE *file, int flag, const char *format, ...), file, flag,
         format)
VARIADIC(int, __printf_chk, __vprintf_chk, format, (int flag, const char *format, ...), flag, format)
VARIADIC(int, __dprintf_chk, __vdprintf_chk, format, (int fd, int flag, const char *format, ...), fd, flag, format)
VARIADIC(int, __asprintf_chk, __vasprintf_chk, format, (char **to, int flag, const char *format, ...), to, flag,
         format)
