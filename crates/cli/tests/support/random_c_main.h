/* The end of a file of generated programs, whose table is `programs`. */
#ifndef NATIVE

/* The engine runs the program whose number is the argument. */
int main(int argc, char **argv) {
  int k = 0;
  for (const char *p = argc > 1 ? argv[1] : ""; *p; p++) k = 10 * k + *p - '0';
  return programs[k].run();
}

#else

/* One line for one run: program, inputs, trace, kind of end, its place or status, output as hexadecimal, the places
 * in arrays, and the assumptions that hold. */
static void run_once(int k, const s64 *values) {
  const struct program *p = &programs[k];
  memcpy(inputs, values, sizeof inputs);
  trace = 1;
  output_size = 0;
  inputs_used = 0;
  passed_count = 0;
  place_count = 0;
  if (setjmp(leave) == 0) {
    int status = p->run();
    kind = EXITS;
    place = status & 255;
  }
  fprintf(stdout, "%d", k);
  for (int i = 0; i < 4; i++) fprintf(stdout, " %lld", (long long)values[i]);
  fprintf(stdout, " %llu %d %d x", (unsigned long long)trace, kind, place);
  for (size_t i = 0; i < output_size; i++) fprintf(stdout, "%02x", (unsigned char)output[i]);
  fprintf(stdout, " ");
  for (int i = 0; i < place_count; i++) fprintf(stdout, "%u,", places[i]);
  for (int i = 0; i < passed_count; i++) fprintf(stdout, " %llu", (unsigned long long)passed[i]);
  fprintf(stdout, "\n");
}

int main(void) {
  for (int k = 0; k < (int)(sizeof programs / sizeof *programs); k++) {
    const struct program *p = &programs[k];
    s64 index[4] = {0};
    for (int at = 0; at < p->inputs;) {
      s64 values[4] = {0};
      for (int i = 0; i < p->inputs; i++) values[i] = p->domains[i].lo + index[i];
      run_once(k, values);
      for (at = 0; at < p->inputs && ++index[at] == p->domains[at].count; at++) index[at] = 0;
    }
  }
  return 0;
}

#endif
