/* long __syscall_cp_asm(volatile int *cancelled, long long number, long long a, ..., long long f) natively: a call at which a thread may be
 * cancelled. Between the two marks a cancellation takes effect; a handler's registers are zero for 32 bits, so it does
 * at the next such call. */
	.text
	.globl __syscall_cp_asm, __cp_begin, __cp_end, __cp_cancel
	.hidden __syscall_cp_asm, __cp_begin, __cp_end, __cp_cancel
	.hidden __cancel
	.type __syscall_cp_asm, @function
__syscall_cp_asm:
__cp_begin:
	movl 4(%esp), %ecx
	cmpl $0, (%ecx)
	jne __cp_cancel
	/* The arguments behind the first, on an aligned stack. */
	subl $4, %esp
	.rept 14
	pushl 64(%esp)
	.endr
	calll cleave_compat
	addl $60, %esp
__cp_end:
	ret
__cp_cancel:
	jmp __cancel
	.size __syscall_cp_asm, .-__syscall_cp_asm
