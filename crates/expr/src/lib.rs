//! Terms over the bytes of a test: hash-consed bit-vectors of 1 to 128 bits, kept simple by their
//! constructors, evaluated under a witness, and described by the exact value sets of single bytes.
//!
//! A [`Term`] is a small handle into [`Terms`]. Equal terms have equal handles. The shape, range and hash of a
//! term are functions of how it was made from inputs and constants, never of the order in which other terms
//! were made: two workers that run the same path see the same terms.

mod bounds;
mod boxes;
mod build;
mod by_row;
mod byteset;
mod c_expr;
mod c_number;
mod c_text;
mod cache;
mod cancelling;
mod column;
mod contract;
mod domain;
mod entries;
mod eval;
mod float_op;
mod floats;
mod forms;
mod histories;
mod interval;
mod lane_eval;
mod lanes;
mod limit;
mod linear;
mod lower;
mod nested;
mod nesting;
mod notes;
mod number_ranges;
mod parts;
mod policy;
mod print;
mod quotients;
mod rewrite;
mod rows;
mod select;
mod semantics;
mod share;
mod simplify;
mod slices;
mod slopes;
mod sums;
mod table;
mod table_limit;
mod table_memory;
mod term;
mod term_map;
mod terms;
mod witness;

pub use bounds::{
    Bounds, biased, binary_bounds, both, hull, less, of_bits, sign_extended, wide_biased, wide_binary_bounds,
    wide_sign_extended,
};
pub use boxes::{Boxes, Contracted, Leaf, Look};
pub use byteset::{ByteSet, LANES};
pub use c_expr::LEFT_OUT;
pub use c_text::{Names, byte_text, ranges_of};
pub use cleave_float::{Float, Rounding};
pub use entries::Entries;
pub use float_op::FloatOp;
pub use interval::{Interval, at_place, last_place, place_of};
pub use lane_eval::asked;
pub use lanes::{Value, holding};
pub use limit::Limit;
pub use nesting::{Innermost, Nesting};
pub use notes::Note;
pub use parts::Bound;
pub use rows::Table;
pub use semantics::{binary64, binary128, mask, mask64, sign_extend};
pub use share::Share;
pub use term::{BinaryOp, ByteId, Children, Node, Support, TableId, Term};
pub use term_map::TermMap;
pub use terms::Terms;
pub use witness::Witness;
