/* Numbers that are printed before they are text (numbers.h). */
#include "numbers.h"
#include <string.h>

/* What happens to a stream: crates/linux/src/printing.rs has the same numbers. */
enum { OPENS, WRITES, NUMBER, FLUSHES, NEXT, TEXT, SETTLES, WAITING };
/* In what OPENS is told and SETTLES tells. */
#define LINES (1UL << 32)
#define FIRST (1UL << 33)
#define NO_LINES (1UL << 32)

uint64_t cleave_stream(uint64_t what, const FILE *stream, uint64_t fd, const void *a, uint64_t b, uint64_t c);
int cleave_number_waits(uint64_t mantissa, uint16_t sign_exponent, int width, int precision, int fd);

static size_t write_waiting(FILE *, const unsigned char *, size_t);
static size_t first_waiting(FILE *, const unsigned char *, size_t);

static int waits(FILE *f)
{
	return f->write == write_waiting || f->write == first_waiting;
}

/* The buffer is the stream's own again, and it has room for all of it. */
static void give_back(FILE *f, size_t held)
{
	f->write = f->write == first_waiting ? __stdout_write : __stdio_write;
	f->wbase = f->buf;
	f->wpos = f->buf + held;
	f->wend = f->buf + f->buf_size;
}

/* Of standard output that is no terminal, lines do not count any more once something was written: see __stdout_write. */
static void has_written(FILE *f)
{
	if (f->write != first_waiting)
		return;
	f->write = write_waiting;
	if (!(f->flags & F_SVB))
		f->lbf = -1;
}

static size_t write_waiting(FILE *f, const unsigned char *s, size_t l)
{
	if (!l) {
		has_written(f);
		cleave_stream(FLUSHES, f, f->fd, 0, 0, 0);
		give_back(f, 0);
		return 0;
	}
	size_t lines = 0;
	if (f->lbf >= 0)
		for (lines = l; lines && s[lines - 1] != '\n'; lines--);
	cleave_stream(WRITES, f, f->fd, s, l, lines);
	if (lines)
		has_written(f);
	return l;
}

static size_t first_waiting(FILE *f, const unsigned char *s, size_t l)
{
	return write_waiting(f, s, l);
}

/* Whether a conversion of the format says how long the text is. */
static int tells_length(const char *s)
{
	for (; *s; s++) {
		if (*s != '%')
			continue;
		do
			s++;
		while (*s && strchr("0123456789$*.-+ #'hlLjztq", *s));
		if (*s == 'n')
			return 1;
		if (!*s)
			return 0;
	}
	return 0;
}

/* Every write is told from now on: there is no room in the buffer, and something in it. */
static int begins_to_wait(FILE *f)
{
	int first = f->write == __stdout_write;
	uint64_t kind = f->buf_size | (f->lbf >= 0 ? LINES : 0) | (first && !(f->flags & F_SVB) ? FIRST : 0);
	if (!cleave_stream(OPENS, f, f->fd, f->wbase, f->wpos - f->wbase, kind))
		return 0;
	f->write = first ? first_waiting : write_waiting;
	f->wbase = f->buf;
	f->wpos = f->wend = f->buf + 1;
	return 1;
}

int __number_waits(FILE *f, long double y, int width, int precision, unsigned flags, int letter, const char *rest)
{
	union { long double number; struct { uint64_t mantissa; uint16_t sign_exponent; } bits; } u = { y };
	int usual = waits(f) || f->write == __stdio_write || f->write == __stdout_write;
	if (!usual || f->flags & (F_ERR | F_OWN_BUFFER))
		return 0;
	if (!cleave_number_waits(u.bits.mantissa, u.bits.sign_exponent, width, precision, f->fd) || tells_length(rest))
		return 0;
	if (!waits(f) && !begins_to_wait(f))
		return 0;
	struct number n = { u.bits.mantissa, u.bits.sign_exponent, width, precision, flags, letter };
	cleave_stream(NUMBER, f, f->fd, &n, 0, 0);
	return 1;
}

/* A stream to which the text of a number is written. */
struct text {
	FILE file;
	FILE *stream;
	uint64_t number;
};

static size_t write_text(FILE *f, const unsigned char *s, size_t l)
{
	struct text *text = (void *)f;
	cleave_stream(TEXT, text->stream, f->fd, s, l, text->number);
	return l;
}

static void settle(FILE *f)
{
	struct number n;
	uint64_t place;
	while ((place = cleave_stream(NEXT, f, f->fd, &n, 0, 0))) {
		union { struct { uint64_t mantissa; uint16_t sign_exponent; } bits; long double number; } u = { { n.mantissa, n.sign_exponent } };
		struct text text = { .file = { .fd = f->fd, .lbf = EOF, .write = write_text, .lock = -1 }, .stream = f, .number = place - 1 };
		text.file.buf = text.file.wbase = text.file.wpos = text.file.wend = (void *)&n;
		__number_text(&text.file, u.number, n.width, n.precision, n.flags, n.letter);
	}
	uint64_t held = cleave_stream(SETTLES, f, f->fd, f->buf, 0, 0);
	if (held & NO_LINES)
		has_written(f);
	give_back(f, held & ~NO_LINES);
}

void __settle_stream(FILE *f)
{
	FLOCK(f);
	if (waits(f))
		settle(f);
	FUNLOCK(f);
}

void __settle_descriptor(int fd)
{
	FILE *f;
	while ((f = (FILE *)cleave_stream(WAITING, 0, fd, 0, 0, 0)))
		settle(f);
}
