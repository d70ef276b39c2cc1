/* Arguments and variables that depend on the input are handed on, and decided in the program that gets them. */
// cleave: program /bin/target=target.c
// cleave: args --sym-arg 2
// The target compares with x and with "unblock": no character 1; one 3 (x, u, other); two 4 (x, u and n, u, other).
// cleave: expect paths=8
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char variable[10] = "LAST=";
	strcat(variable, argv[1]);
	char *arguments[] = {"another name", argv[1], "", "end", 0};
	char *variables[] = {"FIRST=1", "", variable, 0};
	execve("/bin/target", arguments, variables);
	return 1;
}
