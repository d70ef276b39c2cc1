/* What C23 adds to <time.h>. */
struct tm *gmtime_r(const time_t *restrict, struct tm *restrict);
struct tm *localtime_r(const time_t *restrict, struct tm *restrict);
time_t timegm(struct tm *);
/* Their names for times of 64 bits on a machine of 32, as musl's header has them for other standards. */
#if _REDIR_TIME64
__REDIR(gmtime_r, __gmtime64_r);
__REDIR(localtime_r, __localtime64_r);
__REDIR(timegm, __timegm_time64);
#endif
int timespec_getres(struct timespec *, int);
#define __STDC_VERSION_TIME_H__ 202311L
