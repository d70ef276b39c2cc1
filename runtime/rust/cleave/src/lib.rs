//! Symbolic inputs for Rust programs that Cleave explores.
//!
//! ```no_run
//! let n: u8 = cleave::any();
//! cleave::assume(n < 10);
//! assert!(n * n < 100);
//! ```
//!
//! Under `cleave run` each value of a symbolic input is explored. Natively, under `cleave replay`, the inputs have the values of the test.
//!
//! `cleave cargo test` explores each function that is marked `#[cleave::proof]`. Programs know the crate as `kani`, too, with the words that
//! proofs for Kani are written in.
#![warn(missing_docs)]

use std::ffi::{c_char, c_void, CString};
use std::mem::MaybeUninit;
use std::num::NonZero;

pub use cleave_macros::{proof, should_panic, solver, unwind, Arbitrary, BoundedArbitrary, Invariant};

pub mod slice;
pub mod vec;

mod bounded;
mod invariant;
mod proofs;
mod types;
pub use bounded::{bounded_any, BoundedArbitrary};
pub use invariant::Invariant;
pub use proofs::{run_proof, Proof};

extern "C" {
    fn klee_make_symbolic(address: *mut c_void, size: usize, name: *const c_char);
    fn klee_assume(condition: usize);
}

/// Types whose every value can be an input. `#[derive(cleave::Arbitrary)]` makes a type one of them, field by field.
pub trait Arbitrary: Sized {
    /// An input.
    fn any() -> Self;

    /// As [`Arbitrary::any`]; in tests the objects of numbers have this name.
    fn named(name: &str) -> Self {
        let _ = name;
        Self::any()
    }

    /// So many inputs.
    fn any_array<const N: usize>() -> [Self; N] {
        std::array::from_fn(|_| Self::any())
    }
}

/// The name of inputs that have none.
const UNNAMED: &str = "any";

/// An input that has any value of its type.
pub fn any<T: Arbitrary>() -> T {
    T::any()
}

/// As [`any`]; in tests its objects have this name.
///
/// # Panics
/// If the name has a zero byte.
pub fn named<T: Arbitrary>(name: &str) -> T {
    T::named(name)
}

/// As [`any`], among the values for which a condition holds.
pub fn any_where<T: Arbitrary, F: FnOnce(&T) -> bool>(condition: F) -> T {
    let value = any();
    assume(condition(&value));
    value
}

/// A vector of `length` bytes, each of which is an input.
pub fn bytes(length: usize) -> Vec<u8> {
    let mut all = vec![0; length];
    symbolic(all.as_mut_ptr(), length, "bytes");
    all
}

/// Explores only inputs for which a condition holds. A path on which it cannot hold ends here and counts as no result.
pub fn assume(condition: bool) {
    // SAFETY: the function takes any number.
    unsafe { klee_assume(condition.into()) }
}

/// Panics where a condition does not hold, as [`std::assert!`] does.
///
/// # Panics
/// With the message.
#[track_caller]
pub const fn assert(condition: bool, message: &'static str) {
    std::assert!(condition, "{}", message);
}

/// Parts the paths on which a condition holds from the others, as [`cover!`] does.
pub fn cover(condition: bool, _message: &'static str) {
    cover!(condition);
}

/// Parts the paths on which a condition holds from the others. The coverage of its line says whether there are any.
#[macro_export]
macro_rules! cover {
    () => {
        $crate::cover!(true)
    };
    ($condition:expr $(, $message:expr)? $(,)?) => {
        if $condition {
            ::std::hint::black_box(());
        }
    };
}

/// True if one condition implies the other.
#[macro_export]
macro_rules! implies {
    ($condition:expr => $consequence:expr) => {
        !$condition || $consequence
    };
}

fn symbolic(address: *mut u8, size: usize, name: &str) {
    if size > 0 {
        let name = CString::new(name).expect("a name without a zero byte");
        // SAFETY: the callers give the address of so many bytes, which may have any value. The name ends with a zero.
        unsafe { klee_make_symbolic(address.cast(), size, name.as_ptr()) }
    }
}

macro_rules! numbers {
    ($($number:ty),*) => {
        $(impl Arbitrary for $number {
            fn any() -> $number {
                Self::named(UNNAMED)
            }

            fn named(name: &str) -> $number {
                let mut value = MaybeUninit::<$number>::uninit();
                symbolic(value.as_mut_ptr().cast(), size_of::<$number>(), name);
                // SAFETY: all bytes were set just now, and all bits are a value.
                unsafe { value.assume_init() }
            }
        })*
    };
}

numbers!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, f32, f64);

impl Arbitrary for bool {
    fn any() -> Self {
        Self::named(UNNAMED)
    }

    fn named(name: &str) -> bool {
        let byte = u8::named(name);
        assume(byte < 2);
        byte == 1
    }
}

impl Arbitrary for char {
    fn any() -> Self {
        Self::named(UNNAMED)
    }

    fn named(name: &str) -> char {
        let code = u32::named(name);
        let value = char::from_u32(code);
        assume(value.is_some());
        value.unwrap_or_default()
    }
}

impl<T: Arbitrary> Arbitrary for Option<T> {
    fn any() -> Self {
        Self::named(UNNAMED)
    }

    fn named(name: &str) -> Option<T> {
        bool::named(name).then(|| T::named(name))
    }
}

impl<T: Arbitrary, const N: usize> Arbitrary for [T; N] {
    fn any() -> Self {
        Self::named(UNNAMED)
    }

    fn named(name: &str) -> [T; N] {
        std::array::from_fn(|_| T::named(name))
    }
}

macro_rules! not_zero {
    ($($number:ty),*) => {
        $(impl Arbitrary for NonZero<$number> {
            fn any() -> Self {
                let value = NonZero::new(<$number>::any());
                assume(value.is_some());
                value.unwrap_or(NonZero::<$number>::MIN)
            }
        })*
    };
}

not_zero!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize);
