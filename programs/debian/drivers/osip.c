// Parses a SIP message from standard input and prints it again.
#include <stdio.h>
#include <osipparser2/osip_parser.h>

int main(void) {
  static char text[256];
  size_t length = fread(text, 1, sizeof text - 1, stdin), size;
  osip_message_t *message;
  char *printed;
  if (parser_init() != 0 || osip_message_init(&message) != 0) return 2;
  int end = osip_message_parse(message, text, length);
  if (end == 0 && osip_message_to_str(message, &printed, &size) == 0) {
    fwrite(printed, 1, size, stdout);
    osip_free(printed);
  }
  osip_message_free(message);
  return end != 0;
}
