// Streams that are used after they were closed, and streams that are used well.
//
// cleave: bug ptr
// cleave: bug contract
#include <dirent.h>
#include <klee/klee.h>
#include <stdio.h>

static int good(void) {
  char line[16];
  FILE *f = fopen("good", "w+");
  if (!f || fputs("text\n", f) < 0 || fflush(f) || fseek(f, 0, SEEK_SET)) return 1;
  if (!fgets(line, sizeof line, f) || fclose(f)) return 2;
  f = fopen("good", "r");
  if (!f || getc(f) != 't' || !freopen("good", "a", f) || fclose(f)) return 3;
  DIR *d = opendir(".");
  if (!d || !readdir(d)) return 4;
  rewinddir(d);
  return closedir(d) || fclose(stdin) || fclose(stdout) ? 5 : 0;
}

int main(void) {
  unsigned char which;
  char line[16];
  klee_make_symbolic(&which, sizeof which, "which");
  FILE *f = fopen("bad", "w+");
  DIR *d = opendir(".");
  switch (which) {
  case 1:
    fclose(f);
    fclose(f); //~ ERROR ptr
    break;
  case 2:
    fclose(f);
    fprintf(f, "%d\n", which); //~ ERROR ptr
    break;
  case 3:
    fclose(f);
    return fgets(line, sizeof line, f) != 0; //~ ERROR ptr
  case 4:
    fclose(NULL); //~ ERROR ptr
    break;
  case 5:
    closedir(d);
    closedir(d); //~ ERROR ptr
    break;
  case 6:
    closedir(d);
    return readdir(d) != 0; //~ ERROR ptr
  case 7:
    fclose(stdout);
    fclose(stdout); //~ ERROR contract
    break;
  default:
    fclose(f);
    closedir(d);
    return good();
  }
  fclose(f);
  closedir(d);
  return 0;
}
