/* Memory of an executor: where everything lies, what the loop keeps, and how an execution ends. Names of functions are static, because
 * the program's own stand beside them. */
#pragma once
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
/* Values of one comparison that are marks: what has more of them is a number, not a state. With 64 a corpus has four times the
 * entries, and a bug behind a state needs twice the executions. */
#define MOST_VALUES 8
#define MOST_NEWS 256
#define MOST_FILES 27
#define MOST_OPEN 64

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

/* Standard input is the first file, A, B, ... are the others. */
struct file {
	const u8 *bytes;
	u64 size;
};

enum { CLOSED, OUTPUT, FILE };
struct descriptor {
	u32 kind, file;
	u64 at;
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
	u32 files;
	struct file file[MOST_FILES];
	struct descriptor descriptor[MOST_OPEN];
	u64 time;
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
__asm__("run_on:\n"
        "	movq %rbx,(%rdi)\n	movq %rbp,8(%rdi)\n	movq %r12,16(%rdi)\n	movq %r13,24(%rdi)\n"
        "	movq %r14,32(%rdi)\n	movq %r15,40(%rdi)\n	movq %rsp,48(%rdi)\n"
        "	movq %rdi,%rbx\n	movq %rsi,%rsp\n	xorl %ebp,%ebp\n	call *%rdx\n	movq %rbx,%rdi\n"
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
