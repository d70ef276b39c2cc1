//! Types of std that are made of others, as inputs.

use std::marker::{PhantomData, PhantomPinned};
use std::mem::MaybeUninit;
use std::ops::{Bound, Range, RangeFrom, RangeInclusive, RangeTo, RangeToInclusive};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use crate::{any_where, Arbitrary, UNNAMED};

macro_rules! tuples {
    ($(($($part:ident),*))*) => {
        $(impl<$($part: Arbitrary),*> Arbitrary for ($($part,)*) {
            fn any() -> Self {
                Self::named(UNNAMED)
            }

            fn named(name: &str) -> Self {
                ($($part::named(name),)*)
            }
        })*
    };
}

tuples! {
    (A)
    (A, B)
    (A, B, C)
    (A, B, C, D)
    (A, B, C, D, E)
    (A, B, C, D, E, F)
    (A, B, C, D, E, F, G)
    (A, B, C, D, E, F, G, H)
    (A, B, C, D, E, F, G, H, I)
    (A, B, C, D, E, F, G, H, I, J)
    (A, B, C, D, E, F, G, H, I, J, K)
    (A, B, C, D, E, F, G, H, I, J, K, L)
}

impl Arbitrary for () {
    fn any() {}
}

impl<T: ?Sized> Arbitrary for PhantomData<T> {
    fn any() -> Self {
        PhantomData
    }
}

impl Arbitrary for PhantomPinned {
    fn any() -> Self {
        PhantomPinned
    }
}

macro_rules! owners {
    ($($owner:ident)*) => {
        $(impl<T: Arbitrary> Arbitrary for $owner<T> {
            fn any() -> Self {
                $owner::new(T::any())
            }

            fn named(name: &str) -> Self {
                $owner::new(T::named(name))
            }
        })*
    };
}

owners!(Box Rc Arc);

impl<T: Arbitrary, E: Arbitrary> Arbitrary for Result<T, E> {
    fn any() -> Self {
        if bool::any() {
            Ok(T::any())
        } else {
            Err(E::any())
        }
    }
}

/// Set to any value, or not set.
impl<T: Arbitrary> Arbitrary for MaybeUninit<T> {
    fn any() -> Self {
        if bool::any() {
            MaybeUninit::new(T::any())
        } else {
            MaybeUninit::uninit()
        }
    }
}

impl Arbitrary for Duration {
    fn any() -> Self {
        const IN_A_SECOND: u32 = 1_000_000_000;
        let nanoseconds = any_where(|n| *n < IN_A_SECOND);
        Duration::new(u64::any(), nanoseconds)
    }
}

impl<T: Arbitrary> Arbitrary for Bound<T> {
    fn any() -> Self {
        match any_where(|kind: &u8| *kind < 3) {
            0 => Bound::Included(T::any()),
            1 => Bound::Excluded(T::any()),
            _ => Bound::Unbounded,
        }
    }
}

macro_rules! ranges {
    ($($range:ident: $value:expr;)*) => {
        $(impl<T: Arbitrary> Arbitrary for $range<T> {
            fn any() -> Self {
                $value
            }
        })*
    };
}

ranges! {
    Range: T::any()..T::any();
    RangeFrom: T::any()..;
    RangeInclusive: T::any()..=T::any();
    RangeTo: ..T::any();
    RangeToInclusive: ..=T::any();
}
