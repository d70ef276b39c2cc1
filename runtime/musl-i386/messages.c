/* Messages of sockets, with the data of the kernel that goes beside them. */
#define _GNU_SOURCE
#include "compat.h"
#include <string.h>
#include <sys/socket.h>

struct wide_message {
	uint64_t name;
	uint32_t name_length, pad;
	uint64_t pieces, count, control, control_length;
	int32_t flags, end;
};

/* In front of each part of the data beside a message, which is aligned as the length is. */
struct wide_part {
	uint64_t length;
	int32_t level, type;
};

/* Most bytes of data beside a message, which take no more than twice as many for 64 bits. */
enum { CONTROL = 512 };

#define ALIGNED(n, to) (((n) + (to) - 1) & -(uint64_t)(to))

/* Everything but the control data. */
static struct wide_message widened(const struct msghdr *from, struct wide_piece *pieces)
{
	widen_pieces(pieces, from->msg_iov, from->msg_iovlen);
	return (struct wide_message){
		.name = AT(from->msg_name), .name_length = from->msg_namelen, .pieces = AT(pieces), .count = from->msg_iovlen};
}

static int fits(const struct msghdr *message)
{
	return message->msg_iovlen >= 0 && message->msg_iovlen <= PIECES && message->msg_controllen <= CONTROL;
}

long compat_send(long long fd, const void *message, long long flags)
{
	const struct msghdr *from = message;
	struct wide_piece pieces[PIECES];
	if (!fits(from))
		return refused(SYS_sendmsg);
	uint64_t control[CONTROL / 4] = {0};
	char *to = (char *)control;
	const char *part = from->msg_control;
	for (uint64_t left = from->msg_controllen; part && left >= sizeof(struct cmsghdr);) {
		struct cmsghdr head;
		memcpy(&head, part, sizeof head);
		if (head.cmsg_len < sizeof head || head.cmsg_len > left)
			break;
		uint64_t data = head.cmsg_len - sizeof head;
		memcpy(to, &(struct wide_part){sizeof(struct wide_part) + data, head.cmsg_level, head.cmsg_type}, sizeof(struct wide_part));
		memcpy(to + sizeof(struct wide_part), part + sizeof head, data);
		to += ALIGNED(sizeof(struct wide_part) + data, 8);
		uint64_t step = ALIGNED(head.cmsg_len, 4);
		part += step;
		left -= step < left ? step : left;
	}
	struct wide_message wide = widened(from, pieces);
	wide.control_length = to - (char *)control;
	wide.control = wide.control_length ? AT(control) : 0;
	return cleave_syscall(SYS_sendmsg, fd, AT(&wide), flags, 0, 0, 0);
}

long compat_receive(long long fd, void *message, long long flags)
{
	struct msghdr *to = message;
	struct wide_piece pieces[PIECES];
	if (!fits(to))
		return refused(SYS_recvmsg);
	uint64_t control[CONTROL / 4];
	struct wide_message wide = widened(to, pieces);
	wide.control = to->msg_control ? AT(control) : 0;
	/* A head has four bytes more there. */
	wide.control_length = to->msg_controllen >= sizeof(struct cmsghdr) ? to->msg_controllen + 4 : 0;
	long result = cleave_syscall(SYS_recvmsg, fd, AT(&wide), flags, 0, 0, 0);
	if (result < 0)
		return result;
	to->msg_namelen = wide.name_length;
	to->msg_flags = wide.flags;
	uint64_t at = 0, room = to->msg_controllen;
	const char *part = (const char *)control;
	for (uint64_t left = wide.control ? wide.control_length : 0; left >= sizeof(struct wide_part);) {
		struct wide_part head;
		memcpy(&head, part, sizeof head);
		uint64_t data = head.length - sizeof head;
		if (head.length < sizeof head || head.length > left || at + sizeof(struct cmsghdr) + data > room) {
			to->msg_flags |= MSG_CTRUNC;
			break;
		}
		char *own = (char *)to->msg_control + at;
		memcpy(own, &(struct cmsghdr){sizeof(struct cmsghdr) + data, head.level, head.type}, sizeof(struct cmsghdr));
		memcpy(own + sizeof(struct cmsghdr), part + sizeof head, data);
		at += ALIGNED(sizeof(struct cmsghdr) + data, 4);
		at = at < room ? at : room;
		uint64_t step = ALIGNED(head.length, 8);
		part += step;
		left -= step < left ? step : left;
	}
	to->msg_controllen = at;
	return result;
}
