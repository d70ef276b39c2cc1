//! Vectors as inputs.

use crate::{any, assume, Arbitrary};

/// A vector of any length up to `N`, each element of which is an input.
pub fn any_vec<T: Arbitrary, const N: usize>() -> Vec<T> {
    let mut all = exact_vec::<T, N>();
    let length: usize = any();
    assume(length <= N);
    all.truncate(length);
    all
}

/// A vector of `N` elements, each of which is an input.
pub fn exact_vec<T: Arbitrary, const N: usize>() -> Vec<T> {
    (0..N).map(|_| any()).collect()
}
