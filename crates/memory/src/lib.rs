//! The memory of a program under test: an address space of objects, copied on the first write after a fork,
//! with bounds, lifetimes and write protection checked at every access.

mod byte;
mod data;
mod holes;
mod join;
mod object;
mod own;
mod page;
mod same;
mod shade;
mod slots;
mod space;
mod stacks;
mod undefined;
mod windows;

pub use byte::{Byte, Reg, Word};
pub use join::JoinObjects;
pub use object::{Birth, Grave, Hole, Kind, Object};
pub use own::changes;
pub use shade::{Shade, Shadow};
pub use space::{AddressSpace, Fault, FreeFault, MAX_HEAP, MAX_OBJECT};
pub use undefined::PAGE;
pub use windows::Window;
