//! The handlers that clang calls where a check of `-fsanitize=undefined` fails: `__ubsan_handle_NAME`, with `_abort` behind it if
//! the program does not go on, `_minimal` if nothing is passed.

/// A failed check: its kind, and how its handler is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handler {
    /// The check.
    pub check: Check,
    /// The program does not go on behind it.
    pub ends: bool,
    /// It is given the data of the place.
    pub has_data: bool,
}

macro_rules! checks {
    ($($(#[$doc:meta])* $name:ident, $text:literal;)*) => {
        /// The checks, by their handlers' names.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Check { $($(#[$doc])* $name,)* }
        const CHECKS: &[(&str, Check)] = &[$(($text, Check::$name),)*];
    };
}

checks! {
    /// An addition that overflows.
    Add, "add_overflow";
    /// A subtraction that overflows.
    Sub, "sub_overflow";
    /// A multiplication that overflows.
    Mul, "mul_overflow";
    /// A negation that overflows.
    Negate, "negate_overflow";
    /// A division by zero, or one that overflows.
    Division, "divrem_overflow";
    /// A shift by too much, or one that overflows.
    Shift, "shift_out_of_bounds";
    /// An index outside of an array.
    Bounds, "out_of_bounds";
    /// An access through a pointer that is null, not aligned, or to too small an object.
    TypeMismatch, "type_mismatch";
    /// As [`Check::TypeMismatch`], with data of another form.
    TypeMismatch1, "type_mismatch_v1";
    /// An assumption about an alignment that does not hold.
    Alignment, "alignment_assumption";
    /// Pointer arithmetic that overflows, or begins with null.
    Pointer, "pointer_overflow";
    /// A null argument that is declared never to be null.
    NonnullArgument, "nonnull_arg";
    /// A null result that is declared never to be null.
    NonnullResult, "nonnull_return";
    /// As [`Check::NonnullResult`], with the place apart from the data.
    NonnullResult1, "nonnull_return_v1";
    /// A null argument of a type that has no null.
    NullabilityArgument, "nullability_arg";
    /// A null result of a type that has no null.
    NullabilityResult, "nullability_return_v1";
    /// An array of variable length whose length is not positive.
    VlaBound, "vla_bound_not_positive";
    /// A call of `__builtin_unreachable`.
    Unreachable, "builtin_unreachable";
    /// The end of a function that should have returned a value.
    MissingReturn, "missing_return";
    /// A value that its type does not have.
    Value, "load_invalid_value";
    /// A conversion of a floating-point number that overflows.
    FloatCast, "float_cast_overflow";
    /// An implicit conversion that changes the value.
    Conversion, "implicit_conversion";
    /// A builtin that counts zeros of 0.
    Builtin, "invalid_builtin";
    /// A call through a pointer to another type of function.
    FunctionType, "function_type_mismatch";
}

/// The number that stands for the handler of a function's name.
pub(crate) fn handler(function: &str) -> Option<u64> {
    let name = function.strip_prefix("__ubsan_handle_")?;
    let (name, ends) = name.strip_suffix("_abort").map_or((name, false), |n| (n, true));
    let (name, bare) = name.strip_suffix("_minimal").map_or((name, false), |n| (n, true));
    let index = CHECKS.iter().position(|(text, _)| *text == name)?;
    Some((index as u64) << 2 | u64::from(bare) << 1 | u64::from(ends))
}

impl Handler {
    /// The handler of such a number; `None` if it is none.
    pub fn of(number: u64) -> Option<Handler> {
        let check = CHECKS.get((number >> 2) as usize)?.1;
        Some(Handler { check, ends: number & 1 != 0, has_data: number & 2 == 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handlers_are_known_by_their_names() {
        let of = |name| handler(name).and_then(Handler::of);
        let plain = Handler { check: Check::Add, ends: false, has_data: true };
        assert_eq!(of("__ubsan_handle_add_overflow"), Some(plain));
        assert_eq!(of("__ubsan_handle_add_overflow_abort"), Some(Handler { ends: true, ..plain }));
        let bare = Handler { ends: true, has_data: false, ..plain };
        assert_eq!(of("__ubsan_handle_add_overflow_minimal_abort"), Some(bare));
        assert_eq!(of("__ubsan_handle_nothing"), None);
        assert_eq!(Handler::of(u64::MAX), None);
    }
}
