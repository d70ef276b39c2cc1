/* int __clone(function, stack, flags, argument, parent's tid, thread pointer, child's tid) natively, by the call of x86-64 (gate.s). That
 * would set the thread pointer of 64-bit code, so a thread sets its own, as the first one did, by the one call of i386. */
	.set SETTLS, 0x80000
	.text
	.globl __clone
	.hidden __clone
	.type __clone, @function
__clone:
	pushl %ebp
	movl %esp, %ebp
	pushl %ebx
	pushl %esi
	pushl %edi
	movl 12(%ebp), %esi
	andl $-16, %esi
	subl $16, %esi
	movl 20(%ebp), %eax
	movl %eax, (%esi)
	movl 8(%ebp), %eax
	movl %eax, 4(%esi)
	movl 28(%ebp), %eax
	movl %eax, 8(%esi)
	movl 16(%ebp), %edi
	movl %edi, 12(%esi)
	movl 24(%ebp), %edx
	movl 32(%ebp), %ebx
	pushl $0x33
	pushl $1f
	lretl
	.code64
1:	andl $~SETTLS, %edi
	movl %esi, %esi
	movl %edx, %edx
	movl %ebx, %r10d
	xorl %r8d, %r8d
	movl $56, %eax
	syscall
	movl %eax, %eax
	subq $8, %rsp
	movl $0x23, 4(%rsp)
	movl $2f, (%rsp)
	lretl
	.code32
2:	testl %eax, %eax
	jz 3f
	popl %edi
	popl %esi
	popl %ebx
	popl %ebp
	ret
	/* The child, on its stack: the argument, the function, the thread pointer, the flags. */
3:	xorl %ebp, %ebp
	testl $SETTLS, 12(%esp)
	jz 4f
	xorl %eax, %eax
	movw %gs, %ax
	shrl $3, %eax
	movl 8(%esp), %edx
	pushl $0x51
	pushl $0xfffff
	pushl %edx
	pushl %eax
	movl %esp, %ebx
	movl $243, %eax
	int $128
	addl $16, %esp
	movw %gs, %ax
	movw %ax, %gs
4:	movl 4(%esp), %eax
	calll *%eax
	movl %eax, %edi
	pushl $0x33
	pushl $5f
	lretl
	.code64
5:	movl %edi, %edi
	movl $60, %eax
	syscall
	hlt
	.code32
	.size __clone, .-__clone
