/* Finds the tokens in LENGTH bytes of standard input with jsmn, and prints them. */
#include <stdio.h>
#include <string.h>
#include "jsmn.h"

int main(void)
{
	char text[LENGTH + 1];
	text[fread(text, 1, LENGTH, stdin)] = 0;
	jsmn_parser parser;
	jsmntok_t tokens[4];
	jsmn_init(&parser);
	int n = jsmn_parse(&parser, text, strlen(text), tokens, 4);
	for (int i = 0; i < n; i++)
		printf("%d %d-%d\n", tokens[i].type, tokens[i].start, tokens[i].end);
	return n < 0;
}
