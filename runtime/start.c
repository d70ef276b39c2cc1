/* The entry of a program that Cleave explores: asks the engine for the environment, builds what Linux would
 * have put on the stack, and goes on as musl does. */
#include <elf.h>
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

long cleave_env_get(long key, long index);
void cleave_env_copy(long index, char *destination);
void cleave_env_copy_var(long index, char *destination);
void cleave_make_files(void);
void *cleave_allocate(size_t size); /* memory of zeros that is not from malloc */
void cleave_text_ends(char *text, size_t from); /* its object ends behind the first NUL from there on */
void cleave_run_constructors(void);
void cleave_run_destructors(void);

/* What cleave_env_get is asked for. */
enum {
	ARGUMENTS = 0,      /* how many specifications there are */
	KIND = 1,           /* of specification i: one of those below */
	LEAST = 2,          /* of a range: the fewest arguments it gives */
	MOST = 3,           /* and the most */
	LENGTH = 4,         /* characters of a symbolic argument */
	CONCRETE_SIZE = 5,  /* characters of a concrete one */
	VARIABLES = 6,      /* how many environment variables there are */
	VARIABLE_SIZE = 7,  /* characters of variable i */
	/* 8: see fuzz.c */
	LEAST_LENGTH = 9,   /* the fewest characters of a symbolic argument */
	VALUE_SIZE = 10,    /* of variable i: bytes of its symbolic value with the NUL; 0 if its text is all known */
};
enum { LONGEST_NAME = 64 };
enum { CONCRETE, SYMBOLIC, RANGE };

int main(int, char **, char **);
int __libc_start_main(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void),
                      void (*)(void));

/* musl calls these in place of walking the tables of a linked executable. */
void __libc_start_init(void)
{
	cleave_run_constructors();
}

void __libc_exit_fini(void)
{
	cleave_run_destructors();
}

/* A name and a number below 100, with at least `digits` digits, as KLEE names its objects. */
static void number(char *name, unsigned n, int digits)
{
	char *end = name + strlen(name);
	if (n >= 10 || digits > 1)
		*end++ = '0' + n / 10 % 10;
	*end++ = '0' + n % 10;
	*end = 0;
}

/* A text of at most so many characters. */
static char *symbolic_text(const char *name, size_t length)
{
	char *text = cleave_allocate(length + 1);
	klee_make_symbolic(text, length + 1, name);
	for (size_t i = 0; i < length; i++)
		klee_prefer_cex(text, (text[i] >= 32) & (text[i] < 127));
	text[length] = 0;
	return text;
}

/* Text of variable i of the environment; a null pointer if its inputs say that it is not set. */
static char *variable(long i)
{
	size_t known = cleave_env_get(VARIABLE_SIZE, i), size = cleave_env_get(VALUE_SIZE, i);
	char *text = cleave_allocate(known + size + 1);
	cleave_env_copy_var(i, text);
	if (size == 0)
		return text;
	/* The known part is NAME=. */
	char name[sizeof "env--set" + LONGEST_NAME] = "env-";
	char *end = (char *)memcpy(name + strlen(name), text, known - 1) + known - 1;
	strcpy(end, "-set");
	unsigned char set;
	klee_make_symbolic(&set, sizeof set, name);
	if (!set)
		return 0;
	*end = 0;
	memcpy(text + known, symbolic_text(name, size - 1), size);
	cleave_text_ends(text, known);
	return text;
}

static char *symbolic_argument(unsigned index, size_t least, size_t length)
{
	char name[16] = "arg";
	number(name, index, 2);
	char *text = symbolic_text(name, length);
	if (least) {
		int long_enough = 1;
		for (size_t i = 0; i < least; i++)
			long_enough &= text[i] != 0;
		klee_assume(long_enough);
	}
	cleave_text_ends(text, least);
	return text;
}

static unsigned chosen_count(unsigned range, unsigned least, unsigned most)
{
	char name[16] = "n_args";
	unsigned n;
	if (range) {
		strcat(name, "_");
		number(name, range, 1);
	}
	klee_make_symbolic(&n, sizeof n, name);
	klee_assume((n >= least) & (n <= most));
	return n;
}

void cleave_start(void)
{
	long specifications = cleave_env_get(ARGUMENTS, 0);
	long variables = cleave_env_get(VARIABLES, 0);
	long room = 0;
	for (long i = 0; i < specifications; i++)
		room += cleave_env_get(KIND, i) == RANGE ? cleave_env_get(MOST, i) : 1;

	enum { AUXILIARY = 20 };
	char **block = cleave_allocate((room + 1 + variables + 1 + AUXILIARY) * sizeof *block);
	int argc = 0;
	unsigned named = 0, ranges = 0;
	for (long i = 0; i < specifications; i++) {
		long kind = cleave_env_get(KIND, i);
		size_t length = cleave_env_get(LENGTH, i), shortest = cleave_env_get(LEAST_LENGTH, i);
		if (kind == CONCRETE) {
			char *text = cleave_allocate(cleave_env_get(CONCRETE_SIZE, i) + 1);
			cleave_env_copy(i, text);
			block[argc++] = text;
		} else if (kind == SYMBOLIC) {
			block[argc++] = symbolic_argument(named++, shortest, length);
		} else {
			unsigned least = cleave_env_get(LEAST, i), most = cleave_env_get(MOST, i);
			unsigned n = chosen_count(ranges++, least, most);
			for (unsigned k = 0; k < most && k < n; k++)
				block[argc++] = symbolic_argument(named++, shortest, length);
		}
	}
	cleave_make_files();

	char **next = block + argc + 1;
	for (long i = 0; i < variables; i++) {
		char *text = variable(i);
		if (text)
			*next++ = text;
	}
	next++;
	size_t *auxiliary = (size_t *)next;
	static const unsigned char random[16] = "cleave-no-chance";
	size_t values[] = { AT_PAGESZ, 4096, AT_RANDOM, (size_t)random, AT_SECURE, 0, AT_NULL, 0 };
	memcpy(auxiliary, values, sizeof values);
	__libc_start_main(main, argc, block, 0, 0, 0);
}
