/* What C23 adds to <time.h>. */
struct tm *gmtime_r(const time_t *restrict, struct tm *restrict);
struct tm *localtime_r(const time_t *restrict, struct tm *restrict);
time_t timegm(struct tm *);
int timespec_getres(struct timespec *, int);
#define __STDC_VERSION_TIME_H__ 202311L
