# What is put into musl's sources of printf. What C23 adds: %b and %B.
s/S('o') = \(U[A-Z]*\|SIZET\),/& S('b') = \1, S('B') = \1,/
s/char buf\[sizeof(uintmax_t)\*3+3/char buf[sizeof(uintmax_t)*CHAR_BIT+3/
/^static char \*fmt_o(/i\
static char *fmt_b(uintmax_t x, char *s)\
{\
	for (; x; x>>=1) *--s = '0' + (x\&1);\
	return s;\
}\

/^		case 'o':$/i\
		case 'b': case 'B':\
			a = fmt_b(arg.i, z);\
			if (arg.i \&\& (fl \& ALT_FORM)) prefix = t == 'b' ? "0b" : "0B", pl=2;\
			} if (0) {
# Of wide characters: the conversion is that of bytes.
s/\['p'-'a'\]='j'/& , ['b'-'a']='j'/
s/case 'd': case 'i': case 'o': case 'u': case 'x': case 'p':$/case 'b': &/
# Numbers that the engine makes text when the path has ended (numbers.h).
s/^\t\t\tl = fmt_fp(f, arg\.f, w, p, fl, t);$/\
#ifndef CLEAVE_NATIVELY\
\t\t\tif (__number_waits(f, arg.f, w, p, fl, t, s)) { l = 0; continue; }\
#endif\
&/
/^static int getint(char \*\*s)/i\
#ifndef CLEAVE_NATIVELY\
#include "numbers.h"\
int __number_text(FILE *f, long double y, int w, int p, int fl, int t)\
{\
	return fmt_fp(f, y, w, p, fl, t);\
}\
#endif
