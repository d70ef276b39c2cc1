// Loops that take long, or look as if nothing changed, and end: none of them is a bug.
// cleave: args --sym-stdin 1
// cleave: expect paths=7 failed=0
// cleave: code 0
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t rung;
static void ring(int signal) { rung = signal; }

/* A generator that comes back to where it began, after 65,535 steps. */
static unsigned period(void)
{
	uint16_t x = 1;
	unsigned n = 0;
	do {
		x ^= x << 7;
		x ^= x >> 9;
		x ^= x << 8;
		n++;
	} while (x != 1);
	return n;
}

int main(void)
{
	char c = 0;
	if (read(0, &c, 1) != 1)
		return 1;
	switch (c) {
	case 'a': return period() == 65535 ? 2 : 99;
	case 'b': {
		/* All but one byte far away is the same after each round. */
		static unsigned char far[100000];
		while (++far[99999] != 0 || ++far[50000] != 3)
			;
		return 3;
	}
	case 'c': {
		struct timespec begun, now;
		clock_gettime(CLOCK_MONOTONIC, &begun);
		do
			clock_gettime(CLOCK_MONOTONIC, &now);
		while ((now.tv_sec - begun.tv_sec) * 1000000000 + now.tv_nsec - begun.tv_nsec < 5000000);
		return 4;
	}
	case 'd': {
		char buffer[8];
		int n = 0;
		for (int i = 0; i < 20000; i++) {
			strcpy(buffer, "same");
			n += strlen(buffer) == 4;
		}
		return n == 20000 ? 5 : 99;
	}
	case 'e':
		for (int i = 0; i < 3000; i++)
			write(1, "the same\n", 9);
		return 6;
	case 'f': {
		/* The loop's state comes again, but for the file behind the descriptor. */
		int fd[2];
		char one;
		if (pipe(fd))
			return 98;
		for (int i = 0; i < 4; i++)
			write(fd[1], "xxx;" + i, 1);
		while (read(fd[0], &one, 1) == 1 && one != ';')
			;
		signal(SIGUSR1, ring);
		raise(SIGUSR1);
		while (!rung)
			;
		return 7;
	}
	}
	return 0;
}
