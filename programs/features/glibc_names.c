// Names that glibc has and musl has not: canonicalize_file_name, destructors of thread-local objects.
//
// cleave: expect paths=1
// cleave: exit 3
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

char *canonicalize_file_name(const char *path);
int __cxa_thread_atexit_impl(void (*destroy)(void *), void *object, void *module);

static int objects[3] = {10, 11, 12};

static void destroy(void *object) {
  printf("destroyed %d\n", *(int *)object);
}

int main(void) {
  char *root = canonicalize_file_name("/");
  printf("%s\n", root);
  free(root);
  errno = 0;
  printf("%d %d\n", canonicalize_file_name("/not there") == NULL, errno == ENOENT);
  for (int i = 0; i < 3; i++)
    printf("%d\n", __cxa_thread_atexit_impl(destroy, &objects[i], NULL));
  return 3;
}
