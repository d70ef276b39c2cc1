/* What C23 adds to <math.h>, of what clang knows by itself and what is exact. */
#define iszero(x) ((x) == 0)
#define issignaling(x) __builtin_issignaling(x)
#define issubnormal(x) __builtin_issubnormal(x)
#define iscanonical(x) ((void)(x), 1)
#define iseqsig(x, y) ((x) >= (y) && (x) <= (y))
#define CLEAVE_OF_TWO(name) \
	double name(double, double); \
	float name##f(float, float); \
	long double name##l(long double, long double);
CLEAVE_OF_TWO(fmaximum)
CLEAVE_OF_TWO(fminimum)
CLEAVE_OF_TWO(fmaximum_num)
CLEAVE_OF_TWO(fminimum_num)
#undef CLEAVE_OF_TWO
double roundeven(double);
float roundevenf(float);
long double roundevenl(long double);
double exp10(double);
float exp10f(float);
long double exp10l(long double);
#define __STDC_VERSION_MATH_H__ 202311L
