// Each byte is looked at before the next one: no access is behind the end, also where the program itself cuts the text.
// cleave: args --sym-arg 3
// cleave: expect paths=53 failed=0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	char *text = argv[argc - 1], copy[4], name[8] = "--", *colon;
	if (strlen(text) > 3)
		abort();
	strcpy(copy, text);
	strncat(name, text, 3);
	colon = strchr(text, ':');
	if (colon) {
		*colon = 0;
		return strcmp(colon + 1, "b") == 0 && *copy == *text;
	}
	return strtol(text, &colon, 10) == 7 && !*colon;
}
