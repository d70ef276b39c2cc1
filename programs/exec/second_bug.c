/* A bug in the program that is executed. */
// cleave: program check=overflows.c
// cleave: args --sym-arg 1
// Nothing, a space, -, +, another character, a digit up to 3 or above 4; and the digit 4.
// cleave: expect paths=7 failed=1
// cleave: bug out-of-bounds overflows.c:10
#include <unistd.h>

int main(int argc, char **argv)
{
	execlp("check", "check", argv[1], (char *)0);
	return 1;
}
