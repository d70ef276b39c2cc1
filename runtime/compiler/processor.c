/* What `__builtin_cpu_supports` and `__builtin_cpu_is` look at: the processor of the model, which has what a compiler takes for
 * granted (crates/engine/src/library/processor.rs). Natively the library of the compiler asks the machine. */
enum { CMOV = 0, MMX = 1, SSE = 3, SSE2 = 4 };
enum { OTHER_VENDOR = 3 };

struct {
	unsigned vendor, type, subtype, features[1];
} __cpu_model;
unsigned __cpu_features2[3];

__attribute__((constructor(101))) int __cpu_indicator_init(void)
{
	__cpu_model.vendor = OTHER_VENDOR;
	__cpu_model.features[0] = 1u << CMOV | 1u << MMX | 1u << SSE | 1u << SSE2;
	/* It is told that the answer is made up. */
	unsigned ignored;
	__asm__ volatile("cpuid" : "=a"(ignored) : "a"(0) : "ebx", "ecx", "edx");
	return 0;
}
