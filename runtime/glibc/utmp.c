/* Who is logged in: musl's functions find nobody. These read the file that glibc keeps, in its format: records of 384 bytes, with
 * 32 bits for a time. They do not write. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <utmpx.h>

struct record {
	int16_t type, padding;
	int32_t pid;
	char line[32], id[4], user[32], host[256];
	int16_t termination, exit;
	int32_t session, seconds, microseconds;
	int32_t address[4];
	char unused[20];
};
_Static_assert(sizeof(struct record) == 384, "a record of glibc");

static char file[PATH_MAX] = "/var/run/utmp";
static int fd = -1;
static struct utmpx entry;

void endutxent(void)
{
	if (fd >= 0)
		close(fd);
	fd = -1;
}

void setutxent(void)
{
	endutxent();
	fd = open(file, O_RDONLY | O_CLOEXEC);
}

int utmpxname(const char *name)
{
	if (strlen(name) >= sizeof file) {
		errno = ENAMETOOLONG;
		return -1;
	}
	endutxent();
	strcpy(file, name);
	return 0;
}

struct utmpx *getutxent(void)
{
	struct record record;
	if (fd < 0)
		setutxent();
	if (fd < 0 || read(fd, &record, sizeof record) != sizeof record)
		return NULL;
	memset(&entry, 0, sizeof entry);
	entry.ut_type = record.type;
	entry.ut_pid = record.pid;
	memcpy(entry.ut_line, record.line, sizeof record.line);
	memcpy(entry.ut_id, record.id, sizeof record.id);
	memcpy(entry.ut_user, record.user, sizeof record.user);
	memcpy(entry.ut_host, record.host, sizeof record.host);
	entry.ut_exit.e_termination = record.termination;
	entry.ut_exit.e_exit = record.exit;
	entry.ut_session = record.session;
	entry.ut_tv.tv_sec = record.seconds;
	entry.ut_tv.tv_usec = record.microseconds;
	memcpy(entry.ut_addr_v6, record.address, sizeof record.address);
	return &entry;
}

/* Entries of these types are of a process, and are told apart by their ids. */
static int is_of_process(int type)
{
	return type >= INIT_PROCESS && type <= DEAD_PROCESS;
}

struct utmpx *getutxid(const struct utmpx *wanted)
{
	int type = wanted->ut_type;
	struct utmpx *found;
	if (type < RUN_LVL || type > DEAD_PROCESS) {
		errno = EINVAL;
		return NULL;
	}
	while ((found = getutxent())) {
		if (!is_of_process(type) && found->ut_type == type)
			return found;
		if (is_of_process(type) && is_of_process(found->ut_type) && !memcmp(found->ut_id, wanted->ut_id, sizeof found->ut_id))
			return found;
	}
	errno = ESRCH;
	return NULL;
}

struct utmpx *getutxline(const struct utmpx *wanted)
{
	struct utmpx *found;
	while ((found = getutxent())) {
		int is_login = found->ut_type == USER_PROCESS || found->ut_type == LOGIN_PROCESS;
		if (is_login && !strncmp(found->ut_line, wanted->ut_line, sizeof found->ut_line))
			return found;
	}
	errno = ESRCH;
	return NULL;
}

struct utmpx *pututxline(const struct utmpx *new)
{
	(void)new;
	errno = EPERM;
	return NULL;
}

void updwtmpx(const char *log, const struct utmpx *new)
{
	(void)log, (void)new;
}

/* The older names are the same functions: the structures are the same in musl. */
void endutent(void) __attribute__((weak, alias("endutxent")));
void setutent(void) __attribute__((weak, alias("setutxent")));
int utmpname(const char *) __attribute__((weak, alias("utmpxname")));
struct utmpx *getutent(void) __attribute__((weak, alias("getutxent")));
struct utmpx *getutid(const struct utmpx *) __attribute__((weak, alias("getutxid")));
struct utmpx *getutline(const struct utmpx *) __attribute__((weak, alias("getutxline")));
struct utmpx *pututline(const struct utmpx *) __attribute__((weak, alias("pututxline")));
void updwtmp(const char *, const struct utmpx *) __attribute__((weak, alias("updwtmpx")));
