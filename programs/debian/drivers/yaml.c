// Reads a YAML stream from standard input and prints the kind of each event.
#include <stdio.h>
#include <yaml.h>

int main(void) {
  static unsigned char text[256];
  size_t length = fread(text, 1, sizeof text, stdin);
  yaml_parser_t parser;
  if (!yaml_parser_initialize(&parser)) return 2;
  yaml_parser_set_input_string(&parser, text, length);
  for (int done = 0; !done;) {
    yaml_event_t event;
    if (!yaml_parser_parse(&parser, &event)) {
      puts(parser.problem ? parser.problem : "bad");
      yaml_parser_delete(&parser);
      return 1;
    }
    printf("%d\n", event.type);
    done = event.type == YAML_STREAM_END_EVENT;
    yaml_event_delete(&event);
  }
  yaml_parser_delete(&parser);
  return 0;
}
