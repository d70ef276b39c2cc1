//! Trees of any size, made on demand, with the statistics of a recorded one.
//!
//! A [`Model`] is fitted to a recorded [`Tree`](crate::Tree). A [`GrownTree`] draws from it: each subtree is given its
//! number of paths, its instructions and its questions, and divides them among its sides, as a hash of its position chooses. So
//! they are exact by construction, and a whole subtree can be explored in one step.

mod leaps;
mod model;
mod shape;
mod space;
mod tree;

pub use leaps::{Leaps, Reach};
pub use model::{Load, Model, Segment};
pub use shape::Shape;
pub use space::GrownSpace;
pub use tree::{GrownTree, Place};
