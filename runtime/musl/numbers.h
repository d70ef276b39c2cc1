/* Numbers that are printed before they are text: a stream that has one hands all that is written to it to the engine, until it is
 * flushed (crates/linux/src/buffered.rs). */
#ifndef NUMBERS_H
#define NUMBERS_H
#include "stdio_impl.h"
#include <stdint.h>

/* A flag of a FILE beside musl's: its buffer is the program's. */
#define F_OWN_BUFFER 0x10000

/* As crates/linux/src/printing.rs reads it. */
struct number {
	uint64_t mantissa;
	uint16_t sign_exponent;
	int32_t width, precision;
	uint32_t flags;
	int32_t letter;
};

/* Whether the number waits in the stream from now on. `rest` is the format behind its conversion. */
hidden int __number_waits(FILE *f, long double y, int width, int precision, unsigned flags, int letter, const char *rest);
/* All numbers that wait in it, or in a stream of the descriptor, are text from now on: paths part, as those of printf do. */
hidden void __settle_stream(FILE *f);
hidden void __settle_descriptor(int fd);
/* The text of a number, now. */
hidden int __number_text(FILE *f, long double y, int width, int precision, int flags, int letter);
#endif
