// getopt and getopt_long: grouped flags, values, long names, a missing value, an unknown flag, permutation.
//
// cleave: expect paths=1
// cleave: exit 0
#define _GNU_SOURCE
#include <getopt.h>
#include <stdio.h>

static void parse(int argc, char **argv) {
  static const struct option names[] = {
      {"verbose", no_argument, NULL, 'v'}, {"output", required_argument, NULL, 'o'}, {"level", optional_argument, NULL, 'l'}, {0}};
  int c;
  optind = 0;
  opterr = 0;
  while ((c = getopt_long(argc, argv, "vo:ab", names, NULL)) != -1) {
    if (c == '?')
      printf("bad option %c\n", optopt ? optopt : '-');
    else
      printf("option %c value %s\n", c, optarg ? optarg : "none");
    optarg = NULL;
  }
  while (optind < argc) printf("operand %s\n", argv[optind++]);
}

int main(void) {
  char *first[] = {"prog", "-vab", "-ofile", "-o", "other", "--", "-v", NULL};
  char *second[] = {"prog", "operand", "--verbose", "--output=x", "--lev=3", "--level", "-q", "-o", NULL};
  parse(7, first);
  parse(8, second);
  return 0;
}
