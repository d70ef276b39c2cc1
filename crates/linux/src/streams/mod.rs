//! Output of streams, in which printed numbers may wait for their text.

pub(crate) mod buffered; // Buffered streams of the C library that hold numbers without text.
pub(crate) mod calls; // Calls by which the C library reports such streams.
pub(crate) mod float_text; // The text of a floating-point number as musl's `printf` makes it.
pub(crate) mod output; // The output of a stream: a list of chunks.
