/* glibc's checked functions of the system's log. */
#define _GNU_SOURCE
#include <syslog.h>
#include "fortify.h"

void __vsyslog_chk(int priority, int flag, const char *format, va_list values)
{
	(void)flag;
	vsyslog(priority, format, values);
}

void __syslog_chk(int priority, int flag, const char *format, ...)
{
	va_list values;
	va_start(values, format);
	__vsyslog_chk(priority, flag, format, values);
	va_end(values);
}
