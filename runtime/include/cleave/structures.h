/* Structures as inputs, within bounds: pointers that the input chooses, lazily, as in generalized symbolic execution
 * (Khurshid, Pasareanu, Visser, TACAS 2003). With a predicate that says which structures are valid, the paths of a
 * program are all valid structures up to a size, each once: bounded exhaustive testing.
 *
 *     struct node { struct node *left, *right; };
 *     CLEAVE_POOL(nodes, struct node, 5)                  // at most 5 of them, and what chooses among them
 *
 *     struct node *root = CLEAVE_CHOOSE(nodes);           // null, an earlier node, or a new one
 *     struct node *left = CLEAVE_LAZY(nodes, &root->left) // the field, chosen when it is read first
 *     cleave_require(is_tree(root));                      // only valid ones go on
 *
 * All is plain C over klee_make_symbolic: a choice is one input byte, named as its pool, compared with 0, 1, ... until
 * it matches; what exceeds the last choice is the last choice too. So every byte is a choice, a zero is null (where
 * a run starts that has no inputs yet), and a test replays natively. The choices of a structure are bytes in the order in
 * which its fields are read first. */
#ifndef CLEAVE_STRUCTURES_H
#define CLEAVE_STRUCTURES_H

#include <klee/klee.h>
#include <stdlib.h>

/* Choices are to be branches at any level of optimisation, not arithmetic. */
#if defined __clang__
#define CLEAVE_BRANCHES __attribute__((noinline, optnone, unused))
#elif defined __GNUC__
#define CLEAVE_BRANCHES __attribute__((noinline, unused))
#else
#define CLEAVE_BRANCHES
#endif

/* One of 0 .. n-1 (n from 1 to 256), each on a path of its own; the input byte has this name. */
static CLEAVE_BRANCHES unsigned cleave_choice(unsigned n, const char *name)
{
	unsigned char byte = 0;
	if (n > 1)
		klee_make_symbolic(&byte, 1, name);
	for (unsigned i = 0; i + 1 < n; i++)
		if (byte == i)
			return i;
	return n - 1;
}

/* Goes on only where the condition holds; elsewhere the path ends and is no result. As the condition is a branch like
 * any other, such an end is a run whose decisions can be negated: exploration that starts from concrete inputs
 * gets from invalid structures to valid ones. (klee_assume is for conditions on values: where it finds one that no
 * input decides and that is false, it reports an error.) */
static CLEAVE_BRANCHES void cleave_require(int condition)
{
	if (!condition)
		klee_silent_exit(0);
}

struct cleave_pool {
	const char *name;        /* of its inputs */
	size_t size;             /* of an object, in bytes */
	unsigned most, count;    /* objects: the bound, and how many there are */
	char **object;           /* in the order in which they were chosen first */
	unsigned char **touched; /* by object: which of its bytes begin a field that was read */
};

/* A new object, all bytes zero. The pool has room. */
static CLEAVE_BRANCHES void *cleave_pool_new(struct cleave_pool *pool)
{
	char *object = (char *)calloc(1, pool->size);
	unsigned char *touched = (unsigned char *)calloc(1, pool->size);
	if (!object || !touched)
		abort();
	pool->object[pool->count] = object;
	pool->touched[pool->count++] = touched;
	return object;
}

static CLEAVE_BRANCHES void *cleave_pool_choose(struct cleave_pool *pool)
{
	unsigned choice = cleave_choice(1 + pool->count + (pool->count < pool->most), pool->name);
	if (choice == 0)
		return NULL;
	return choice <= pool->count ? pool->object[choice - 1] : cleave_pool_new(pool);
}

static CLEAVE_BRANCHES int cleave_pool_first(struct cleave_pool *pool, const void *field)
{
	for (unsigned i = 0; i < pool->count; i++) {
		uintptr_t offset = (uintptr_t)field - (uintptr_t)pool->object[i];
		if (offset >= pool->size)
			continue;
		int first = !pool->touched[i][offset];
		pool->touched[i][offset] = 1;
		return first;
	}
	klee_report_error(__FILE__, __LINE__, "a lazy field that is in no object of its pool", "user.err");
}

/* Defines a pool of at most `most` (up to 254) objects of a type, at file scope, without a semicolon. A new object is the
 * next one always, never one of several new ones: structures that differ only in which object is which come once. The
 * objects are calloc's: they have bounds, and can be freed; but one that was freed can still be chosen as an earlier one,
 * so let all fields be read before a program frees some. */
#define CLEAVE_POOL(pool, type, most)                                                                     \
	enum { pool##_is_within_bounds = 1 / ((most) >= 1 && (most) <= 254) };                            \
	static char *pool##_object[most];                                                                 \
	static unsigned char *pool##_touched[most];                                                       \
	static struct cleave_pool pool##_pool = {#pool, sizeof(type), most, 0, pool##_object, pool##_touched}; \
	static CLEAVE_BRANCHES type *pool##_choose(void)                                                  \
	{                                                                                                 \
		return (type *)cleave_pool_choose(&pool##_pool);                                          \
	}                                                                                                 \
	static CLEAVE_BRANCHES type *pool##_lazy(type **field)                                            \
	{                                                                                                 \
		if (cleave_pool_first(&pool##_pool, field))                                               \
			*field = (type *)cleave_pool_choose(&pool##_pool);                                \
		return *field;                                                                            \
	}

/* A pointer that the input chooses: null, an object that was chosen before, or a new one while there is room. */
#define CLEAVE_CHOOSE(pool) pool##_choose()
/* The pointer in a field of an object of the pool (to objects of the same pool), which the input chooses when the field is
 * read by CLEAVE_LAZY first. A field that was never read so is null. */
#define CLEAVE_LAZY(pool, field) pool##_lazy(field)
/* Whether this is the first use of a field of an object of the pool: for fields of other types, as in
 *     if (CLEAVE_FIRST(nodes, &n->key)) n->key = klee_range(1, 10, "key"); */
#define CLEAVE_FIRST(pool, field) cleave_pool_first(&pool##_pool, field)
/* Objects of the pool that were chosen so far. */
#define CLEAVE_COUNT(pool) pool##_pool.count

#endif
