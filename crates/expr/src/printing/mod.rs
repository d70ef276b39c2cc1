//! Terms as text.

pub(crate) mod c_expr; // expressions of C with their precedence
pub(crate) mod c_number; // floating-point terms as C
pub(crate) mod c_text; // terms in the manner of C, for people
pub(crate) mod print; // terms in the manner of SMT-LIB
