//! Reports states that are impossible unless Cleave has a bug.
//!
//! [`never!`] marks a place where a value is needed although no run should get there. With debug assertions, as in the tests'
//! profile, it panics. Without them it notes the place, and the run continues with the caller's fallback value: the account of
//! the run then names the place, and its exit code is that of an internal error. So no wrong answer is given in silence, and no
//! user loses a run to a mistake of ours.

use std::collections::BTreeMap;
use std::fmt::Arguments;
use std::panic::Location;
use std::sync::{Mutex, PoisonError};

static SEEN: Mutex<BTreeMap<String, u64>> = Mutex::new(BTreeMap::new());

/// Notes that an impossible state was met, described as `format!` does it: `never!("a call of {name} without a callee")`.
#[macro_export]
macro_rules! never {
    ($($text:tt)+) => {
        $crate::met(::std::format_args!($($text)+))
    };
}

/// Reports a place that should not be reached; called by [`never!`].
///
/// # Panics
/// If debug assertions are on.
#[cold]
#[track_caller]
pub fn met(what: Arguments<'_>) {
    if cfg!(debug_assertions) {
        panic!("{what}");
    }
    let place = Location::caller();
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    *seen.entry(format!("{}:{}: {what}", place.file(), place.line())).or_default() += 1;
}

/// The states that this process has met since the last call, with how often: `FILE:LINE: what`.
pub fn take() -> BTreeMap<String, u64> {
    std::mem::take(&mut *SEEN.lock().unwrap_or_else(PoisonError::into_inner))
}

#[cfg(test)]
mod tests {
    #[test]
    fn an_impossible_state_is_noted_or_ends_the_test() {
        let met = std::panic::catch_unwind(|| never!("{} sides", 3));
        assert_eq!(met.is_err(), cfg!(debug_assertions));
        let seen = super::take();
        if !cfg!(debug_assertions) {
            assert_eq!(seen.len(), 1);
            let (what, n) = seen.first_key_value().unwrap();
            assert!(what.starts_with(file!()) && what.ends_with(": 3 sides") && *n == 1, "{seen:?}");
            assert!(super::take().is_empty());
        }
    }
}
