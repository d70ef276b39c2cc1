//! Inputs whose size has a bound.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher, Hash};

use crate::{any, vec, Arbitrary};

/// Types whose values up to some size can be an input. `#[derive(cleave::BoundedArbitrary)]` makes a type one of them; its fields that are
/// marked `#[bounded]` have the bound.
pub trait BoundedArbitrary {
    /// An input of a size up to `N`.
    fn bounded_any<const N: usize>() -> Self;
}

/// An input that has any value of its type whose size is `N` at most.
pub fn bounded_any<T: BoundedArbitrary, const N: usize>() -> T {
    T::bounded_any::<N>()
}

impl<T: BoundedArbitrary> BoundedArbitrary for Option<T> {
    fn bounded_any<const N: usize>() -> Self {
        bool::any().then(T::bounded_any::<N>)
    }
}

impl<T: BoundedArbitrary, E: BoundedArbitrary> BoundedArbitrary for Result<T, E> {
    fn bounded_any<const N: usize>() -> Self {
        if bool::any() {
            Ok(T::bounded_any::<N>())
        } else {
            Err(E::bounded_any::<N>())
        }
    }
}

impl<T: Arbitrary> BoundedArbitrary for Vec<T> {
    fn bounded_any<const N: usize>() -> Self {
        vec::any_vec::<T, N>()
    }
}

impl<T: Arbitrary> BoundedArbitrary for Box<[T]> {
    fn bounded_any<const N: usize>() -> Self {
        vec::any_vec::<T, N>().into_boxed_slice()
    }
}

/// Its size is that of its bytes.
impl BoundedArbitrary for String {
    fn bounded_any<const N: usize>() -> Self {
        let bytes: [u8; N] = any();
        bytes.utf8_chunks().next().map_or_else(String::new, |chunk| chunk.valid().into())
    }
}

/// `N` times an input, or nothing.
fn some<T: Arbitrary, const N: usize>() -> impl Iterator<Item = T> {
    (0..N).filter_map(|_| any())
}

impl<K: Arbitrary + Eq + Hash, V: Arbitrary, S: BuildHasher + Default> BoundedArbitrary for HashMap<K, V, S> {
    fn bounded_any<const N: usize>() -> Self {
        some::<(K, V), N>().collect()
    }
}

impl<T: Arbitrary + Eq + Hash, S: BuildHasher + Default> BoundedArbitrary for HashSet<T, S> {
    fn bounded_any<const N: usize>() -> Self {
        some::<T, N>().collect()
    }
}

impl<K: Arbitrary + Ord, V: Arbitrary> BoundedArbitrary for BTreeMap<K, V> {
    fn bounded_any<const N: usize>() -> Self {
        some::<(K, V), N>().collect()
    }
}

impl<T: Arbitrary + Ord> BoundedArbitrary for BTreeSet<T> {
    fn bounded_any<const N: usize>() -> Self {
        some::<T, N>().collect()
    }
}
