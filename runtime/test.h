/* The test that a native run is given: the file that CLEAVE_TEST names, in KLEE's format. */
#ifndef CLEAVE_TEST_H
#define CLEAVE_TEST_H

#include <stddef.h>

/* Where a reader stands in the test: at the start of an object. Zero is the first one. */
struct cleave_reader {
	size_t position;
};

/* The bytes of the next object of this name, and how many there are. Null where there is none: then the reader stays
 * where it is. */
const unsigned char *cleave_next_object(struct cleave_reader *reader, const char *name, size_t *size);

#endif
