//! Exploration of a region: the frontier, forks, and the export of states as regions. Campaign workers call it; paths, regions
//! given away and remaining regions together are always the whole region.
//!
//! It is generic over the explored [`Space`], so that toy trees and the engine go through the same code.
//! It mirrors the executable model of regions: a node carries the two cuts that still bind it, a decision
//! sends each cut down the side that its test takes, and a cut falls away as soon as its depth is reached.

mod any_explorer; // Symbolic and concolic exploration behind one type, `AnyExplorer`.
mod clock; // Times of solver queries, also of one in progress, and of the ways to regions.
mod concolic; // Concolic exploration of a region: concrete runs instead of states.
mod engine; // Real programs as a space, and their control flow.
mod estimate; // Estimates of the number of paths left.
mod event; // Bounds of an exploration (`Limits`) and its reports (`Event`).
mod explorer; // Symbolic exploration of a region by forking states: `Explorer`.
mod feasibility; // The feasibility policy: when an exploration checks the sides of a decision.
mod meter; // Counters and clocks of an exploration, and its only access to the solver.
mod mutation; // Executions of mutated tests in turn with an exploration, which follows what they find.
mod paths; // Paths of tests: followed, compared, and around them regions.
mod random; // Random numbers that a seed determines.
mod recent; // Shares of those who look for new code, by what each has found of late.
mod space; // The transition system under exploration: trait `Space`.
mod states; // The waiting states of an exploration.
mod strategies; // The search strategies, a file each, and their table.
mod strategy; // The interface of search strategies: `Strategy`.
mod trace; // Trace lines of an exploration, for debugging.

pub use any_explorer::AnyExplorer;
pub use clock::{Pending, SolverClock, WayTimes};
pub use concolic::{Concolic, Concrete, ITEM_ORDERS, ItemOrder};
pub use engine::control_flow::{Distances, Flow};
pub use engine::programs::{ProgramEnd, Programs, TERM_MEMORY, WhyNot};
pub use estimate::Experience;
pub use event::{Event, Limit, Limits};
pub use explorer::Explorer;
pub use explorer::pursuing::Pursuit;
pub use feasibility::{Asking, Backtrack, Feasibility};
pub use meter::Counters;
pub use mutation::{MutatedShare, Mutations, Mutator, NativeProgram};
pub use paths::checkpoints::Trail;
pub use paths::difference::difference;
pub use paths::divergence::{Divergence, Likeness, Row};
pub use paths::order::{Order, compare, sort};
pub use paths::parting::{Leaf, Stop, part};
pub use paths::seeds::{Around, Taken, around, by_name, path_taken};
pub use paths::walk::{Met, Passing, Reach, Walked, Walks, walk, walk_closely, walk_test};
pub use space::{Answer, Ending, Execution, Outcome, Space, Together};
pub use strategies::{Making, STRATEGIES, Search, SearchError, StrategyEntry};
pub use strategy::{Place, Random, Slot, StateView, Strategy, Waiters};
pub use trace::TRACES;
