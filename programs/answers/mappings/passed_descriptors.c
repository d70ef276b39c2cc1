// Descriptors go through sockets of AF_UNIX: the receiver has the same open file, with its position; a pipe whose last descriptor
// waits in a socket stays open.
// cleave: expect paths=1 failed=0 unsupported=0
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

union control {
	struct cmsghdr head;
	char room[CMSG_SPACE(2 * sizeof(int))];
};

static int give(int socket, const int *fds, int count)
{
	union control control = { 0 };
	char byte = 'f';
	struct iovec vector = { &byte, 1 };
	struct msghdr message = { 0 };
	message.msg_iov = &vector;
	message.msg_iovlen = 1;
	message.msg_control = &control;
	message.msg_controllen = CMSG_SPACE(count * sizeof(int));
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);
	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(count * sizeof(int));
	memcpy(CMSG_DATA(head), fds, count * sizeof(int));
	return sendmsg(socket, &message, 0) != 1;
}

static int take(int socket, int *fds, int room, int *flags)
{
	union control control = { 0 };
	char byte;
	struct iovec vector = { &byte, 1 };
	struct msghdr message = { 0 };
	message.msg_iov = &vector;
	message.msg_iovlen = 1;
	message.msg_control = &control;
	message.msg_controllen = CMSG_LEN(room * sizeof(int));
	if (recvmsg(socket, &message, 0) != 1 || byte != 'f')
		return -1;
	*flags = message.msg_flags;
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);
	if (!head || head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS)
		return 0;
	int count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	memcpy(fds, CMSG_DATA(head), count * sizeof(int));
	return count;
}

static int run(void)
{
	int pair[2], pipes[2], got[2], flags, status;
	char text[8] = { 0 };
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || pipe(pipes))
		return 1;
	pid_t child = fork();
	if (child == 0) {
		close(pair[0]);
		close(pipes[1]);
		int file = open("data", O_RDWR | O_CREAT | O_TRUNC, 0600);
		if (write(file, "abcdef", 6) != 6 || lseek(file, 2, SEEK_SET) != 2)
			_exit(1);
		int both[2] = { file, pipes[0] };
		_exit(give(pair[1], both, 2) ? 2 : 0);
	}
	close(pair[1]);
	close(pipes[0]);
	if (waitpid(child, &status, 0) != child || status)
		return 2;
	// Nobody has the pipe's other end but the message.
	if (write(pipes[1], "x", 1) != 1)
		return 3;
	if (take(pair[0], got, 2, &flags) != 2 || flags)
		return 4;
	if (read(got[0], text, 3) != 3 || strcmp(text, "cde"))
		return 5;
	if (read(got[1], text, 1) != 1 || text[0] != 'x')
		return 6;
	// One fits, and the other one is closed.
	int ends[2];
	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) || give(ends[0], got, 2))
		return 7;
	if (take(ends[1], got, 1, &flags) != 1 || !(flags & MSG_CTRUNC))
		return 8;
	int closed = -1;
	return give(ends[0], &closed, 1) == 0 || errno != EBADF;
}

int main(void)
{
	assert(run() == 0);
	return 0;
}
