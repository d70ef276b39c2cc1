//! Terms over the bytes of a test: hash-consed bit-vectors of 1 to 128 bits, kept simple by their
//! constructors, evaluated under a witness, and described by the exact value sets of single bytes.
//!
//! A [`Term`] is a small handle into [`Terms`]. Equal terms have equal handles. The shape, range and hash of a
//! term are functions of how it was made from inputs and constants, never of the order in which other terms
//! were made: two workers that run the same path see the same terms.

mod domains; // abstract domains: sets of values that a term can have
mod evaluation; // evaluation of terms: under a witness, for 64 inputs at once, and in all rows of enumerated models
mod float; // floating-point terms
mod policy; // budgets and thresholds of the terms
mod printing; // terms as text
mod prune; // branch and prune: conditions over boxes, where each word of the input lies between two bounds
mod simplification; // simplification: constructors that keep terms simple, and other forms of terms for solving
mod store; // the store of terms: their nodes, and what is known of them once and for all

pub use cleave_float::{Float, Rounding};
pub use domains::bounds::{
    Bounds, biased, binary_bounds, both, hull, less, of_bits, sign_extended, wide_biased, wide_binary_bounds,
    wide_sign_extended,
};
pub use domains::byteset::{ByteSet, LANES};
pub use domains::interval::{Interval, at_place, last_place, place_of};
pub use evaluation::entries::Entries;
pub use evaluation::lane_eval::asked;
pub use evaluation::lanes::{Value, holding};
pub use evaluation::limit::Limit;
pub use evaluation::rows::Table;
pub use evaluation::semantics::{binary64, binary128, mask, mask64, sign_extend};
pub use evaluation::share::Share;
pub use float::float_op::FloatOp;
pub use printing::c_expr::LEFT_OUT;
pub use printing::c_text::{Names, byte_text, ranges_of};
pub use prune::boxes::{Boxes, Contracted, Leaf, Look};
pub use prune::parts::Bound;
pub use store::nesting::{Innermost, Nesting};
pub use store::notes::Note;
pub use store::term::{BinaryOp, ByteId, Children, Node, Support, TableId, Term};
pub use store::term_map::TermMap;
pub use store::terms::Terms;
pub use store::witness::Witness;
