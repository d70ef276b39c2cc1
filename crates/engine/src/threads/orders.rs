//! Accesses of the op at hand, and the order that new threads, ends of threads, calls, sections and handlers give the threads. Accesses come
//! here from everywhere; `races.rs` looks whether they race.

use std::rc::Rc;

use cleave_linux::Schedules;
use cleave_memory::{Kind, Object};

use crate::engine::Engine;
use crate::memory::accessed::Accessed;
use crate::memory::pointers::AccessTarget;
use crate::states::state::State;
use crate::stop::Stop;
use crate::threads::clocks::Clocks;
use crate::threads::racing::{Owner, Racing};

/// Number of the object that stands for all that goes through the kernel: data, ends of processes, signals.
const SYSTEM: u64 = 1;
/// Number of the object that stands for the sections that no thread interrupts.
const SECTION: u64 = 2;
/// Calls that give something to others: writes, closes, signals.
const GIVES: [u64; 14] = [1, 3, 18, 20, 40, 44, 46, 48, 62, 129, 200, 234, 296, 297];
/// Calls that take something of others: reads, and waits for steps of others.
const TAKES: [u64; 18] = [0, 7, 17, 19, 23, 34, 43, 45, 47, 61, 128, 130, 232, 247, 270, 271, 281, 288];

impl Engine {
    /// True if races are looked for, and there can be any: there has been more than one thread.
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

    /// Notes an access of `n` bytes. If races are looked for, its place is decided: a path for each.
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
        self.plain_point(state, Some(Accessed { address, size: n, writes }))?;
        self.note_in_race(address, n, writes);
        Ok(AccessTarget::At(address))
    }

    /// A point in front of an access of the op at hand, or of some that are not known yet: the thread may be interrupted there
    /// if the place is one of the points, and it has not passed it.
    #[inline]
    pub(crate) fn plain_point(&mut self, state: &State, access: Option<Accessed>) -> Result<(), Stop> {
        match (&self.racing, &state.clocks) {
            (Some(Racing { points: Some(points), .. }), Some(_)) if !points.is_empty() => {
                self.open_point(state, access)
            }
            _ => Ok(()),
        }
    }

    #[cold]
    fn open_point(&mut self, state: &State, access: Option<Accessed>) -> Result<(), Stop> {
        let (Some(racing), Some(clocks)) = (&self.racing, &state.clocks) else { return Ok(()) };
        let (_, tid) = task(state);
        let here = self.here_in_program(state).to_raw();
        let is_point = racing.points.as_ref().is_some_and(|points| points.contains(&here));
        if !is_point || clocks.in_atomic(tid) || clocks.at_point(tid) || !self.may_be_interrupted(state) {
            return Ok(());
        }
        let counts = match (self.owner(state), access) {
            (Owner::Locks, _) => false,
            (Owner::Library, Some(access)) => {
                state.memory.object(access.address).is_some_and(|o| self.is_programs(state, o))
            }
            (Owner::Library, None) | (Owner::Program, _) => true,
        };
        if counts { Err(Stop::AtPoint(access)) } else { Ok(()) }
    }

    /// The owner of the function that runs.
    pub(crate) fn owner(&self, state: &State) -> Owner {
        let known = self.racing.as_ref().and_then(|r| r.owners.get(state.frame.func as usize));
        known.copied().unwrap_or(Owner::Program)
    }

    /// Forgets the accesses of the op at hand.
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

    /// True unless the C library has made the object for itself.
    pub(crate) fn is_programs(&self, state: &State, object: &Object) -> bool {
        match object.kind {
            Kind::Global => {
                let known = self.racing.as_ref().and_then(|r| r.own_globals.get(object.origin as usize));
                known.copied().unwrap_or(true)
            }
            Kind::Heap => !state.of_library.contains(&object.base),
            _ => true,
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
            let target = self.program.target;
            let [from, to] =
                [stack, stack + 1].map(|number| target.stack_base() + target.stack_start(number));
            clocks(state).ends(tid, pid, name);
            clocks(state).forget(pid, from, to);
        }
    }

    /// Sections are ordered among themselves, as by a lock.
    pub(crate) fn order_of_section(&self, state: &mut State, begins: bool) {
        if self.looks_for_races(state) {
            let (pid, tid) = task(state);
            match begins {
                true => clocks(state).acquires(tid, (pid, SECTION)),
                false => clocks(state).releases(tid, (pid, SECTION)),
            }
        }
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

    /// A handler begins: the sender of its signal comes before it.
    pub(crate) fn order_of_handler(&mut self, state: &mut State) {
        if self.looks_for_races(state) {
            let (_, tid) = task(state);
            clocks(state).acquires(tid, (0, SYSTEM));
        }
    }

    /// The C library has made an object of the heap for itself, if one of its functions runs.
    pub(crate) fn note_allocation(&mut self, state: &mut State, address: u64) {
        if self.racing.is_some() && self.program.functions[state.frame.func as usize].library && address != 0
        {
            Rc::make_mut(&mut state.of_library).insert(address);
        }
    }

    /// True if orders are explored and there is more than one thread to order.
    pub(crate) fn explores(&self, state: &State) -> bool {
        self.options.env.schedules != Schedules::Fixed && state.parked.is_some() && state.kernel.has_made().1
    }

    /// True if another thread may go on when the one that runs comes to a point.
    pub(crate) fn may_be_interrupted(&self, state: &State) -> bool {
        self.explores(state) && !in_section(state)
    }
}

pub(crate) fn clocks(state: &mut State) -> &mut Clocks {
    Rc::make_mut(state.clocks.get_or_insert_default())
}

pub(crate) fn task(state: &State) -> (u64, u64) {
    (state.kernel.running(), state.kernel.running_thread())
}

/// True if the thread that runs is in a section that no other one interrupts.
pub(crate) fn in_section(state: &State) -> bool {
    let tid = state.kernel.running_thread();
    state.parked.as_ref().is_some_and(|there| there.sections.contains_key(&tid))
}
