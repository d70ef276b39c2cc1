/* glibc's checked functions of wide characters, whose room is in wide characters too. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>
#include "fortify.h"

wchar_t *__wmemcpy_chk(wchar_t *to, const wchar_t *from, size_t n, size_t room)
{
	check(n, room);
	return wmemcpy(to, from, n);
}

wchar_t *__wmemmove_chk(wchar_t *to, const wchar_t *from, size_t n, size_t room)
{
	check(n, room);
	return wmemmove(to, from, n);
}

wchar_t *__wmemset_chk(wchar_t *to, wchar_t c, size_t n, size_t room)
{
	check(n, room);
	return wmemset(to, c, n);
}

wchar_t *__wcscpy_chk(wchar_t *to, const wchar_t *from, size_t room)
{
	check(wcslen(from) + 1, room);
	return wcscpy(to, from);
}

wchar_t *__wcscat_chk(wchar_t *to, const wchar_t *from, size_t room)
{
	check(wcslen(to) + wcslen(from) + 1, room);
	return wcscat(to, from);
}

wchar_t *__wcsncpy_chk(wchar_t *to, const wchar_t *from, size_t n, size_t room)
{
	check(n, room);
	return wcsncpy(to, from, n);
}

size_t __mbstowcs_chk(wchar_t *to, const char *from, size_t n, size_t room)
{
	check(n, room);
	return mbstowcs(to, from, n);
}

size_t __wcstombs_chk(char *to, const wchar_t *from, size_t n, size_t room)
{
	check(n, room);
	return wcstombs(to, from, n);
}

int __vswprintf_chk(wchar_t *to, size_t n, int flag, size_t room, const wchar_t *format, va_list values)
{
	(void)flag;
	check(n, room);
	return vswprintf(to, n, format, values);
}

int __vfwprintf_chk(FILE *file, int flag, const wchar_t *format, va_list values)
{
	(void)flag;
	return vfwprintf(file, format, values);
}

int __vwprintf_chk(int flag, const wchar_t *format, va_list values)
{
	(void)flag;
	return vwprintf(format, values);
}

VARIADIC(int, __swprintf_chk, __vswprintf_chk, format,
         (wchar_t *to, size_t n, int flag, size_t room, const wchar_t *format, ...), to, n, flag, room, format)
VARIADIC(int, __fwprintf_chk, __vfwprintf_chk, format, (FILE *file, int flag, const wchar_t *format, ...), file,
         flag, format)
VARIADIC(int, __wprintf_chk, __vwprintf_chk, format, (int flag, const wchar_t *format, ...), flag, format)

wchar_t *__wmempcpy_chk(wchar_t *to, const wchar_t *from, size_t n, size_t room)
{
	check(n, room);
	return wmemcpy(to, from, n) + n;
}

wchar_t *__wcpcpy_chk(wchar_t *to, const wchar_t *from, size_t room)
{
	check(wcslen(from) + 1, room);
	return wcpcpy(to, from);
}

wchar_t *__wcpncpy_chk(wchar_t *to, const wchar_t *from, size_t n, size_t room)
{
	check(n, room);
	return wcpncpy(to, from, n);
}

wchar_t *__wcsncat_chk(wchar_t *to, const wchar_t *from, size_t n, size_t room)
{
	check(wcslen(to) + wcsnlen(from, n) + 1, room);
	return wcsncat(to, from, n);
}

/* As in glibc, there must be room for any character. */
int __wctomb_chk(char *to, wchar_t c, size_t room)
{
	check(MB_CUR_MAX, room);
	return wctomb(to, c);
}

size_t __wcrtomb_chk(char *to, wchar_t c, mbstate_t *state, size_t room)
{
	check(MB_CUR_MAX, room);
	return wcrtomb(to, c, state);
}

size_t __mbsrtowcs_chk(wchar_t *to, const char **from, size_t n, mbstate_t *state, size_t room)
{
	check(n, room);
	return mbsrtowcs(to, from, n, state);
}

size_t __mbsnrtowcs_chk(wchar_t *to, const char **from, size_t bytes, size_t n, mbstate_t *state, size_t room)
{
	check(n, room);
	return mbsnrtowcs(to, from, bytes, n, state);
}

size_t __wcsrtombs_chk(char *to, const wchar_t **from, size_t n, mbstate_t *state, size_t room)
{
	check(n, room);
	return wcsrtombs(to, from, n, state);
}

size_t __wcsnrtombs_chk(char *to, const wchar_t **from, size_t wides, size_t n, mbstate_t *state, size_t room)
{
	check(n, room);
	return wcsnrtombs(to, from, wides, n, state);
}

wchar_t *__fgetws_chk(wchar_t *to, size_t room, int n, FILE *file)
{
	check(n > 0 ? n : 0, room);
	return fgetws(to, n, file);
}

wchar_t *__fgetws_unlocked_chk(wchar_t *to, size_t room, int n, FILE *file)
{
	return __fgetws_chk(to, room, n, file);
}
