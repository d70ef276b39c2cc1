# A system call of the program's own that has a descriptor lead elsewhere (numbers.h).
s/^\treturn __syscall_ret\(__syscall\(n,/\tvoid __settle_descriptor(int);\
\tif (n == SYS_close || n == SYS_dup2 || n == SYS_dup3) __settle_descriptor(n == SYS_close ? a : b);\
&/
