/* What C23 adds to <stdlib.h>. */
void free_sized(void *, size_t);
void free_aligned_sized(void *, size_t, size_t);
size_t memalignment(const void *);
int strfromd(char *restrict, size_t, const char *restrict, double);
int strfromf(char *restrict, size_t, const char *restrict, float);
int strfroml(char *restrict, size_t, const char *restrict, long double);
#define __STDC_VERSION_STDLIB_H__ 202311L
