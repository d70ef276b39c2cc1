// The ends of a C++ program by std::terminate, by a fatal error of libc++abi, and by an assertion of libc++: the texts are those
// of its own functions of these names, and the engine reports them as bugs.
#include "abort_message.h"
#include <__verbose_abort>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

extern "C" void cleave_terminates(const char *text);

void abort_message(const char *format, ...) {
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    fprintf(stderr, "libc++abi: %s\n", text);
    cleave_terminates(text);
    abort();
}

_LIBCPP_BEGIN_NAMESPACE_STD

// A program may have its own.
_LIBCPP_WEAK void __libcpp_verbose_abort(char const *format, ...) {
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    fputs(text, stderr);
    cleave_terminates(text);
    abort();
}

_LIBCPP_END_NAMESPACE_STD
