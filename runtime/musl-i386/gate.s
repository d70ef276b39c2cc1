/* long cleave_syscall(long long number, long long a, ..., long long f) natively: a system call of x86-64 by a program for 32 bits. The
 * processor does 64-bit code in the segment 0x33 of every Linux for x86-64, and 32-bit code in 0x23. */
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

/* The kernel calls a handler as 64-bit code: (signal, siginfo_t, ucontext_t), on the program's stack, which is below 4 GiB. It calls
 * cleave_handled(signal, siginfo_t, ucontext_t) as 32-bit code and returns to the restorer. */
	.globl cleave_handler
	.type cleave_handler, @function
	.code64
cleave_handler:
	movq %rsp, %rbx
	subq $32, %rsp
	andq $-16, %rsp
	movl %edi, (%rsp)
	movl %esi, 4(%rsp)
	movl %edx, 8(%rsp)
	subq $8, %rsp
	movl $0x23, 4(%rsp)
	movl $1f, (%rsp)
	lretl
	.code32
1:	call cleave_handled
	pushl $0x33
	pushl $2f
	lretl
	.code64
2:	movl %ebx, %esp
	ret
	.size cleave_handler, .-cleave_handler

	.globl cleave_restorer
	.type cleave_restorer, @function
cleave_restorer:
	movl $15, %eax
	syscall
	.size cleave_restorer, .-cleave_restorer
	.code32
