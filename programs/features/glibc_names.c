// Names that glibc has and musl has not: canonicalize_file_name, destructors of thread-local objects, macros of declarations that come with
// every header.
//
// cleave: expect paths=1
// cleave: exit 3
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

__BEGIN_DECLS
extern char *canonicalize_file_name(const char *path) __THROW __nonnull((1)) __wur;
extern int added __P((int, int)) __attribute_const__;
__END_DECLS
int added(int __CONCAT(le, ft), int right) { return left + right; }
int __cxa_thread_atexit_impl(void (*destroy)(void *), void *object, void *module);

static int objects[3] = {10, 11, 12};

static void destroy(void *object) {
  printf("destroyed %d\n", *(int *)object);
}

int main(void) {
  char *root = canonicalize_file_name("/");
  printf("%s\n", root);
  free(root);
  printf("%d %s\n", added(3, 4), __STRING(a + b));
  errno = 0;
  printf("%d %d\n", canonicalize_file_name("/not there") == NULL, errno == ENOENT);
  for (int i = 0; i < 3; i++)
    printf("%d\n", __cxa_thread_atexit_impl(destroy, &objects[i], NULL));
  return 3;
}
