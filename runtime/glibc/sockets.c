/* glibc's checked functions of sockets. */
#include <sys/socket.h>
#include "fortify.h"

ssize_t __recv_chk(int fd, void *to, size_t n, size_t room, int flags)
{
	check(n, room);
	return recv(fd, to, n, flags);
}

ssize_t __recvfrom_chk(int fd, void *to, size_t n, size_t room, int flags, struct sockaddr *from, socklen_t *length)
{
	check(n, room);
	return recvfrom(fd, to, n, flags, from, length);
}
