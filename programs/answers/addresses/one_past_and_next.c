// Whether the end of an object is the start of the next one depends on where they lie.
// cleave: expect paths=1
// cleave: code 0
// cleave: replay uncertain
// cleave: says one_past_and_next.c:10: the outcome depends on the addresses of objects
static int first[4], second[4];
int main(void)
{
	int *volatile p = first + 4, *volatile q = second;
	return p == q ? 3 : 4;
}
