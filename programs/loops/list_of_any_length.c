// A list grows with each input until one ends it.
//
// cleave: bug assert
#include "any.h"

#include <stdlib.h>
struct node { struct node *next; unsigned char value; };
int main(void) {
  struct node *head = 0;
  unsigned length = 0;
  for (;;) {
    unsigned char c = any_byte();
    if (c == 0) break;
    struct node *node = malloc(sizeof *node);
    if (!node) return 1;
    node->next = head;
    node->value = c;
    head = node;
    length++;
  }
  if (length == 3) assert(head->value != head->next->next->value); //~ ERROR assert
  return 0;
}
