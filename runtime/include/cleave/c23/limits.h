/* What C23 adds to <limits.h>. */
#define BOOL_WIDTH 1
#define BOOL_MAX 1
#define CHAR_WIDTH 8
#define SCHAR_WIDTH 8
#define UCHAR_WIDTH 8
#define SHRT_WIDTH 16
#define USHRT_WIDTH 16
#define INT_WIDTH 32
#define UINT_WIDTH 32
#define LONG_WIDTH __LONG_WIDTH__
#define ULONG_WIDTH __LONG_WIDTH__
#define LLONG_WIDTH 64
#define ULLONG_WIDTH 64
#define BITINT_MAXWIDTH __BITINT_MAXWIDTH__
#define __STDC_VERSION_LIMITS_H__ 202311L
