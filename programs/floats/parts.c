// A number is the product of a fraction and a power of two, which the compiler asks for by an instruction of its own.
//
// cleave: expect -DT=float -DOF=__builtin_frexpf paths=5
// cleave: expect -DT=double -DOF=__builtin_frexp paths=5
// cleave: expect -DT='long double' -DOF=__builtin_frexpl paths=5
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <klee/klee.h>

int main(void)
{
	static const T numbers[] = {0, 12, -0.3f, 1e-40f, 3e38f};
	unsigned char n;
	klee_make_symbolic(&n, 1, "n");
	klee_assume(n < 5);
	for (int i = 0; i < 5; i++) {
		int power;
		if (n != i)
			continue;
		volatile T number = numbers[i];
		T fraction = OF(number, &power);
		assert(ldexpl(fraction, power) == number);
		printf("%.9g %d\n", (double)fraction, power);
	}
	return 0;
}
