// Unions and structures of which a program sets what the call uses: values that the kernel only keeps, the zeros of an address, what stands
// behind the end of a path.
// cleave: args --sym-stdin 1
// cleave: expect paths=6 failed=0 unsupported=0
// cleave: code 0
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

int main(void)
{
	char kind = 0;
	int ends[2];
	if (read(0, &kind, 1) != 1 || pipe(ends))
		return 1;
	if (kind == 'e') {
		struct epoll_event event, found[2];
		int set = epoll_create1(0);
		event.events = EPOLLIN;
		event.data.fd = ends[0];
		printf("%d\n", epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event));
		printf("%d\n", (int)write(ends[1], "x", 1));
		printf("%d %d\n", epoll_wait(set, found, 2, 100), found[0].data.fd == ends[0]);
	} else if (kind == 't') {
		struct sigevent event;
		timer_t timer;
		event.sigev_notify = SIGEV_SIGNAL;
		event.sigev_signo = SIGUSR1;
		event.sigev_value.sival_int = 5;
		printf("%d\n", timer_create(CLOCK_REALTIME, &event, &timer));
	} else if (kind == 'q') {
		union sigval value;
		value.sival_int = kind;
		signal(SIGUSR1, SIG_IGN);
		printf("%d\n", sigqueue(getpid(), SIGUSR1, value));
	} else if (kind == 'i') {
		struct sockaddr_in at;
		int server = socket(AF_INET, SOCK_STREAM, 0);
		at.sin_family = AF_INET;
		at.sin_port = htons(8099);
		at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		printf("%d\n", bind(server, (struct sockaddr *)&at, sizeof at));
	} else if (kind == 'u') {
		struct sockaddr_un at;
		int client = socket(AF_UNIX, SOCK_STREAM, 0);
		at.sun_family = AF_UNIX;
		strcpy(at.sun_path, "/none/there");
		printf("%d\n", connect(client, (struct sockaddr *)&at, sizeof at));
	}
	return 0;
}
