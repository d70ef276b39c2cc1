//! Floating-point terms.

pub(crate) mod float_op; // operators
pub(crate) mod floats; // constructors
pub(crate) mod lower; // the same as circuits, for back ends
