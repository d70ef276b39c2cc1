//! The handlers that clang calls where a check of `-fsanitize=undefined` fails: `__ubsan_handle_NAME`, with `_abort`
//! behind it where the program does not go on, `_minimal` where nothing is passed.

/// What a failed check says.
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
    ($($name:ident, $text:literal;)*) => {
        /// The checks, by their handlers' names.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs)]
        pub enum Check { $($name,)* }
        const CHECKS: &[(&str, Check)] = &[$(($text, Check::$name),)*];
    };
}

checks! {
    Add, "add_overflow";
    Sub, "sub_overflow";
    Mul, "mul_overflow";
    Negate, "negate_overflow";
    Division, "divrem_overflow";
    Shift, "shift_out_of_bounds";
    Bounds, "out_of_bounds";
    TypeMismatch, "type_mismatch";
    TypeMismatch1, "type_mismatch_v1";
    Alignment, "alignment_assumption";
    Pointer, "pointer_overflow";
    NonnullArgument, "nonnull_arg";
    NonnullResult, "nonnull_return";
    NonnullResult1, "nonnull_return_v1";
    NullabilityArgument, "nullability_arg";
    NullabilityResult, "nullability_return_v1";
    VlaBound, "vla_bound_not_positive";
    Unreachable, "builtin_unreachable";
    MissingReturn, "missing_return";
    Value, "load_invalid_value";
    FloatCast, "float_cast_overflow";
    Conversion, "implicit_conversion";
    Builtin, "invalid_builtin";
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
