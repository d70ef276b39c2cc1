/* `cleave compare OLD NEW` of two programs: runs /old and /new with the same arguments and the same standard input, and compares how they
 * end and what they print. Where they differ it says how, natively, and fails an assertion. PROGRAM_NAME is the name that both get. */
#include <assert.h>
#include <fcntl.h>
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LONGEST = 1 << 16 };

struct text {
	unsigned char bytes[LONGEST];
	size_t size;
};

static struct text input;
static struct outcome {
	int status;
	struct text output, errors;
} old, new;

static _Noreturn void fail(const char *what)
{
	perror(what);
	_exit(125);
}

static void read_all(int file, struct text *text)
{
	text->size = 0;
	for (;;) {
		ssize_t n = read(file, text->bytes + text->size, LONGEST - text->size);
		if (n < 0)
			fail("read");
		text->size += n;
		if (n == 0)
			return;
		if (text->size == LONGEST) {
			fprintf(stderr, "compare: more than %d bytes are not compared\n", LONGEST);
			_exit(125);
		}
	}
}

static int opened(const char *name, int flags)
{
	int file = open(name, flags, 0600);
	if (file < 0)
		fail(name);
	return file;
}

static void write_all(const char *name, const struct text *text)
{
	int file = opened(name, O_WRONLY | O_CREAT | O_TRUNC);
	for (size_t done = 0; done < text->size;) {
		ssize_t n = write(file, text->bytes + done, text->size - done);
		if (n < 0)
			fail("write");
		done += n;
	}
	close(file);
}

static void read_file(const char *name, struct text *text)
{
	int file = opened(name, O_RDONLY);
	read_all(file, text);
	close(file);
	unlink(name);
}

#define INPUT "/tmp/compare-input"
#define OUTPUT "/tmp/compare-output"
#define ERRORS "/tmp/compare-errors"

static void run(const char *program, char **argv, struct outcome *outcome)
{
	write_all(INPUT, &input);
	pid_t child = fork();
	if (child < 0)
		fail("fork");
	if (child == 0) {
		int flags = O_WRONLY | O_CREAT | O_TRUNC;
		int files[] = { opened(INPUT, O_RDONLY), opened(OUTPUT, flags), opened(ERRORS, flags) };
		for (int i = 0; i < 3; i++)
			if (dup2(files[i], i) < 0)
				fail("dup2");
		for (int i = 0; i < 3; i++)
			close(files[i]);
		execv(program, argv);
		fail(program);
	}
	if (waitpid(child, &outcome->status, 0) < 0)
		fail("waitpid");
	read_file(OUTPUT, &outcome->output);
	read_file(ERRORS, &outcome->errors);
	unlink(INPUT);
}

/* All bytes are compared in one condition. */
static int same(const struct text *a, const struct text *b)
{
	unsigned char different = 0;
	if (a->size != b->size)
		return 0;
	for (size_t i = 0; i < a->size; i++)
		different |= a->bytes[i] ^ b->bytes[i];
	return !different;
}

static void print_text(const char *name, const struct text *text)
{
	printf(", %s \"", name);
	for (size_t i = 0; i < text->size && i < 200; i++)
		if (text->bytes[i] >= ' ' && text->bytes[i] < 127 && text->bytes[i] != '"' && text->bytes[i] != '\\')
			putchar(text->bytes[i]);
		else
			printf("\\x%02x", text->bytes[i]);
	printf(text->size > 200 ? "\"..." : "\"");
}

static void print(const char *name, const struct outcome *outcome)
{
	if (WIFSIGNALED(outcome->status))
		printf("%s: signal %d", name, WTERMSIG(outcome->status));
	else
		printf("%s: exit %d", name, WEXITSTATUS(outcome->status));
	print_text("output", &outcome->output);
	print_text("errors", &outcome->errors);
	putchar('\n');
}

static void show(void)
{
	if (!klee_is_replay())
		return;
	print("old", &old);
	print("new", &new);
	fflush(stdout);
}

/* Each is a bug of its own line. */
#define CHECK(agree, what) \
	if (!(agree)) { \
		show(); \
		__assert_fail(what, "compare.c", __LINE__, "compare"); \
	}

int main(int argc, char **argv)
{
	(void)argc;
	/* Programs print their name, and some do as it says. */
	argv[0] = PROGRAM_NAME;
	mkdir("/tmp", 0777);
	read_all(0, &input);
	run("/old", argv, &old);
	run("/new", argv, &new);
#ifndef IGNORE_STATUS
	CHECK(old.status == new.status, "old and new end alike")
#endif
#ifndef IGNORE_STDOUT
	CHECK(same(&old.output, &new.output), "old and new print the same")
#endif
#ifndef IGNORE_STDERR
	CHECK(same(&old.errors, &new.errors), "old and new print the same to standard error")
#endif
	return 0;
}
