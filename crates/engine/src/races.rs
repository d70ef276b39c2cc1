//! Data races (`--races`), as C11 has them (5.1.2.4): two accesses of different threads to the same bytes, one of them a write and
//! one of them not atomic, and neither happens before the other. The path ends there, as what follows has no meaning; so
//! a switch of threads between two synchronisations shows nothing that is not found without it.
//!
//! What orders threads is told by the functions of the C library (`cleave_ordered`, runtime/musl/points.h) and the marks of atomic
//! accesses. The library's own accesses count where they are on behalf of the program: to objects that it has not made for itself.

use std::rc::Rc;

use cleave_memory::{Kind, Object};
use cleave_program::atomics::Shared;
use cleave_program::layout::{STACK_BASE, STACK_STRIDE_BITS};
use cleave_region::BugKind;

use crate::clocks::{Access, Clocks, Doing, Ordering};
use crate::engine::Engine;
use crate::places::OpPlace;
use crate::pointers::AccessTarget;
use crate::racing::{Accessed, Owner};
use crate::state::{Reg, State};
use crate::stop::Stop;

/// What `cleave_ordered` says of an object.
const ACQUIRES: u64 = 0;
const RELEASES: u64 = 1;
const JOINS: u64 = 2;

/// What stands for all that goes through the kernel: data, ends of processes, signals.
const SYSTEM: u64 = 1;
/// Calls that give something to others: writes, closes, signals.
const GIVES: [u64; 14] = [1, 3, 18, 20, 40, 44, 46, 48, 62, 129, 200, 234, 296, 297];
/// Calls that take something of others: reads, and waits for what others do.
const TAKES: [u64; 18] = [0, 7, 17, 19, 23, 34, 43, 45, 47, 61, 128, 130, 232, 247, 270, 271, 281, 288];

fn clocks(state: &mut State) -> &mut Clocks {
    Rc::make_mut(state.clocks.get_or_insert_default())
}

fn task(state: &State) -> (u64, u64) {
    (state.kernel.running(), state.kernel.running_thread())
}

impl Engine {
    /// Whether races are looked for, and there can be any: there has been more than one thread.
    #[inline]
    pub(crate) fn looks_for_races(&self, state: &State) -> bool {
        self.racing.is_some() && state.clocks.is_some()
    }

    /// Notes an access of the op at hand, which is done when the op is.
    #[inline]
    pub(crate) fn note_access(&mut self, state: &State, address: u64, size: u64, writes: bool) {
        if self.looks_for_races(state) && size > 0 {
            self.note_in_race(address, size, writes);
        }
    }

    /// Notes an access of `n` bytes. Where races are looked for its place must be known: a path for each.
    #[inline]
    pub(crate) fn noted_place(
        &mut self,
        state: &State,
        place: AccessTarget,
        n: u64,
        writes: bool,
    ) -> Result<AccessTarget, Stop> {
        if !self.looks_for_races(state) {
            return Ok(place);
        }
        let address = match place {
            AccessTarget::At(address) => address,
            AccessTarget::Within { base, size, offset } => {
                base + self.concrete_within(state, offset, 0, size.saturating_sub(n))?
            }
        };
        self.note_in_race(address, n, writes);
        Ok(AccessTarget::At(address))
    }

    /// What the op at hand has accessed does not count.
    pub(crate) fn forget_accesses(&mut self) {
        if let Some(racing) = &mut self.racing {
            racing.accessed.clear();
        }
    }

    #[cold]
    pub(crate) fn note_in_race(&mut self, address: u64, size: u64, writes: bool) {
        if let Some(racing) = &mut self.racing {
            racing.accessed.push(Accessed { address, size, writes });
        }
    }

    /// The op at hand is done: its accesses must not race with others.
    pub(crate) fn accesses_are_ordered(&mut self, state: &mut State) -> Result<(), Stop> {
        let Some(racing) = &mut self.racing else { return Ok(()) };
        if racing.accessed.is_empty() {
            return Ok(());
        }
        let accessed = std::mem::take(&mut racing.accessed);
        let (_, tid) = task(state);
        if state.clocks.is_none() || clocks(state).in_atomic(tid) {
            return Ok(());
        }
        let owner = racing.owners.get(state.frame.func as usize).copied().unwrap_or(Owner::Program);
        for access in accessed {
            let checked = match owner {
                Owner::Program => true,
                Owner::Locks => false,
                Owner::Library => {
                    state.memory.object(access.address).is_some_and(|o| self.is_programs(state, o))
                }
            };
            if checked {
                self.access(state, access, false)?;
            }
        }
        Ok(())
    }

    /// Whether an object is one that the C library has not made for itself.
    fn is_programs(&self, state: &State, object: &Object) -> bool {
        match object.kind {
            Kind::Global => {
                let known = self.racing.as_ref().and_then(|r| r.own_globals.get(object.origin as usize));
                known.copied().unwrap_or(true)
            }
            Kind::Heap => !state.of_library.contains(&object.base),
            _ => true,
        }
    }

    fn access(&mut self, state: &mut State, access: Accessed, atomic: bool) -> Result<(), Stop> {
        let Accessed { address, size, writes } = access;
        let place = self.here_in_program(state).to_raw();
        let task = task(state);
        let met = clocks(state).accesses(task, (address, size), Doing { writes, atomic, place });
        let Some((other, thread)) = met else { return Ok(()) };
        Err(self.race(state, access, atomic, (&other, thread)))
    }

    #[cold]
    fn race(&self, state: &State, access: Accessed, atomic: bool, (other, thread): (&Access, u64)) -> Stop {
        let does = |writes: bool, atomic: bool| match (writes, atomic) {
            (true, true) => "writes atomically",
            (true, false) => "writes",
            (false, true) => "reads atomically",
            (false, false) => "reads",
        };
        let place = self.place_text(OpPlace::from_raw(other.place));
        let (own, theirs) = (does(access.writes, atomic), does(other.writes, other.atomic));
        let object = self.accessed_object(state, access.address);
        let message = format!(
            "it {own} {object}, which thread {thread} {theirs} in {place}, and nothing orders the two"
        );
        Stop::bug(BugKind::DataRace, message)
    }

    /// What is accessed at an address, which may have been freed by that.
    fn accessed_object(&self, state: &State, address: u64) -> String {
        let at = |offset: u64, name: String| match offset {
            0 => name,
            _ => format!("offset {offset} of {name}"),
        };
        if let Some(object) = state.memory.object(address) {
            return at(address.wrapping_sub(object.base), self.object_name(object));
        }
        match state.memory.grave(address) {
            Some((grave, offset)) => at(offset.unwrap_or(0) as u64, self.dead_name(grave)),
            None => format!("what is at {address:#x}"),
        }
    }

    /// A thread has been made by the one that runs.
    pub(crate) fn order_of_new_thread(&mut self, state: &mut State, tid: u64) {
        if self.racing.is_some() {
            let (_, by) = task(state);
            clocks(state).begins(tid, by);
        }
    }

    /// The thread that runs has come to its end; its stack will be another's.
    pub(crate) fn order_of_ended_thread(&mut self, state: &mut State) {
        if self.looks_for_races(state) {
            let (pid, tid) = task(state);
            let (name, stack) = (state.thread_pointer, state.memory.stack_number());
            let from = STACK_BASE + (stack << STACK_STRIDE_BITS);
            clocks(state).ends(tid, pid, name);
            clocks(state).forget(pid, from, from + (1 << STACK_STRIDE_BITS));
        }
    }

    /// `cleave_ordered(object, how)`.
    pub(crate) fn ordered(&mut self, state: &mut State, object: Reg, how: Reg) -> Result<(), Stop> {
        if !self.looks_for_races(state) {
            return Ok(());
        }
        let (object, how) = (self.concrete(state, object)?, self.concrete(state, how)?);
        let (pid, tid) = task(state);
        match how {
            ACQUIRES => clocks(state).acquires(tid, (pid, object)),
            RELEASES => clocks(state).releases(tid, (pid, object)),
            JOINS => {
                let contexts = state.parked.as_ref().map(|there| there.contexts.iter());
                let mut living = contexts.into_iter().flatten();
                let living =
                    living.find(|(_, c)| c.pid == pid && c.thread_pointer == object).map(|(&tid, _)| tid);
                clocks(state).joins(tid, (pid, object), living);
            }
            _ => return Err(Stop::impossible("an order of threads that no function of the C library has")),
        }
        Ok(())
    }

    /// A system call of the thread that runs has returned.
    pub(crate) fn order_of_call(&mut self, state: &mut State, nr: u64) {
        if !self.looks_for_races(state) {
            return;
        }
        let (_, tid) = task(state);
        // The kernel is one for all processes.
        if GIVES.contains(&nr) {
            clocks(state).releases(tid, (0, SYSTEM));
        }
        if TAKES.contains(&nr) {
            clocks(state).acquires(tid, (0, SYSTEM));
        }
    }

    /// A handler begins: who has sent the signal did so before.
    pub(crate) fn order_of_handler(&mut self, state: &mut State) {
        if self.looks_for_races(state) {
            let (_, tid) = task(state);
            clocks(state).acquires(tid, (0, SYSTEM));
        }
    }

    /// An atomic access begins.
    pub(crate) fn order_begins(&mut self, state: &mut State, does: Shared) {
        if self.looks_for_races(state) && !does.has(Shared::VOLATILE) {
            let (_, tid) = task(state);
            clocks(state).set_in_atomic(tid, true);
        }
    }

    /// An atomic access is done, or a fence.
    pub(crate) fn order_ends(
        &mut self,
        state: &mut State,
        (address, size): (u64, u64),
        does: Shared,
    ) -> Result<(), Stop> {
        if !self.looks_for_races(state) || does.has(Shared::VOLATILE) {
            return Ok(());
        }
        let (pid, tid) = task(state);
        clocks(state).set_in_atomic(tid, false);
        let how = Ordering {
            reads: does.has(Shared::READS),
            writes: does.has(Shared::WRITES),
            acquires: does.has(Shared::ACQUIRES),
            releases: does.has(Shared::RELEASES),
        };
        if size == 0 {
            clocks(state).fences(tid, how);
            return Ok(());
        }
        // What it reads orders the access itself, too.
        clocks(state).takes(tid, (pid, address), how);
        self.access(state, Accessed { address, size, writes: how.writes }, true)?;
        clocks(state).gives(tid, (pid, address), how);
        Ok(())
    }

    /// The C library has made an object of the heap for itself, if one of its functions runs.
    pub(crate) fn note_allocation(&mut self, state: &mut State, address: u64) {
        if self.racing.is_some() && self.program.functions[state.frame.func as usize].library && address != 0
        {
            Rc::make_mut(&mut state.of_library).insert(address);
        }
    }
}
