// `lseek` returns where it leads, also behind the end, where there is nothing to be read; negative places are refused.
// cleave: args --sym-stdin 8
// cleave: expect paths=11 failed=0
// cleave: code 0
#include <errno.h>
#include <klee/klee.h>
#include <unistd.h>

int main(void)
{
	int at;
	char c;
	if (read(0, &at, 4) != 4)
		return 90;
	long place = lseek(0, at, SEEK_SET);
	if (at < 0) {
		klee_assert(place == -1 && errno == EINVAL);
		return 91;
	}
	klee_assert(place == at);
	klee_assert(lseek(0, 0, SEEK_CUR) == at);
	long got = read(0, &c, 1);
	klee_assert(got == (at < 8));
	klee_assert(lseek(0, 0, SEEK_CUR) == at + got);
	// What is there again after that is what was there before.
	int again;
	klee_assert(lseek(0, -8, SEEK_END) == 0 && read(0, &again, 4) == 4);
	klee_assert(again == at);
	return at < 8 ? at : 9;
}
