/* The test that a native run is given: the file that CLEAVE_TEST names, in KLEE's format. */
#ifndef CLEAVE_TEST_H
#define CLEAVE_TEST_H

#include <stddef.h>

/* Who reads the test. Each finds the objects of a name in their order, whatever the others have read. */
enum cleave_reader { CLEAVE_SYMBOLIC, CLEAVE_ALLOCATIONS, CLEAVE_READERS };

/* The bytes of the next object of this name, and how many there are. Null where there is none: then the reader stays
 * where it is. */
const unsigned char *cleave_next_object(enum cleave_reader reader, const char *name, size_t *size);

/* The environment variable with which a program goes on in the test where this one stands. Null where there is no test. */
const char *cleave_test_variable(void);

/* Reads the test now, which is else read where its first object is asked for. */
void cleave_load_test(void);

#endif
