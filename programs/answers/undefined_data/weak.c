// What is weak and not there is null, as in C: data, functions, bounds of sections, names of the linker's that are not asked for. What
// the C library, the linker or another declaration defines is there.
// cleave: expect paths=1 failed=0 unsupported=0
// cleave: code 0
#include <assert.h>
#include <stdio.h>
#include <unistd.h>

extern int weak_data __attribute__((weak));
extern int weak_function(int) __attribute__((weak));
extern const char __start_nowhere[] __attribute__((weak)), __stop_nowhere[] __attribute__((weak));
static int reference __attribute__((weakref("elsewhere")));
extern const char __ehdr_start[] __attribute__((weak));
extern char __executable_start, etext, edata, end, _end, __bss_start;
extern char **environ;
extern int twice;
int twice;
extern int given __attribute__((weak));
int given = 5;
extern int another __attribute__((alias("given")));

static void *volatile kept;

int main(void)
{
	kept = &weak_data;
	assert(!kept);
	kept = (void *)weak_function;
	assert(!kept);
	kept = &reference;
	assert(!kept);
	int entries = 0;
	for (const char *p = __start_nowhere; p < __stop_nowhere; p++)
		entries++;
	assert(entries == 0);
	kept = (void *)__ehdr_start;
	assert(kept);
	kept = &__executable_start;
	assert((char *)kept < &etext);
	kept = &end;
	assert(kept == &_end && &edata <= &__bss_start && &__bss_start <= (char *)kept);
	kept = &given;
	assert((char *)kept < &end);
	assert(environ);
	printf("%d %d\n", twice, another);
	return given - another + twice;
}
