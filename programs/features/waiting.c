// Waiting for descriptors: select, pselect, poll and ppoll, with times of one's own.
// cleave: args --sym-stdin 1
// cleave: expect paths=2
#define _GNU_SOURCE
#include <poll.h>
#include <stdio.h>
#include <sys/select.h>
#include <unistd.h>

int main(void)
{
	fd_set reads, writes;
	struct timeval second = { 1, 5 };
	struct timespec soon = { 0, 7 };
	struct pollfd both[2] = { { 0, POLLIN, 0 }, { 1, POLLOUT, 0 } };
	unsigned char c = 0;

	FD_ZERO(&reads);
	FD_ZERO(&writes);
	FD_SET(0, &reads);
	FD_SET(1, &writes);
	int n = select(2, &reads, &writes, 0, &second);
	printf("select %d %d %d\n", n, FD_ISSET(0, &reads) != 0, FD_ISSET(1, &writes) != 0);
	FD_ZERO(&reads);
	FD_SET(0, &reads);
	n = pselect(1, &reads, 0, 0, &soon, 0);
	printf("pselect %d %d\n", n, FD_ISSET(0, &reads) != 0);
	n = poll(both, 2, 10);
	printf("poll %d %d %d\n", n, both[0].revents & POLLIN, both[1].revents & POLLOUT);
	n = ppoll(both, 2, &soon, 0);
	printf("ppoll %d\n", n);
	if (read(0, &c, 1) == 1 && c > 'm')
		puts("late");
	return 0;
}
