/* void __unmapself(void *base, size_t size) natively: the end of a thread whose stack goes with it, so nothing may be on the stack. */
	.text
	.globl __unmapself
	.hidden __unmapself
	.type __unmapself, @function
__unmapself:
	movl 4(%esp), %edi
	movl 8(%esp), %esi
	pushl $0x33
	pushl $1f
	lretl
	.code64
1:	movl %edi, %edi
	movl %esi, %esi
	movl $11, %eax
	syscall
	xorl %edi, %edi
	movl $60, %eax
	syscall
	hlt
	.code32
	.size __unmapself, .-__unmapself
