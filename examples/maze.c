// A maze. Each character of the input is a step: u, d, l or r. A step into a wall, or to where we were, ends the walk.
// Which input comes to the exit, `#`?
#include <stdio.h>
#include <stdlib.h>

static char maze[7][14] = {
  "+-----------+",
  "|@ |    |   |",
  "| -+ +- | | |",
  "|    |    | |",
  "| +--+--+-+ |",
  "| |     |  #|",
  "+-----------+",
};

int main(void) {
  int row = 1, column = 1, c;
  while ((c = getchar()) != EOF) {
    maze[row][column] = '.';
    if (c == 'u') row--;
    else if (c == 'd') row++;
    else if (c == 'l') column--;
    else if (c == 'r') column++;
    else return 1;
    if (maze[row][column] == '#') abort(); // out! Cleave reports it as a bug, with the way as its input
    if (maze[row][column] != ' ') return 1;
  }
  return 2;
}
