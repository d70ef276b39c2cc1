// Lines `NAME=NUMBER`: numbers are read by strtol, which forks on each digit; a name of five letters is too long.
// cleave: levels -O0
// cleave: args --sym-stdin 8
// cleave: run --max-bugs 1 --max-time 60
// cleave: modes symbolic
// cleave: replay no
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct setting {
	char name[4];
	long value;
};

static int read_line(const char *p, struct setting *s)
{
	char name[4];
	int n = 0;
	while (*p >= 'a' && *p <= 'z')
		name[n++] = *p++; //~ ERROR ptr
	if (*p != '=')
		return 0;
	char *end;
	s->value = strtol(p + 1, &end, 0);
	if (end == p + 1 || (*end && *end != '\n'))
		return 0;
	memcpy(s->name, name, sizeof name);
	return 1;
}

int main(void)
{
	char in[9] = { 0 };
	struct setting s;
	if (read(0, in, 8) != 8)
		return 2;
	double d = strtod(in, NULL);
	if (d > 0 && d < 1)
		return 3;
	return read_line(in, &s) ? 0 : 1;
}
