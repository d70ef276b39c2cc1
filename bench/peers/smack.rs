//! The part of the crate `smack` that its Rust tests use, over Cleave's inputs. Conditions are evaluated in `unsafe`, as there.

pub trait VerifierNonDet {
    fn verifier_nondet(self) -> Self;
}

impl<T: cleave::Arbitrary> VerifierNonDet for T {
    fn verifier_nondet(self) -> T {
        cleave::any()
    }
}

pub fn holds(condition: bool) {
    if !condition {
        std::process::abort();
    }
}

#[macro_export]
macro_rules! assume {
    ($condition:expr) => {{
        #[allow(unused_unsafe)]
        let holds = unsafe { $condition };
        $crate::cleave_assume(holds)
    }};
}

#[macro_export]
macro_rules! assert {
    ($condition:expr) => {{
        #[allow(unused_unsafe)]
        let holds = unsafe { $condition };
        $crate::holds(holds)
    }};
}

#[macro_export]
macro_rules! assert_eq {
    ($a:expr, $b:expr) => {
        $crate::assert!($a == $b)
    };
}

#[macro_export]
macro_rules! assert_ne {
    ($a:expr, $b:expr) => {
        $crate::assert!($a != $b)
    };
}

#[macro_export]
macro_rules! unreachable {
    () => {
        $crate::assert!(false)
    };
}

#[macro_export]
macro_rules! verifier_assert {
    ($condition:expr) => {
        $crate::assert!($condition)
    };
}

#[macro_export]
macro_rules! verifier_assume {
    ($condition:expr) => {
        $crate::assume!($condition)
    };
}

#[macro_export]
macro_rules! nondet {
    ($value:expr) => {
        $crate::VerifierNonDet::verifier_nondet($value)
    };
}

pub fn cleave_assume(condition: bool) {
    cleave::assume(condition)
}
