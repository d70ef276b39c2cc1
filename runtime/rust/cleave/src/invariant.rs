//! Values that are safe.

/// Types that say which of their values are safe. `#[derive(cleave::Invariant)]` has it of the conditions in the type's
/// `#[safety_constraint(CONDITION)]`, or else of its fields.
pub trait Invariant: Sized {
    /// Returns true if the value is safe.
    fn is_safe(&self) -> bool;
}

macro_rules! always {
    ($($each:ty),*) => {
        $(impl Invariant for $each {
            fn is_safe(&self) -> bool {
                true
            }
        })*
    };
}

always!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize, f32, f64, (), bool, char);
