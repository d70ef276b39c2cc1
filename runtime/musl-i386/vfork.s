/* pid_t vfork(void) natively, by the call of x86-64 (gate.s). The child runs on its parent's stack and overwrites the return address, so
 * it waits in a register that the call keeps. */
	.text
	.globl vfork
	.type vfork, @function
vfork:
	popl %edx
	pushl $0x33
	pushl $1f
	lretl
	.code64
1:	movl %esp, %esp
	movl %edx, %edx
	movl $58, %eax
	syscall
	subq $8, %rsp
	movl $0x23, 4(%rsp)
	movl $2f, (%rsp)
	lretl
	.code32
2:	pushl %edx
	pushl %eax
	.hidden __syscall_ret
	call __syscall_ret
	popl %ecx
	ret
	.size vfork, .-vfork
