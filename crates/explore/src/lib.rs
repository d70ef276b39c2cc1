//! Exploration of a region: the frontier, forks, and the export of states as regions. Campaign workers call it; paths, regions
//! given away and remaining regions together are always the whole region.
//!
//! It is generic over the explored [`Space`], so that toy trees and the engine go through the same code.
//! It mirrors the executable model of regions: a node carries the two cuts that still bind it, a decision
//! sends each cut down the side that its test takes, and a cut falls away as soon as its depth is reached.

mod any;
mod asking;
mod chosen;
mod clock;
mod concolic;
mod crossing;
mod difference;
mod divergence;
mod estimate;
mod event;
mod explorer;
mod flow;
mod frontier;
mod gaps;
mod meter;
mod node;
mod order;
mod programs;
mod random;
mod seeds;
mod space;
mod strategies;
mod strategy;
mod trace;
mod trail;
mod tree;
mod waiting;
mod walk;

pub use any::AnyExplorer;
pub use asking::{Asking, Backtrack, Feasibility};
pub use clock::{Pending, SolverClock, WayTimes};
pub use concolic::{Concolic, Concrete, ITEM_ORDERS, ItemOrder};
pub use difference::difference;
pub use divergence::{Divergence, Likeness, Row};
pub use estimate::Experience;
pub use event::{Event, Limit, Limits};
pub use explorer::Explorer;
pub use flow::{Distances, Flow};
pub use meter::Counters;
pub use order::{Order, compare, sort};
pub use programs::{ProgramEnd, Programs, TERM_MEMORY, WhyNot};
pub use seeds::{Around, Taken, around, by_name, path_taken};
pub use space::{Answer, Outcome, Space, Together};
pub use strategies::{Making, STRATEGIES, Search, SearchError, StrategyEntry};
pub use strategy::{Place, Random, Slot, StateView, Strategy, Waiters};
pub use trace::TRACES;
pub use trail::Trail;
pub use walk::{Met, Passing, Reach, Walked, Walks, walk, walk_closely, walk_test};
