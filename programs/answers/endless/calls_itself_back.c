// A machine of states: a cycle goes through several functions and a table of pointers.
// cleave: args --sym-arg 3
// cleave: run --max-time 60
// cleave: code 3
// cleave: replay no
typedef int (*state)(const char **);
static int start(const char **p);
static int number(const char **p);
static int back(const char **p);
static const state states[] = { start, number, back };

static int start(const char **p)
{
	return **p == 0 ? 9 : **p >= '0' && **p <= '9' ? 1 : **p == '<' ? 2 : 8;
}
static int number(const char **p)
{
	(*p)++;
	return 0;
}
static int back(const char **p)
{
	(*p)--;
	return 1; /* which goes forward again, to the same character */
}

int main(int argc, char **argv)
{
	const char *p = argv[1];
	int s = 0;
	if (argc < 2 || *p == '<')
		return 7;
	while (s < 3) //~ ERROR endless
		s = states[s](&p);
	return s;
}
