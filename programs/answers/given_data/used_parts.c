// What a call uses of a structure has to be set.
// cleave: args --sym-stdin 1
// cleave: expect paths=1 failed=5 unsupported=0
// cleave: code 3
// cleave: replay uncertain
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
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
		struct epoll_event event;
		event.data.fd = ends[0];
		epoll_ctl(epoll_create1(0), EPOLL_CTL_ADD, ends[0], &event); //~ ERROR uninitialised
	} else if (kind == 't') {
		struct sigevent event;
		timer_t timer;
		event.sigev_notify = SIGEV_SIGNAL;
		event.sigev_value.sival_int = 5;
		timer_create(CLOCK_REALTIME, &event, &timer); //~ ERROR uninitialised
	} else if (kind == 'i') {
		struct sockaddr_in at;
		at.sin_family = AF_INET;
		at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		bind(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&at, sizeof at); //~ ERROR uninitialised
	} else if (kind == 'u') {
		struct sockaddr_un at;
		at.sun_family = AF_UNIX;
		bind(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&at, sizeof at); //~ ERROR uninitialised
	} else if (kind == 'p') {
		struct sockaddr_un at;
		at.sun_family = AF_UNIX;
		memcpy(at.sun_path, "/none", 5);
		bind(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&at, sizeof at); //~ ERROR uninitialised
	}
	return 0;
}
