/* Parses LENGTH bytes of standard input with cJSON, and prints what was read. */
#include <stdio.h>
#include <stdlib.h>
#include "cJSON.h"

int main(void)
{
	char text[LENGTH + 1];
	text[fread(text, 1, LENGTH, stdin)] = 0;
	cJSON *json = cJSON_Parse(text);
	if (!json)
		return 1;
	char *printed = cJSON_PrintUnformatted(json);
	if (printed)
		puts(printed);
	free(printed);
	cJSON_Delete(json);
	return 0;
}
