//! Simplification: constructors that keep terms simple, and other forms of terms for solving.

pub(crate) mod build; // constructors of terms
pub(crate) mod by_row; // terms over a few bytes as entries of tables
pub(crate) mod cancelling; // equations of sums, without what both sides have
pub(crate) mod quotients; // comparisons of quotients as comparisons of the dividend; products in their least width
pub(crate) mod rewrite; // forms of terms for solving
pub(crate) mod select; // reads of arrays at symbolic offsets
pub(crate) mod simplify; // the constructors' rewriting rules
pub(crate) mod sums; // canonical forms of sums
