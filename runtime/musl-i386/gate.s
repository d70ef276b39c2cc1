/* long cleave_syscall(long long number, long long a, ..., long long f) natively: a system call of x86-64 by a program for 32 bits. The
 * processor does 64-bit code in the segment 0x33 of every Linux for x86-64, and 32-bit code in 0x23. Not for handlers of signals: the
 * kernel would call them as 64-bit code. */
	.text
	.globl cleave_syscall
	.type cleave_syscall, @function
cleave_syscall:
	pushl %ebp
	movl %esp, %ebp
	pushl %ebx
	pushl %esi
	pushl %edi
	pushl $0x33
	pushl $1f
	lretl
	.code64
1:	movl %ebp, %ebp
	movl %esp, %esp
	movq 8(%rbp), %rax
	movq 16(%rbp), %rdi
	movq 24(%rbp), %rsi
	movq 32(%rbp), %rdx
	movq 40(%rbp), %r10
	movq 48(%rbp), %r8
	movq 56(%rbp), %r9
	syscall
	movq %rax, %rdx
	shrq $32, %rdx
	subq $8, %rsp
	movl $0x23, 4(%rsp)
	movl $2f, (%rsp)
	lretl
	.code32
2:	popl %edi
	popl %esi
	popl %ebx
	popl %ebp
	ret
	.size cleave_syscall, .-cleave_syscall
