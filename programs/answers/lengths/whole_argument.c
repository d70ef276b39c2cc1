// An argument of exactly two bytes has one length, and neither byte is its end.
// cleave: args --sym-arg 2..2 --sym-args 1 1 3..3
// cleave: expect paths=1 failed=0
// cleave: code 0
#include <string.h>

static volatile int sum;

int main(int argc, char **argv)
{
	if (argc != 3 || strlen(argv[1]) != 2 || strlen(argv[2]) != 3)
		return 99;
	sum = argv[1][1] + argv[2][2];
	return 0;
}
