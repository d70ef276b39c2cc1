/* What C23 adds to <string.h>. */
void *memccpy(void *restrict, const void *restrict, int, size_t);
void *memset_explicit(void *, int, size_t);
char *strdup(const char *);
char *strndup(const char *, size_t);
#define __STDC_VERSION_STRING_H__ 202311L
