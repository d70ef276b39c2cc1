//! Slices as inputs.

use crate::{any, assume};

/// Any part of an array.
pub fn any_slice_of_array<T, const N: usize>(array: &[T; N]) -> &[T] {
    let (from, to) = bounds::<N>();
    &array[from..to]
}

/// Any part of an array, to be written to.
pub fn any_slice_of_array_mut<T, const N: usize>(array: &mut [T; N]) -> &mut [T] {
    let (from, to) = bounds::<N>();
    &mut array[from..to]
}

fn bounds<const N: usize>() -> (usize, usize) {
    let (from, to): (usize, usize) = (any(), any());
    assume(to <= N);
    assume(from <= to);
    (from, to)
}
