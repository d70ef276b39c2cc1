/* The thread pointer, which the engine keeps. */
void *cleave_thread_pointer(void);

static inline uintptr_t __get_tp(void)
{
	return (uintptr_t)cleave_thread_pointer();
}

#define MC_PC gregs[REG_EIP]
