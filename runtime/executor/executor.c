/* Executes a program natively, again and again, on inputs that a mutator makes: the loop around it, its heap, and the runtime of
 * AddressSanitizer's instrumentation, for the program's bitcode compiled with that and with a counter for each edge. What it finds is
 * a hint: the engine executes each input again that comes to something new. Nothing here calls the system but to read inputs and to
 * write replies, and the program cannot either.
 *
 * Standard input has the environment, then batches of inputs; standard output gets a reply for each input (crates/explore/src/mutation/
 * native.rs has the other side):
 *   environment  size of what follows; standard input: 0 empty, 1 symbolic, 2 symbolic and its length an input, 3 known; its least
 *                length; longest input of a fuzz target; number of symbolic files; 1 if their lengths are inputs; their least length;
 *                arguments, each: kind, fewest, most, length, least length, size of its text, text; variables, each: size, text;
 *                known standard input: size, text
 *   batch        size of what follows; inputs, each: number of objects, each: size, bytes
 *   reply        ending, new marks, hash of the counters, place of the crash, edges, work
 * Numbers have 32 bits but for hash and place, which have 64; texts and bytes are padded to a multiple of four. */
#include "calls.h"

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
	own->files = 0;
	own->time = 0;
	fill(own->file, 0, sizeof own->file);
	open_streams();
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

__attribute__((used)) static void executor(void)
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
	open_streams();
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
