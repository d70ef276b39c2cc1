//! Accesses that threads make without the C library: atomic and volatile ones (program/src/llvm/marks/atomics.rs). In front of each
//! is a point where another thread may go on; a thread that spins waits there. All atomic ones are sequentially consistent.

use cleave_linux::{Point, Wait};
use cleave_program::atomics::Shared;
use cleave_program::code::{Builtin, Reg as RegIndex};

use crate::engine::Engine;
use crate::states::state::{Reg, State};
use crate::stop::{Flow, Stop};
use crate::threads::orders::in_section;
use crate::threads::parked::Step;
use crate::threads::spins::{SPINS, spins};
use crate::threads::switching::parked;

const WEAK: &str =
    "atomic accesses with an order weaker than sequential consistency are sequentially consistent";

/// The arguments of a mark, made concrete.
struct Mark {
    address: u64,
    size: u64,
    does: Shared,
}

impl Engine {
    fn mark_of(&mut self, state: &State, [address, size, does]: [Reg; 3]) -> Result<Mark, Stop> {
        let (address, size) = (self.concrete(state, address)?, self.concrete(state, size)?);
        Ok(Mark { address, size, does: Shared(self.concrete(state, does)?) })
    }

    /// Executes the builtins that mark points between threads, or that order their accesses.
    pub(crate) fn meeting(
        &mut self,
        state: &mut State,
        what: Builtin,
        args: [Reg; 3],
        dst: RegIndex,
    ) -> Result<Flow, Stop> {
        match what {
            Builtin::Point => return self.shared_point(state, args, dst),
            Builtin::AtomicPoint => return self.atomic_point(state, args),
            Builtin::BadUnlock => self.unlocked_badly(state, args[0])?,
            Builtin::Ordered => self.ordered(state, args[0], args[1])?,
            Builtin::AtomicBegins => self.atomic_begins(state, args)?,
            Builtin::AtomicEnds => self.atomic_ends(state, args)?,
            _ => return Err(Stop::impossible("a builtin by which no threads meet")),
        }
        Ok(Flow::Next)
    }

    /// `cleave_atomic_point(address, size, does)`.
    pub(crate) fn atomic_point(&mut self, state: &mut State, args: [Reg; 3]) -> Result<Flow, Stop> {
        if !state.kernel.has_made().1 || in_section(state) && self.explores(state) {
            return Ok(Flow::Next);
        }
        let Mark { address, size, does } = self.mark_of(state, args)?;
        let task = (state.kernel.running(), state.kernel.running_thread());
        let explores = self.explores(state);
        if !parked(state).passed.contains(&task.1) {
            self.comes_to_access(state);
            if explores {
                let step = Step::Accesses { address, size, writes: does.has(Shared::WRITES) };
                self.about_to(state, step);
                let chosen = self.choose(state, None)?;
                self.count_access();
                self.note_turn(state, Point::Access, chosen);
                parked(state).passed.insert(task.1);
                self.go_on_with(state, chosen)?;
                return Ok(Flow::Again);
            }
            self.count_access();
        }
        if spins(state, task) {
            let waited = self.waits(state, &Wait { until: None, why: SPINS }, None);
            if !explores {
                let next = (state.kernel.running(), state.kernel.running_thread());
                self.note_spin(task.1, if waited.is_ok() { next } else { (0, 0) });
            }
            waited?;
            parked(state).passed.insert(task.1);
            self.call_due_elsewhere(state)?;
            return Ok(Flow::Again);
        }
        parked(state).passed.remove(&task.1);
        Ok(Flow::Next)
    }

    /// `cleave_atomic_begins(address, size, does)`.
    pub(crate) fn atomic_begins(&mut self, state: &mut State, args: [Reg; 3]) -> Result<(), Stop> {
        if !state.kernel.has_made().1 {
            return Ok(());
        }
        let Mark { address, size, does } = self.mark_of(state, args)?;
        self.order_begins(state, does);
        self.notes_access(state, address, size);
        Ok(())
    }

    /// `cleave_atomic_ends(address, size, does)`.
    pub(crate) fn atomic_ends(&mut self, state: &mut State, args: [Reg; 3]) -> Result<(), Stop> {
        if !state.kernel.has_made().1 {
            return Ok(());
        }
        let Mark { address, size, does } = self.mark_of(state, args)?;
        self.order_ends(state, (address, size), does)?;
        if does.has(Shared::WEAK) {
            state.kernel.make_up(WEAK);
        }
        if does.has(Shared::WRITES) {
            state.kernel.something_changed();
        }
        Ok(())
    }
}
