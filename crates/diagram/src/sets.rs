//! Sets of the values of a byte.

use cleave_expr::ByteSet;

/// The values that are in one of two sets.
pub(crate) fn union(a: &ByteSet, b: &ByteSet) -> ByteSet {
    a.complement().intersect(&b.complement()).complement()
}

/// The values of a condition that is a variable: it holds, or it does not.
pub(crate) fn holds() -> ByteSet {
    not_holds().complement()
}

/// See [`holds`].
fn not_holds() -> ByteSet {
    let mut set = ByteSet::EMPTY;
    set.insert(0);
    set
}

/// A set as runs of neighbouring values: first and last of each, rising.
pub(crate) fn runs(set: &ByteSet) -> Vec<(u8, u8)> {
    let mut runs: Vec<(u8, u8)> = Vec::new();
    for v in set.iter() {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == v => *last = v,
            _ => runs.push((v, v)),
        }
    }
    runs
}
