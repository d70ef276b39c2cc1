// Pointers that a program puts into the sections of constructors and destructors itself are called as others are, by priority.
// cleave: expect paths=1 failed=0 unsupported=0
// cleave: code 0
#include <stdio.h>

static volatile int order;
static void early(void) { order = 10 * order + 1; }
static void attribute(void) __attribute__((constructor(200)));
static void attribute(void) { order = 10 * order + 2; }
static void late(void) { order = 10 * order + 3; }
static void bye(void) { printf("bye %d\n", order); fflush(stdout); }

static void (*const first)(void) __attribute__((section(".init_array.00101"), used)) = early;
static void (*const third)(void) __attribute__((section(".init_array"), used)) = late;
static void (*const fourth)(void) __attribute__((section(".init_array"), used)) = late;
static void (*const last)(void) __attribute__((section(".fini_array"), used)) = bye;

int main(void)
{
	printf("%d\n", order);
	return order == 1233 ? 0 : 1;
}
