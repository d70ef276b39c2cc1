/* Reads LENGTH bytes of standard input with inih, and prints names and values. */
#include <stdio.h>
#include "ini.h"

static int handle(void *user, const char *section, const char *name, const char *value)
{
	(void)user;
	printf("[%s] %s=%s\n", section, name ? name : "", value ? value : "");
	return 1;
}

int main(void)
{
	char text[LENGTH + 1];
	text[fread(text, 1, LENGTH, stdin)] = 0;
	return ini_parse_string(text, handle, 0) != 0;
}
