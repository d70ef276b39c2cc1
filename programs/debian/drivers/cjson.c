// Reads JSON from standard input and prints it again.
#include <stdio.h>
#include <stdlib.h>
#include "cJSON.h"

int main(void) {
  static char text[256];
  fread(text, 1, sizeof text - 1, stdin);
  cJSON *value = cJSON_Parse(text);
  if (!value) {
    puts("bad");
    return 1;
  }
  char *printed = cJSON_Print(value);
  puts(printed ? printed : "no memory");
  free(printed);
  cJSON_Delete(value);
  return 0;
}
