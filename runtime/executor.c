/* Executes a program natively, again and again, on inputs that a mutator makes: the loop around it, its heap, and the runtime of
 * AddressSanitizer's instrumentation, for the program's bitcode compiled with that and with a counter for each edge. What it finds is
 * a hint: the engine executes each input again that comes to something new. Nothing here calls the system but to read inputs and to
 * write replies, and the program cannot either.
 *
 * Standard input has the environment, then batches of inputs; standard output gets a reply for each input (crates/explore/src/mutation/
 * native.rs has the other side):
 *   environment  size of what follows; whether standard input is symbolic: 0, 1, or 2 where its length is an input; least length;
 *                longest input of a fuzz target; arguments, each: kind, fewest, most, length, least length, size of its text, text;
 *                variables, each: size, text
 *   batch        size of what follows; inputs, each: number of objects, each: size, bytes
 *   reply        ending, new marks, hash of the counters, place of the crash, edges, work
 * Numbers have 32 bits but for hash and place, which have 64; texts and bytes are padded to a multiple of four. */
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;

/* All memory is below 4 GiB, so that its shadow is small. */
#define INPUTS 0x10000000ul
#define INPUTS_SIZE (64ul << 20)
#define STACK 0x20000000ul
#define STACK_SIZE (8ul << 20)
#define STACK_TOP (STACK + STACK_SIZE - 64)
#define HEAP 0x40000000ul
#define HEAP_SIZE (256ul << 20)
#define OWN 0x60000000ul
#define OWN_SIZE (64ul << 20)
#define SHADOW_START 0x7fff8000ul
#define SHADOW_SIZE (512ul << 20)
#define SHADOW(address) ((u8 *)(((u64)(address) >> 3) + SHADOW_START))
/* Most replies of a batch. */
#define MOST 4096
/* Ticks of ten milliseconds after which an execution is cut. */
#define MOST_TICKS 3
#define FRAMES 6
/* Bits for the values that comparisons see: shared bits lose marks. */
#define VALUES (1u << 20)
#define SITES (1u << 14)
/* Values of one comparison that are marks: what has more of them is a number, not a state. */
#define MOST_VALUES 64
#define MOST_NEWS 256

enum { EXITS, CRASHES, TOO_LONG, EXCLUDED, UNSUPPORTED };
/* Shadow bytes, as AddressSanitizer has them. */
enum { HEAP_REDZONE = 0xfa, HEAP_FREED = 0xfd, GLOBAL_REDZONE = 0xf9 };

struct reply {
	u32 ending, marks;
	u64 hash, place;
	u32 edges, work;
};

struct segment {
	u8 *at, *first;
	u64 size;
};

/* State of the loop: no part of what each execution finds as it was. */
struct own {
	u64 jump[8];
	u64 heap_top;
	u32 runs, ticks, ending;
	u64 place, stack_pointer;
	void *thread_pointer;
	const u8 *object;
	u32 objects;
	const u8 *input;
	u32 input_size, input_at;
	u32 segments;
	struct segment segment[8];
	u8 *counters, *counters_end, *seen;
	int has_globals;
	u32 news;
	u32 news_at[MOST_NEWS];
	const u32 *environment;
	u64 values[VALUES / 64];
	u8 distinct[SITES];
	struct reply replies[MOST];
};
#define own ((struct own *)OWN)

static long system_call(long number, long a, long b, long c, long d, long e, long f)
{
	long result;
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	__asm__ volatile("syscall"
	                 : "=a"(result)
	                 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
	                 : "rcx", "r11", "memory");
	return result;
}
#define CALL(number, a, b, c) system_call(number, (long)(a), (long)(b), (long)(c), 0, 0, 0)
enum { READ = 0, WRITE = 1, MMAP = 9, SIGACTION = 13, SIGRETURN = 15, MADVISE = 28, SETITIMER = 38, SIGALTSTACK = 131,
       PRCTL = 157, EXIT = 231 };

static void fill(void *at, int byte, u64 n)
{
	__asm__ volatile("rep stosb" : "+D"(at), "+c"(n) : "a"(byte) : "memory");
}

static void copy(void *to, const void *from, u64 n)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}

/* Calls a function on another stack. Comes back when it returns, or when leave_to is called. */
void run_on(u64 *jump, void *stack, void (*function)(void));
void leave_to(u64 *jump) __attribute__((noreturn));
__asm__(".globl run_on\n"
        "run_on:\n"
        "	movq %rbx,(%rdi)\n	movq %rbp,8(%rdi)\n	movq %r12,16(%rdi)\n	movq %r13,24(%rdi)\n"
        "	movq %r14,32(%rdi)\n	movq %r15,40(%rdi)\n	movq %rsp,48(%rdi)\n"
        "	movq %rdi,%rbx\n	movq %rsi,%rsp\n	xorl %ebp,%ebp\n	call *%rdx\n	movq %rbx,%rdi\n"
        ".globl leave_to\n"
        "leave_to:\n"
        "	movq (%rdi),%rbx\n	movq 8(%rdi),%rbp\n	movq 16(%rdi),%r12\n	movq 24(%rdi),%r13\n"
        "	movq 32(%rdi),%r14\n	movq 40(%rdi),%r15\n	movq 48(%rdi),%rsp\n	cld\n	ret\n");

static int is_on_stack(u64 address)
{
	return address >= STACK && address < STACK + STACK_SIZE;
}

static void __attribute__((noreturn)) leave(u32 ending, u64 place, u64 stack_pointer)
{
	own->ending = ending;
	own->place = place;
	own->stack_pointer = stack_pointer;
	leave_to(own->jump);
}

/* The innermost functions are the place of a crash: all assertions fail in the same one. */
static void __attribute__((noreturn)) crash(u64 place, u64 *frame)
{
	u64 stack_pointer = (u64)frame;
	for (int i = 0; i < FRAMES && is_on_stack((u64)frame) && !((u64)frame & 7); i++) {
		place = place * 31 + frame[1];
		if (frame[0] <= (u64)frame)
			break;
		frame = (u64 *)frame[0];
	}
	leave(CRASHES, place, stack_pointer);
}
#define CRASH() crash(0, __builtin_frame_address(0))

/* The runtime of AddressSanitizer. */

void __asan_init(void) {}
void __asan_version_mismatch_check_v8(void) {}
void __asan_unregister_elf_globals(void) {}

struct global {
	u64 start, size, size_with_redzone, name, module, has_dynamic_start, place, indicator;
};

static void mark(u64 start, u64 size, u64 room, int redzone)
{
	u8 *shadow = SHADOW(start);
	fill(shadow, 0, size >> 3);
	shadow += size >> 3;
	if (size & 7)
		*shadow++ = size & 7;
	fill(shadow, redzone, SHADOW(start + room) - shadow);
}

void __asan_register_elf_globals(u64 flag, struct global *first, struct global *end)
{
	for (struct global *g = first; g < end && !own->has_globals; g++)
		if (g->start)
			mark(g->start, g->size, g->size_with_redzone, GLOBAL_REDZONE);
}

void __asan_handle_no_return(void)
{
	u64 here = (u64)__builtin_frame_address(0);
	if (is_on_stack(here))
		fill(SHADOW(here), 0, (STACK + STACK_SIZE - here) >> 3);
}

#define REPORTS(access) \
	void __asan_report_##access(u64 address) \
	{ \
		CRASH(); \
	}
REPORTS(load1)
REPORTS(load2)
REPORTS(load4)
REPORTS(load8)
REPORTS(load16)
REPORTS(store1)
REPORTS(store2)
REPORTS(store4)
REPORTS(store8)
REPORTS(store16)
void __asan_report_load_n(u64 address, u64 n)
{
	CRASH();
}
void __asan_report_store_n(u64 address, u64 n)
{
	CRASH();
}

#define SETS(byte) \
	void __asan_set_shadow_##byte(u8 *at, u64 n) \
	{ \
		fill(at, 0x##byte, n); \
	}
SETS(00)
SETS(01)
SETS(02)
SETS(03)
SETS(04)
SETS(05)
SETS(06)
SETS(07)
SETS(f1)
SETS(f2)
SETS(f3)
SETS(f5)
SETS(f8)

void __asan_poison_stack_memory(u64 start, u64 size)
{
	fill(SHADOW(start), 0xf8, (size + 7) >> 3);
}

void __asan_unpoison_stack_memory(u64 start, u64 size)
{
	mark(start, size, size, 0);
}

void __asan_alloca_poison(u64 start, u64 size)
{
	u64 end = (start + size + 31) & ~31ul;
	fill(SHADOW(start - 32), 0xca, 4);
	mark(start, size, end - start, 0xcb);
	fill(SHADOW(end), 0xcb, 4);
}

void __asan_allocas_unpoison(u64 top, u64 bottom)
{
	if (top && top <= bottom)
		fill(SHADOW(top), 0, (bottom - top) >> 3);
}

static int is_bad(u64 start, u64 n)
{
	if (!n)
		return 0;
	u64 last = start + n - 1;
	if (start < 1ul << 16 || last < start || last >> 32)
		return 1;
	for (u8 *shadow = SHADOW(start); shadow < SHADOW(last); shadow++)
		if (*shadow)
			return 1;
	signed char of_last = *SHADOW(last);
	return of_last && (signed char)(last & 7) >= of_last;
}

#define CHECK(start, n) \
	do { \
		if (is_bad((u64)(start), n)) \
			CRASH(); \
	} while (0)

void *memmove(void *to, const void *from, size_t n)
{
	CHECK(to, n);
	CHECK(from, n);
	if ((u64)to - (u64)from >= n)
		copy(to, from, n);
	else
		for (u64 i = n; i--;)
			((u8 *)to)[i] = ((const u8 *)from)[i];
	return to;
}

void *memcpy(void *to, const void *from, size_t n)
{
	CHECK(to, n);
	CHECK(from, n);
	if (to != from && ((u64)to - (u64)from < n || (u64)from - (u64)to < n))
		CRASH();
	copy(to, from, n);
	return to;
}

void *memset(void *to, int byte, size_t n)
{
	CHECK(to, n);
	fill(to, byte, n);
	return to;
}

void *__asan_memcpy(void *to, const void *from, size_t n) __attribute__((alias("memcpy")));
void *__asan_memmove(void *to, const void *from, size_t n) __attribute__((alias("memmove")));
void *__asan_memset(void *to, int byte, size_t n) __attribute__((alias("memset")));

/* The heap: an execution uses no memory twice. The size of an object stands in front of it. */

enum { LIVE = 0x6c697665, DEAD = 0x64656164 };
struct head {
	u64 state, size;
};

static void *allocated(u64 size, u64 align)
{
	if (size > HEAP_SIZE / 4 || align > 1ul << 20)
		return 0;
	u64 start = (own->heap_top + sizeof(struct head) + align - 1) & ~(align - 1);
	u64 room = ((size + 15) & ~15ul) + 16;
	if (start + room > HEAP + HEAP_SIZE)
		leave(TOO_LONG, 0, STACK);
	struct head *head = (struct head *)start - 1;
	*head = (struct head){ LIVE, size };
	fill(SHADOW(own->heap_top), HEAP_REDZONE, (start - own->heap_top) >> 3);
	mark(start, size, room, HEAP_REDZONE);
	own->heap_top = start + room;
	return (void *)start;
}

/* The head of an object that may be freed, or nothing. */
static struct head *head_of(void *at)
{
	u64 start = (u64)at;
	struct head *head = (struct head *)start - 1;
	return start > HEAP && start < own->heap_top && !(start & 15) && head->state == LIVE ? head : 0;
}

void *malloc(size_t size)
{
	return allocated(size, 16);
}

void *calloc(size_t count, size_t size)
{
	size_t all;
	return __builtin_mul_overflow(count, size, &all) ? 0 : allocated(all, 16);
}

void free(void *at)
{
	if (!at)
		return;
	struct head *head = head_of(at);
	if (!head)
		CRASH();
	head->state = DEAD;
	fill(SHADOW(at), HEAP_FREED, (head->size + 7) >> 3);
}

void *realloc(void *at, size_t size)
{
	if (!at)
		return malloc(size);
	struct head *head = head_of(at);
	if (!head)
		CRASH();
	void *moved = malloc(size);
	if (moved) {
		copy(moved, at, head->size < size ? head->size : size);
		free(at);
	}
	return moved;
}

void *memalign(size_t align, size_t size)
{
	return allocated(size, align < 16 ? 16 : align);
}

void *aligned_alloc(size_t align, size_t size)
{
	return memalign(align, size);
}

int posix_memalign(void **where, size_t align, size_t size)
{
	*where = memalign(align, size);
	return *where ? 0 : 12;
}

size_t malloc_usable_size(void *at)
{
	struct head *head = at ? head_of(at) : 0;
	return head ? head->size : 0;
}

void *cleave_allocate(size_t size)
{
	return allocated(size, 16);
}

/* Inputs. */

static const u8 *next_object(u32 *size)
{
	*size = 0;
	if (!own->objects)
		return 0;
	own->objects--;
	*size = *(const u32 *)own->object;
	const u8 *bytes = own->object + 4;
	own->object = bytes + ((*size + 3) & ~3u);
	return bytes;
}

void klee_make_symbolic(void *at, size_t n, const char *name)
{
	u32 size;
	const u8 *bytes = next_object(&size);
	CHECK(at, n);
	fill(at, 0, n);
	if (bytes)
		copy(at, bytes, size < n ? size : n);
}

void *cleave_sized_input(size_t size, size_t most, const char *name)
{
	void *at = allocated(size, 16);
	u32 there;
	const u8 *bytes = next_object(&there);
	if (at && bytes)
		copy(at, bytes, there < size ? there : size);
	return at;
}

void klee_assume(u64 holds)
{
	if (!holds)
		leave(EXCLUDED, 0, (u64)__builtin_frame_address(0));
}

void klee_prefer_cex(void *at, u64 holds) {}

void klee_silent_exit(int status)
{
	leave(EXCLUDED, 0, (u64)__builtin_frame_address(0));
}

void cleave_make_files(void)
{
	const u32 *environment = own->environment;
	if (!environment[0])
		return;
	own->input = next_object(&own->input_size);
	if (environment[0] == 2) {
		u32 size, length = 0;
		const u8 *bytes = next_object(&size);
		if (bytes && size == 4)
			length = *(const u32 *)bytes;
		if (length < environment[1])
			length = environment[1];
		if (length < own->input_size)
			own->input_size = length;
	}
}

/* Argument `index`, or what stands behind the last one. */
static const u32 *argument(long index)
{
	const u32 *at = own->environment + 4;
	for (u32 i = 0; i < own->environment[3] && i != index; i++)
		at += 6 + (at[5] + 3) / 4;
	return at;
}

/* Variable `index`, or what stands behind the last one. */
static const u32 *variable(long index)
{
	const u32 *at = argument(-1), count = *at++;
	for (u32 i = 0; i < count && i != index; i++)
		at += 1 + (at[0] + 3) / 4;
	return at;
}

/* As runtime/start.c and runtime/fuzz.c ask. */
long cleave_env_get(long key, long index)
{
	switch (key) {
	case 0:
		return own->environment[3];
	case 1:
	case 2:
	case 3:
	case 4:
		return argument(index)[key - 1];
	case 5:
		return argument(index)[5];
	case 6:
		return *argument(-1);
	case 7:
		return *variable(index);
	case 8:
		return own->environment[2];
	case 9:
		return argument(index)[4];
	}
	return 0;
}

void cleave_env_copy(long index, u8 *to)
{
	const u32 *at = argument(index);
	copy(to, at + 6, at[5]);
	to[at[5]] = 0;
}

void cleave_env_copy_var(long index, u8 *to)
{
	const u32 *at = variable(index);
	copy(to, at + 1, *at);
	to[*at] = 0;
}

/* The calls of a program that reads standard input and writes to the other streams. */

struct piece {
	u8 *at;
	u64 size;
};

static long reads(const struct piece *pieces, u32 count)
{
	long done = 0;
	for (u32 i = 0; i < count; i++) {
		u64 left = own->input_size - own->input_at;
		u64 n = left < pieces[i].size ? left : pieces[i].size;
		CHECK(pieces[i].at, n);
		copy(pieces[i].at, own->input + own->input_at, n);
		own->input_at += n;
		done += n;
	}
	return done;
}

static long writes(const struct piece *pieces, u32 count)
{
	long done = 0;
	for (u32 i = 0; i < count; i++) {
		CHECK(pieces[i].at, pieces[i].size);
		done += pieces[i].size;
	}
	return done;
}

long cleave_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	struct piece one = { (u8 *)b, (u64)c };
	int is_stream = a == 1 || a == 2;
	switch (number) {
	case 0: /* read */
		return a == 0 ? reads(&one, 1) : -9;
	case 19: /* readv */
		return a == 0 ? reads((const struct piece *)b, (u32)c) : -9;
	case 1: /* write */
		return is_stream ? writes(&one, 1) : -9;
	case 20: /* writev */
		return is_stream ? writes((const struct piece *)b, (u32)c) : -9;
	case 3: /* close */
	case 13: /* rt_sigaction */
	case 14: /* rt_sigprocmask */
		return 0;
	case 8: /* lseek, in a pipe */
		return -29;
	case 16: /* ioctl, of no terminal */
		return -25;
	case 39: /* getpid */
	case 186: /* gettid */
	case 218: /* set_tid_address */
		return 1;
	case 60:
	case 231: /* exit, exit_group */
		leave(EXITS, 0, (u64)__builtin_frame_address(0));
	case 62:
	case 200:
	case 234: /* kill, tkill, tgkill: abort and raise */
		CRASH();
	}
	leave(UNSUPPORTED, number, (u64)__builtin_frame_address(0));
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

/* Comparisons: a value that comes to one for the first time is a mark, such as the state of a state machine. */

static void compared(u64 place, u64 value)
{
	u64 key = (place << 32 ^ value) * 0x9e3779b97f4a7c15ul >> 44;
	if (own->values[key / 64] >> key % 64 & 1)
		return;
	u32 site = (place * 0x9e3779b97f4a7c15ul) >> 50;
	if (own->distinct[site] >= MOST_VALUES || own->news == MOST_NEWS)
		return;
	own->distinct[site]++;
	own->values[key / 64] |= 1ul << key % 64;
	own->news_at[own->news++] = key;
}

#define PLACE ((u64)__builtin_return_address(0))
#define COMPARES(size, type) \
	void __sanitizer_cov_trace_const_cmp##size(type a, type b) \
	{ \
		compared(PLACE, b); \
	} \
	void __sanitizer_cov_trace_cmp##size(type a, type b) \
	{ \
		compared(PLACE, __builtin_popcountll((u64)(a ^ b))); \
	}
COMPARES(1, u8)
COMPARES(2, uint16_t)
COMPARES(4, u32)
COMPARES(8, u64)

void __sanitizer_cov_trace_switch(u64 value, u64 *cases)
{
	compared(PLACE, value);
}

/* The loop. */

extern u8 __start___sancov_cntrs[] __attribute__((weak)), __stop___sancov_cntrs[] __attribute__((weak));
void __sanitizer_cov_8bit_counters_init(u8 *first, u8 *end) {}

struct {
	u8 ident[16];
	uint16_t type, machine;
	u32 version;
	u64 entry, headers, sections;
	u32 flags;
	uint16_t size, header_size, header_count;
} extern __ehdr_start;
struct header {
	u32 type, flags;
	u64 offset, address, physical, file_size, size, align;
};

struct action {
	void (*handler)(int, void *, void *);
	u64 flags;
	void (*restorer)(void);
	u64 mask;
};
void restorer(void);
__asm__("restorer:\n	movl $15,%eax\n	syscall\n");

enum { ALARM = 14 };

static void on_signal(int signal, void *info, void *context)
{
	/* Behind the flags, the link and the stack: r8 to r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip. */
	u64 *registers = (u64 *)((u8 *)context + 40);
	u64 frame = registers[10], stack_pointer = registers[15], place = registers[16];
	if (!own->runs) {
		if (signal == ALARM)
			return;
		CALL(EXIT, 98, 0, 0);
	}
	if (signal == ALARM) {
		if (++own->ticks < MOST_TICKS)
			return;
		leave(TOO_LONG, 0, STACK);
	}
	/* A function that is nowhere: the place is its caller's. */
	if (place < 1ul << 16 && is_on_stack(stack_pointer))
		place = *(u64 *)stack_pointer;
	crash(place, (u64 *)frame);
}

void cleave_start(void);

static void execute(struct reply *reply)
{
	u32 mode = 0x1f80;
	__asm__ volatile("ldmxcsr %0\n	fninit" : : "m"(mode));
	own->ticks = 0;
	own->ending = EXITS;
	own->place = 0;
	own->stack_pointer = 0;
	own->runs = 1;
	run_on(own->jump, (void *)STACK_TOP, cleave_start);
	own->runs = 0;
	*reply = (struct reply){ .ending = own->ending, .place = own->place, .hash = 0xcbf29ce484222325ul };
	int counts = own->ending == EXITS || own->ending == CRASHES;
	u8 *counters = own->counters;
	for (u64 i = 0, n = own->counters_end - counters; i < n; i += 8) {
		if (i + 8 <= n && !*(u64 *)(counters + i))
			continue;
		for (u64 k = i; k < i + 8 && k < n; k++) {
			if (!counters[k])
				continue;
			u32 level = 31 - __builtin_clz(counters[k]);
			reply->edges++;
			reply->work += counters[k];
			reply->hash = (reply->hash ^ (k << 3 | level)) * 0x100000001b3ul;
			if (counts && !(own->seen[k] & 1u << level)) {
				own->seen[k] |= 1u << level;
				reply->marks++;
			}
		}
	}
	if (counts)
		reply->marks += own->news;
	else
		for (u32 i = 0; i < own->news; i++)
			own->values[own->news_at[i] / 64] &= ~(1ul << own->news_at[i] % 64);
	own->news = 0;
	/* Everything as it was. */
	for (u32 i = 0; i < own->segments; i++)
		copy(own->segment[i].at, own->segment[i].first, own->segment[i].size);
	u64 used = own->heap_top - HEAP;
	if (used <= 1ul << 20)
		fill((void *)HEAP, 0, used);
	else
		CALL(MADVISE, HEAP, (used + 4095) & ~4095ul, 4);
	own->heap_top = HEAP;
	if (own->stack_pointer) {
		u64 deepest = is_on_stack(own->stack_pointer) ? own->stack_pointer : STACK;
		fill(SHADOW(deepest), 0, (STACK + STACK_SIZE - deepest) >> 3);
	}
	own->input = 0;
	own->input_size = own->input_at = 0;
}

static void map(u64 at, u64 size)
{
	/* Private, anonymous, fixed, without a reserve. */
	if (system_call(MMAP, at, size, 3, 0x4032, -1, 0) != (long)at)
		CALL(EXIT, 97, 0, 0);
}

/* Only what the loop needs from now on: a program with a wild pointer can do nothing else. */
static void confine(void)
{
	static const struct {
		uint16_t code;
		u8 yes, no;
		u32 k;
	} filter[] = {
		{ 0x20, 0, 0, 0 }, /* the number */
		{ 0x15, 5, 0, READ },
		{ 0x15, 4, 0, WRITE },
		{ 0x15, 3, 0, SIGRETURN },
		{ 0x15, 2, 0, MADVISE },
		{ 0x15, 1, 0, EXIT },
		{ 0x06, 0, 0, 0x80000000 }, /* ends the process */
		{ 0x06, 0, 0, 0x7fff0000 }, /* goes on */
	};
	static const struct {
		uint16_t length;
		const void *filter;
	} program = { sizeof filter / sizeof *filter, filter };
	if (system_call(PRCTL, 38, 1, 0, 0, 0, 0) || system_call(PRCTL, 22, 2, (long)&program, 0, 0, 0))
		CALL(EXIT, 96, 0, 0);
}

/* Ends the process at the end of the stream. */
static void read_all(void *at, u64 n)
{
	while (n) {
		long got = CALL(READ, 0, at, n);
		if (got == -4)
			continue;
		if (got <= 0)
			CALL(EXIT, 0, 0, 0);
		at = (u8 *)at + got;
		n -= got;
	}
}

static void write_all(const void *at, u64 n)
{
	while (n) {
		long put = CALL(WRITE, 1, at, n);
		if (put == -4)
			continue;
		if (put <= 0)
			CALL(EXIT, 0, 0, 0);
		at = (const u8 *)at + put;
		n -= put;
	}
}

static void remember(u8 *room)
{
	own->counters = __start___sancov_cntrs;
	own->counters_end = __stop___sancov_cntrs;
	own->seen = room;
	room += (own->counters_end - own->counters + 63) & ~63ul;
	struct header *headers = (struct header *)((u8 *)&__ehdr_start + __ehdr_start.headers);
	for (u32 i = 0; i < __ehdr_start.header_count; i++) {
		struct header *h = &headers[i];
		/* Loaded, and writable. */
		if (h->type != 1 || !(h->flags & 2))
			continue;
		if (own->segments == 8 || (u64)room + h->size > OWN + OWN_SIZE)
			CALL(EXIT, 95, 0, 0);
		own->segment[own->segments++] = (struct segment){ (u8 *)h->address, room, h->size };
		copy(room, (u8 *)h->address, h->size);
		room += (h->size + 63) & ~63ul;
	}
}

void executor(void)
{
	static u8 alternate[1 << 14];
	struct {
		void *at;
		int flags;
		u64 size;
	} stack = { alternate, 0, sizeof alternate };
	static const int signals[] = { 4, 5, 6, 7, 8, 11, ALARM };
	u64 every[4] = { 0, 10000, 0, 10000 };
	map(SHADOW_START, SHADOW_SIZE);
	map(STACK, STACK_SIZE);
	map(HEAP, HEAP_SIZE);
	map(INPUTS, INPUTS_SIZE);
	map(OWN, OWN_SIZE);
	own->heap_top = HEAP;
	CALL(SIGALTSTACK, &stack, 0, 0);
	for (u32 i = 0; i < sizeof signals / sizeof *signals; i++) {
		/* With information, on the other stack, not blocked while it runs. */
		struct action action = { on_signal, 4 | 0x08000000 | 0x40000000 | 0x04000000, restorer, 0 };
		system_call(SIGACTION, signals[i], (long)&action, 0, 8, 0, 0);
	}
	CALL(SETITIMER, 0, every, 0);
	remember((u8 *)(OWN + ((sizeof *own + 63) & ~63ul)));
	confine();
	u32 size;
	read_all(&size, sizeof size);
	if (size > INPUTS_SIZE / 2)
		CALL(EXIT, 94, 0, 0);
	own->environment = (const u32 *)INPUTS;
	read_all((void *)INPUTS, size);
	u8 *inputs = (u8 *)INPUTS + ((size + 63) & ~63ul);
	/* The first marks the globals. */
	execute(own->replies);
	own->has_globals = 1;
	fill(own->seen, 0, own->counters_end - own->counters);
	for (;;) {
		read_all(&size, sizeof size);
		if (size > INPUTS_SIZE / 2)
			CALL(EXIT, 94, 0, 0);
		read_all(inputs, size);
		u32 count = 0;
		for (u8 *at = inputs; at < inputs + size && count < MOST;) {
			u32 objects = *(u32 *)at;
			at += 4;
			own->object = at;
			for (u32 i = 0; i < objects; i++)
				at += 4 + ((*(u32 *)at + 3) & ~3u);
			own->objects = objects;
			execute(&own->replies[count++]);
		}
		write_all(own->replies, count * sizeof *own->replies);
	}
}

__asm__(".globl _start\n"
        "_start:\n"
        "	xorl %ebp,%ebp\n	andq $-16,%rsp\n	call executor\n");
