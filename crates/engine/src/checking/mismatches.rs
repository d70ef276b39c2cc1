//! Objects of the heap that another function frees than that of what made them. `operator new` and `operator delete` are functions of the
//! library above `malloc` and `free`, so the frames at hand say which of them runs.

use cleave_region::BugKind;

use crate::engine::Engine;
use crate::ops::operators::{Family, Operator};
use crate::states::state::State;
use crate::stop::Stop;

impl Engine {
    /// Whose allocation or freeing the running function does, and the size that it is told in bytes.
    fn family(&self, state: &State) -> (Family, Option<u64>) {
        let (mut family, mut told) = (Family::Malloc, None);
        if self.operators.is_empty() {
            return (family, told);
        }
        for frame in state.frames() {
            let size = match self.operators.get(frame.func) {
                Operator::Other => break,
                Operator::Behind => None,
                Operator::One(size) => {
                    family = Family::New;
                    size
                }
                Operator::Array(size) => {
                    family = Family::NewArray;
                    size
                }
            };
            let value = size.and_then(|r| frame.regs.get(r as usize)).filter(|value| value.is_known());
            told = value.map(|value| value.value).or(told);
        }
        (family, told)
    }

    /// The allocator that makes an object of the heap, as the object keeps it.
    pub(crate) fn allocator_at_hand(&self, state: &State) -> u32 {
        self.family(state).0 as u32
    }

    /// An object of the heap is about to be freed.
    pub(crate) fn freed_by_its_kind(&self, state: &State, address: u64) -> Result<(), Stop> {
        if self.operators.is_empty() {
            return Ok(());
        }
        let Some(object) = state.memory.object(address).filter(|o| o.base == address) else { return Ok(()) };
        let (freeing, told) = self.family(state);
        let made = Family::of_origin(object.origin);
        let name = || self.object_name(object);
        if made != freeing {
            let text = format!("{} is made by {} and freed by {}", name(), made.makes(), freeing.frees());
            return Err(Stop::bug(BugKind::MismatchedFree, text));
        }
        match told {
            Some(size) if object.extent.is_none() && size.max(1) != object.size => {
                let text = format!("{} is freed by {} as one of {size} bytes", name(), freeing.frees());
                Err(Stop::bug(BugKind::MismatchedFree, text))
            }
            _ => Ok(()),
        }
    }
}
