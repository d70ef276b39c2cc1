//! Data races (`--races`), as C11 has them (5.1.2.4): two accesses of different threads to the same bytes, one of them a write
//! and one of them not atomic, and neither happens before the other. The path ends there, as its continuation has no meaning;
//! so a switch of threads between two synchronisations shows nothing that is not found without it.
//!
//! The functions of the C library (`cleave_ordered`, runtime/musl/points.h) and the marks of atomic accesses tell the order of
//! threads. The library's own accesses count where they are on behalf of the program: to objects that it has not made for
//! itself.
//!
//! With explored orders a path can go on behind a race of two accesses at points ([`EngineOptions::race_points`]), in front of
//! each of which another thread may go on. A path of its own reports the race, and ends there.
//!
//! [`EngineOptions::race_points`]: crate::EngineOptions::race_points

use std::collections::BTreeSet;

use cleave_linux::{Point, Wait};
use cleave_program::atomics::{SECTION_BEGINS, SECTION_ENDS, Shared};
use cleave_region::BugKind;

use crate::engine::Engine;
use crate::memory::accessed::Accessed;
use crate::states::places::OpPlace;
use crate::states::state::{Reg, State};
use crate::stop::Stop;
use crate::threads::clocks::{Access, Doing, Ordering};
use crate::threads::orders::{clocks, in_section, task};
use crate::threads::parked::Step;
use crate::threads::racing::Owner;
use crate::threads::spins::{SPINS, spins, spins_no_more};
use crate::threads::switching::parked;

/// The ways in which `cleave_ordered` orders an object.
const ACQUIRES: u64 = 0;
const RELEASES: u64 = 1;
const JOINS: u64 = 2;

/// Maximum number of instructions of a turn while races are sought.
const LONGEST_TURN: u64 = 1 << 12;

impl Engine {
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
        let owner = self.owner(state);
        // One point in front of a section is that of all its accesses.
        let at_point = clocks(state).at_point(tid) || self.explores(state) && in_section(state);
        if at_point {
            clocks(state).set_at_point(tid, false);
            if accessed.iter().any(|access| access.writes) {
                state.kernel.something_changed();
            }
        }
        for access in accessed {
            let checked = match owner {
                Owner::Program => true,
                Owner::Locks => false,
                Owner::Library => {
                    state.memory.object(access.address).is_some_and(|o| self.is_programs(state, o))
                }
            };
            if checked {
                self.access(state, access, (false, at_point))?;
            }
        }
        Ok(())
    }

    fn access(
        &mut self,
        state: &mut State,
        access: Accessed,
        (atomic, at_point): (bool, bool),
    ) -> Result<(), Stop> {
        let Accessed { address, size, writes } = access;
        let place = self.here_in_program(state).to_raw();
        let task = task(state);
        let met = clocks(state).accesses(task, (address, size), Doing { writes, atomic, at_point, place });
        for (other, thread) in met {
            let sought = self.racing.as_mut().and_then(|racing| racing.sought.as_mut());
            if let Some(sought) = sought {
                sought.extend((!at_point).then_some(place));
                sought.extend((!other.at_point).then_some(other.place));
                continue;
            }
            let passes = self.racing.as_ref().is_some_and(|racing| racing.points.is_some());
            if !passes || !at_point || !other.at_point {
                let mut text = self.race(state, access, atomic, (&other, thread));
                if passes {
                    text.push_str("; the orders behind that are not explored");
                }
                return Err(Stop::bug(BugKind::DataRace, text));
            }
            let text = self.race(state, access, atomic, (&other, thread));
            clocks(state).goes_past([place, other.place], || text.into());
        }
        Ok(())
    }

    /// True if the op that was done last has met a race that the path goes past.
    #[inline]
    pub(crate) fn has_untold_race(&self, state: &State) -> bool {
        self.racing.is_some() && state.clocks.as_ref().is_some_and(|clocks| clocks.untold().is_some())
    }

    /// Decides if the path ends in the race of the op in front of this one, or goes on.
    pub(crate) fn tell_race(&mut self, state: &mut State) -> Result<(), Stop> {
        let Some(text) = state.clocks.as_ref().and_then(|clocks| clocks.untold().cloned()) else {
            return Ok(());
        };
        if self.is_told_here(state)? {
            state.frame.pc = state.frame.pc.saturating_sub(1);
            return Err(Stop::bug(BugKind::DataRace, text.to_string()));
        }
        clocks(state).is_told();
        self.settled(state);
        Ok(())
    }

    /// A thread is at a place where another one may go on, in front of an access that is neither atomic nor volatile. Does what
    /// [`Engine::atomic_point`] does.
    pub(crate) fn comes_to_plain(&mut self, state: &mut State, access: Option<Accessed>) -> Result<(), Stop> {
        let task = task(state);
        if !parked(state).passed.contains(&task.1) {
            let step = match access {
                Some(Accessed { address, size, writes }) => {
                    self.comes_to_access(state);
                    Step::Accesses { address, size, writes }
                }
                None => Step::Anything,
            };
            self.about_to(state, step);
            let chosen = self.choose(state, None)?;
            self.note_turn(state, Point::Plain, chosen);
            parked(state).passed.insert(task.1);
            self.go_on_with(state, chosen)?;
        } else if access.is_some() && spins(state, task) {
            self.waits(state, &Wait { until: None, why: SPINS }, None)?;
            parked(state).passed.insert(task.1);
            self.call_due_elsewhere(state)?;
        } else {
            parked(state).passed.remove(&task.1);
            match access {
                Some(access) => self.notes_access(state, access.address, access.size),
                None => spins_no_more(state),
            }
            clocks(state).set_at_point(task.1, true);
        }
        self.settled(state);
        self.forget_accesses();
        Ok(())
    }

    #[cold]
    fn race(&self, state: &State, access: Accessed, atomic: bool, (other, thread): (&Access, u64)) -> String {
        let does = |writes: bool, atomic: bool| match (writes, atomic) {
            (true, true) => "writes atomically",
            (true, false) => "writes",
            (false, true) => "reads atomically",
            (false, false) => "reads",
        };
        let place = self.place_text(OpPlace::from_raw(other.place));
        let (own, theirs) = (does(access.writes, atomic), does(other.writes, other.atomic));
        let object = self.accessed_object(state, access.address);
        format!("it {own} {object}, which thread {thread} {theirs} in {place}, and nothing orders the two")
    }

    /// The object that is accessed at an address, in words; the access may have freed it.
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

    /// A place that [`Engine::sought_races`] has, for people: the function, and the line if it is known.
    pub fn name_of_place(&self, number: u32) -> String {
        self.place_text(OpPlace::from_raw(number))
    }

    /// Number of instructions of a path at which the thread that runs must let another one go on. While races are sought, a
    /// thread that waits for a plain variable has no point yet, and would turn for ever.
    pub(crate) fn end_of_turn(&self, state: &State) -> u64 {
        let seeks = self.racing.as_ref().is_some_and(|racing| racing.sought.is_some());
        match &state.parked {
            Some(there) if seeks && self.explores(state) => there.turn_began + LONGEST_TURN,
            _ => u64::MAX,
        }
    }

    /// Adds the places that race and are no points to these from now on, and lets all paths go on.
    pub fn seek_races(&mut self, known: BTreeSet<u32>) {
        if let Some(racing) = &mut self.racing {
            racing.sought = Some(known);
        }
    }

    /// The places that race and are no points, if they are sought.
    pub fn sought_races(&self) -> Option<&BTreeSet<u32>> {
        self.racing.as_ref().and_then(|racing| racing.sought.as_ref())
    }

    /// `cleave_ordered(object, how)`.
    pub(crate) fn ordered(&mut self, state: &mut State, object: Reg, how: Reg) -> Result<(), Stop> {
        let how = self.concrete(state, how)?;
        if how == u64::from(SECTION_BEGINS) || how == u64::from(SECTION_ENDS) {
            self.section(state, how == u64::from(SECTION_BEGINS));
            return Ok(());
        }
        if !self.looks_for_races(state) {
            return Ok(());
        }
        let object = self.concrete(state, object)?;
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

    /// An atomic access begins.
    pub(crate) fn order_begins(&mut self, state: &mut State, does: Shared) {
        if self.looks_for_races(state) {
            let (_, tid) = task(state);
            if does.has(Shared::VOLATILE) {
                // The point of the mark is that of the access.
                let explores = self.explores(state);
                clocks(state).set_at_point(tid, explores);
            } else {
                clocks(state).set_in_atomic(tid, true);
            }
        }
    }

    /// An atomic access is done, or a fence.
    pub(crate) fn order_ends(
        &mut self,
        state: &mut State,
        (address, size): (u64, u64),
        does: Shared,
    ) -> Result<(), Stop> {
        if !self.looks_for_races(state) {
            return Ok(());
        }
        let (pid, tid) = task(state);
        if does.has(Shared::VOLATILE) {
            clocks(state).set_at_point(tid, false);
            return Ok(());
        }
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
        // The value that it reads orders the access itself, too.
        clocks(state).takes(tid, (pid, address), how);
        let explores = self.explores(state);
        self.access(state, Accessed { address, size, writes: how.writes }, (true, explores))?;
        clocks(state).gives(tid, (pid, address), how);
        Ok(())
    }
}
