/* The names that glibc 2.38 and later has for the functions that C23 changes. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "fortify.h"

long __isoc23_strtol(const char *text, char **end, int base)
{
	return strtol(text, end, base);
}

unsigned long __isoc23_strtoul(const char *text, char **end, int base)
{
	return strtoul(text, end, base);
}

long long __isoc23_strtoll(const char *text, char **end, int base)
{
	return strtoll(text, end, base);
}

unsigned long long __isoc23_strtoull(const char *text, char **end, int base)
{
	return strtoull(text, end, base);
}

intmax_t __isoc23_strtoimax(const char *text, char **end, int base)
{
	return strtoimax(text, end, base);
}

uintmax_t __isoc23_strtoumax(const char *text, char **end, int base)
{
	return strtoumax(text, end, base);
}

int __isoc23_vscanf(const char *format, va_list values)
{
	return vscanf(format, values);
}

int __isoc23_vfscanf(FILE *file, const char *format, va_list values)
{
	return vfscanf(file, format, values);
}

int __isoc23_vsscanf(const char *text, const char *format, va_list values)
{
	return vsscanf(text, format, values);
}

VARIADIC(int, __isoc23_scanf, vscanf, format, (const char *format, ...), format)
VARIADIC(int, __isoc23_fscanf, vfscanf, format, (FILE *file, const char *format, ...), file, format)
VARIADIC(int, __isoc23_sscanf, vsscanf, format, (const char *text, const char *format, ...), text, format)
