// `fstat` tells the length without a path for each, and `lseek` decides it.
// cleave: args --sym-stdin 1..6
// cleave: expect paths=4 failed=0
// cleave: code 0
#include <sys/stat.h>
#include <unistd.h>

int main(void)
{
	struct stat st;
	if (fstat(0, &st))
		return 99;
	if (st.st_size > 3)
		return 10;
	return (int)lseek(0, 0, SEEK_END);
}
