/* The calls of a program that reads its inputs and writes to its streams, as the engine's model of Linux answers them
 * (crates/linux/src/env/world.rs). What changes files is left to the engine. */
#pragma once
#include "inputs.h"

enum { NOT_THERE = -2, NO_DESCRIPTOR = -9, NO_ACCESS = -13, NO_DIRECTORY = -20, INVALID = -22, TOO_MANY = -24, NO_TERMINAL = -25,
       NO_SEEKING = -29 };

struct piece {
	u8 *at;
	u64 size;
};

static void __attribute__((noreturn)) unsupported(long number)
{
	leave(UNSUPPORTED, number, (u64)__builtin_frame_address(0));
}

static void open_streams(void)
{
	fill(own->descriptor, 0, sizeof own->descriptor);
	own->descriptor[0].kind = FILE;
	own->descriptor[1].kind = own->descriptor[2].kind = OUTPUT;
}

static struct descriptor *descriptor(long number)
{
	int is_open = number >= 0 && number < MOST_OPEN && own->descriptor[number].kind;
	return is_open ? &own->descriptor[number] : 0;
}

static long open_descriptor(struct descriptor as, long least)
{
	if (least < 0 || least >= MOST_OPEN)
		return INVALID;
	for (long i = least; i < MOST_OPEN; i++)
		if (!own->descriptor[i].kind) {
			own->descriptor[i] = as;
			return i;
		}
	return TOO_MANY;
}

static long reads(long number, const struct piece *pieces, u32 count, u64 *at)
{
	struct descriptor *from = descriptor(number);
	long done = 0;
	if (!from || from->kind != FILE)
		return NO_DESCRIPTOR;
	const struct file *file = &own->file[from->file];
	if (!at)
		at = &from->at;
	for (u32 i = 0; i < count; i++) {
		u64 left = *at < file->size ? file->size - *at : 0;
		u64 n = left < pieces[i].size ? left : pieces[i].size;
		CHECK(pieces[i].at, n);
		copy(pieces[i].at, file->bytes + *at, n);
		*at += n;
		done += n;
	}
	return done;
}

static long writes(long number, const struct piece *pieces, u32 count)
{
	struct descriptor *to = descriptor(number);
	long done = 0;
	if (!to || to->kind != OUTPUT)
		return to ? -1 : NO_DESCRIPTOR;
	for (u32 i = 0; i < count; i++) {
		CHECK(pieces[i].at, pieces[i].size);
		done += pieces[i].size;
	}
	return done;
}

static long seeks(long number, long offset, long from)
{
	struct descriptor *in = descriptor(number);
	if (!in || in->kind != FILE)
		return in ? NO_SEEKING : NO_DESCRIPTOR;
	long base = from == 0 ? 0 : from == 1 ? (long)in->at : (long)own->file[in->file].size;
	if (from < 0 || from > 2 || base + offset < 0)
		return INVALID;
	return in->at = base + offset;
}

/* The number of a file with this name, 0 for the working directory, or an error. */
static long named(const char *path)
{
	u64 length = 0;
	do
		CHECK(path + length, 1);
	while (path[length++]);
	if (!*path)
		return NOT_THERE;
	while (*path == '/' || (*path == '.' && (path[1] == '/' || !path[1])))
		path++;
	if (!*path)
		return 0;
	u32 file = *path - 'A' + 1;
	if (*path < 'A' || file >= own->files)
		return NOT_THERE;
	return path[1] == '/' ? NO_DIRECTORY : path[1] ? NOT_THERE : file;
}

static long opens(const char *path, long flags)
{
	long file = named(path);
	/* Whatever may write, make or cut a file, and directories. */
	if (flags & (3 | 0100 | 01000) || file == 0)
		unsupported(2);
	return file < 0 ? file : open_descriptor((struct descriptor){ FILE, file, 0 }, 0);
}

enum { PIPE = 0010600, INPUT = 0100777, PLAIN = 0100644, DIRECTORY = 0040755 };

static long states(u8 *to, u32 mode, u64 number, u64 size)
{
	CHECK(to, 144);
	fill(to, 0, 144);
	u64 device = mode == PIPE ? 0x0e : mode == INPUT ? 1 : 0x30;
	u32 user = mode == INPUT ? 65534 : 1000;
	u64 words[] = { device, number, 1 };
	copy(to, words, sizeof words);
	u32 middle[] = { mode, user, user };
	copy(to + 24, middle, sizeof middle);
	u64 rest[] = { size, 4096, (size + 4095) / 4096 * 8, 946684800, 0, 946684800, 0, 946684800, 0 };
	copy(to + 48, rest, sizeof rest);
	return 0;
}

static long states_of(long file, u8 *to)
{
	if (file < 0)
		return file;
	return file ? states(to, PLAIN, file + 1, own->file[file].size) : states(to, DIRECTORY, 1, 0);
}

static long states_open(long number, u8 *to)
{
	struct descriptor *of = descriptor(number);
	if (!of)
		return NO_DESCRIPTOR;
	if (of->kind == OUTPUT)
		return states(to, PIPE, number, 0);
	return of->file ? states_of(of->file, to) : states(to, INPUT, 1, own->file[0].size);
}

static long controls(long number, long what, long least)
{
	struct descriptor *of = descriptor(number);
	if (!of)
		return NO_DESCRIPTOR;
	switch (what) {
	case 0:
	case 1030: /* F_DUPFD, and with close-on-exec */
		return open_descriptor(*of, least);
	case 1: /* F_GETFD and F_SETFD, F_SETFL */
	case 2:
	case 4:
		return 0;
	case 3: /* F_GETFL */
		return of->kind == OUTPUT ? 1 : of->file ? 0 : 2;
	}
	unsupported(72);
}

static long maps(u64 size, long protection, long flags, long number, u64 at)
{
	struct descriptor *of = descriptor(number);
	int anonymous = flags & 0x20;
	/* Fixed places, and files that are shared for writing. */
	if (flags & 0x10 || (!anonymous && flags & 1 && protection & 2))
		unsupported(9);
	if (!anonymous && (!of || of->kind != FILE))
		return of ? NO_ACCESS : NO_DESCRIPTOR;
	u8 *there = allocated((size + 4095) & ~4095ul, 4096);
	if (!there)
		return -12;
	if (!anonymous)
		for (u64 i = 0; i < size && at + i < own->file[of->file].size; i++)
			there[i] = own->file[of->file].bytes[at + i];
	return (long)there;
}

static long tells_time(u64 *to, u64 unit)
{
	own->time += 1000;
	CHECK(to, 16);
	to[0] = 946684800;
	to[1] = own->time / unit;
	return 0;
}

long cleave_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	struct piece one = { (u8 *)b, (u64)c };
	u64 at = (u64)d;
	struct descriptor *of;
	switch (number) {
	case 0: /* read */
		return reads(a, &one, 1, 0);
	case 17: /* pread64 */
		return reads(a, &one, 1, &at);
	case 19: /* readv */
		return reads(a, (const struct piece *)b, (u32)c, 0);
	case 1: /* write */
		return writes(a, &one, 1);
	case 20: /* writev */
		return writes(a, (const struct piece *)b, (u32)c);
	case 2: /* open */
		return opens((const char *)a, b);
	case 257: /* openat */
		if (*(const char *)b != '/' && (int)a != -100)
			unsupported(number);
		return opens((const char *)b, c);
	case 3: /* close */
		of = descriptor(a);
		if (of)
			of->kind = CLOSED;
		return of ? 0 : NO_DESCRIPTOR;
	case 4: /* stat */
	case 6: /* lstat */
		return states_of(named((const char *)a), (u8 *)b);
	case 5: /* fstat */
		return states_open(a, (u8 *)b);
	case 262: /* newfstatat */
		if ((int)a == -100)
			return states_of(named((const char *)b), (u8 *)c);
		if (!*(const char *)b)
			return states_open(a, (u8 *)c);
		unsupported(number);
	case 8: /* lseek */
		return seeks(a, b, c);
	case 9: /* mmap */
		return maps(b, c, d, e, f);
	case 11: /* munmap */
	case 10: /* mprotect */
	case 28: /* madvise */
	case 13: /* rt_sigaction */
	case 14: /* rt_sigprocmask */
	case 131: /* sigaltstack */
	case 202: /* futex */
	case 24: /* sched_yield */
	case 35: /* nanosleep */
	case 230: /* clock_nanosleep */
	case 221: /* fadvise64 */
		return 0;
	case 12: /* brk */
		return -12;
	case 16: /* ioctl, of no terminal */
		return descriptor(a) ? NO_TERMINAL : NO_DESCRIPTOR;
	case 21: /* access */
		b = named((const char *)a);
		return b < 0 ? b : 0;
	case 32: /* dup */
		return controls(a, 0, 0);
	case 72: /* fcntl */
		return controls(a, b, c);
	case 89: /* readlink */
		b = named((const char *)a);
		return b < 0 ? b : INVALID;
	case 79: /* getcwd */
		CHECK(a, 2);
		copy((u8 *)a, "/", 2);
		return 2;
	case 95: /* umask */
		return 022;
	case 96: /* gettimeofday */
		return tells_time((u64 *)a, 1000);
	case 228: /* clock_gettime */
		return tells_time((u64 *)b, 1);
	case 39: /* getpid */
	case 186: /* gettid */
	case 218: /* set_tid_address */
		return 2;
	case 110: /* getppid */
		return 1;
	case 102:
	case 104:
	case 107:
	case 108: /* getuid, getgid, geteuid, getegid */
		return 1000;
	case 60:
	case 231: /* exit, exit_group */
		leave(EXITS, 0, (u64)__builtin_frame_address(0));
	case 62:
	case 200:
	case 234: /* kill, tkill, tgkill: abort and raise */
		CRASH();
	}
	unsupported(number);
}

/* What else the C library asks for (crates/program/src/builtins.rs). */

void *cleave_thread_pointer(void)
{
	return own->thread_pointer;
}

void cleave_set_thread_pointer(void *at)
{
	own->thread_pointer = at;
}

void cleave_point(void *object, void *other, long word) {}
void cleave_ordered(void *object, long how) {}
void cleave_atomic_point(void *at, long size, long does) {}
void cleave_atomic_begins(void *at, long size, long does) {}
void cleave_atomic_ends(void *at, long size, long does) {}
void cleave_stream(void *stream, long what) {}
long cleave_number_waits(void)
{
	return 0;
}

int fegetround(void)
{
	return 0;
}

int __fesetround(int mode)
{
	return 0;
}

int fetestexcept(int which)
{
	return 0;
}

int feclearexcept(int which)
{
	return 0;
}

int feraiseexcept(int which)
{
	return 0;
}

extern void (*__init_array_start[])(void) __attribute__((weak)), (*__init_array_end[])(void) __attribute__((weak));

void cleave_run_constructors(void)
{
	for (void (**function)(void) = __init_array_start; function < __init_array_end; function++)
		(*function)();
}

void cleave_run_destructors(void) {}
