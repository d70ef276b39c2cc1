//! Orders of threads as inputs (`--explore-schedules`). If several threads can go on, a decision on a byte of an input chooses
//! one: 0 is the one that goes on by itself, and the others follow by number. A thread comes to a point in front of each step
//! that others may see: it uses a lock or the like (runtime/musl/points.c), or makes a call that is not of [`UNSEEN`]. Between
//! two points no other thread may see its steps while there is no data race.
//!
//! Sleep sets (Godefroid, Partial-Order Methods for the Verification of Concurrent Systems, 1996, chapter 5) leave one path of
//! those that differ in the order of independent steps: a thread sleeps while its next step has been explored first on another
//! path and nothing has been done since that depends on it. The set of sleeping threads is a function of the path's decisions,
//! so it holds in every region.

use std::collections::BTreeSet;

use cleave_linux::{Kernel, Next, Point, SCHEDULE_OBJECT, Schedules, Turn, UNSEEN, Wait};
use cleave_program::code::Reg as RegIndex;

use crate::engine::Engine;
use crate::library::guest::Called;
use crate::ops::direct::mask64;
use crate::states::state::{Reg, State};
use crate::stop::{End, Flow, Stop};
use crate::threads::noted::Noted;
use crate::threads::parked::Step;
use crate::threads::spins::spins;
use crate::threads::switching::{complete, parked};

/// The object that all calls that others see have in common: their dependence on each other is not looked at.
const SYSTEM: u64 = 1;
/// The calls that send signals, by their numbers.
const KILL: u64 = 62;
const SIGQUEUE: u64 = 129;
/// The call that ends all threads of its process.
const EXIT_GROUP: u64 = 231;
const TKILL: u64 = 200;
const TGKILL: u64 = 234;
const TGSIGQUEUE: u64 = 297;
/// The word of a point that a call follows, without another point in between.
const CALLS: u64 = 1;
/// Size in bytes that an object is taken to have: the largest is a thread's own, `struct pthread`.
const OBJECT_SIZE: u64 = 256;

impl Engine {
    /// The thread that runs begins or ends a section in which it comes to no point. The point in front of a section depends on
    /// all steps of others, because nothing is known of the section yet.
    pub(crate) fn section(&mut self, state: &mut State, begins: bool) {
        if !state.kernel.has_made().1 {
            return;
        }
        let tid = state.kernel.running_thread();
        self.order_of_section(state, begins);
        if begins {
            *parked(state).sections.entry(tid).or_default() += 1;
        } else if let Some(depth) = parked(state).sections.get_mut(&tid) {
            *depth -= 1;
            if *depth == 0 {
                parked(state).sections.remove(&tid);
            }
        }
    }

    /// `cleave_point(object, other, word)`.
    pub(crate) fn shared_point(
        &mut self,
        state: &mut State,
        [object, other, word]: [Reg; 3],
        dst: RegIndex,
    ) -> Result<Flow, Stop> {
        if !self.may_be_interrupted(state) {
            return Ok(Flow::Next);
        }
        let [object, other] = [self.concrete(state, object)?, self.concrete(state, other)?];
        let word = self.concrete(state, word)?;
        // The object of a point that depends on all steps of others (runtime/musl/points.h): a pointer of ones.
        let anything = mask64(8 * self.program.target.pointer_bytes() as u8);
        let step = if object == anything {
            Step::Anything
        } else if other == anything {
            self.step_within(state, object, word == CALLS)
        } else {
            Step::Uses { objects: [object, other, 0], word }
        };
        self.about_to(state, step);
        let chosen = self.choose(state, None)?;
        // Only a point of cancellation names it.
        let cancels = [object, other].contains(&anything);
        self.note_turn(state, if cancels { Point::Cancellation } else { Point::Use }, chosen);
        if word == CALLS {
            let tid = state.kernel.running_thread();
            parked(state).passed.insert(tid);
        }
        complete(&mut state.frame, dst, 0);
        self.go_on_with(state, chosen)?;
        Ok(Flow::Elsewhere)
    }

    /// The step of a thread that looks at an object within the step that it has begun, and perhaps makes a call at once.
    fn step_within(&self, state: &mut State, object: u64, calls: bool) -> Step {
        let tid = state.kernel.running_thread();
        let (first, second) = match parked(state).steps.get(&tid) {
            Some(Step::Anything) => return Step::Anything,
            Some(&Step::Uses { objects: [first, second, _], .. }) => (first, second),
            _ => (0, 0),
        };
        Step::Uses { objects: [first, if calls { SYSTEM } else { second }, object], word: 0 }
    }

    /// True if the thread stands at a call that others may see, and has not been chosen to make it now.
    pub(crate) fn is_seen(&self, state: &mut State, nr: u64) -> bool {
        if UNSEEN.contains(&nr) || state.kernel.resumes() {
            return false;
        }
        let tid = state.kernel.running_thread();
        !parked(state).passed.contains(&tid)
    }

    /// A call that others may see has returned, or waits.
    pub(crate) fn call_is_made(&mut self, state: &mut State) {
        if self.explores(state) {
            let tid = state.kernel.running_thread();
            parked(state).passed.remove(&tid);
        }
    }

    /// The point of a call that others may see: the thread makes it when it has the turn. A signal interrupts another thread
    /// wherever that one stands.
    pub(crate) fn call_point(&mut self, state: &mut State, nr: u64, args: [u64; 6]) -> Result<Flow, Stop> {
        let own = state.kernel.running_thread();
        let interrupts = match nr {
            KILL | SIGQUEUE | EXIT_GROUP => true,
            TKILL => args[0] != own,
            TGKILL | TGSIGQUEUE => args[1] != own,
            _ => false,
        };
        let step = if interrupts { Step::Anything } else { Step::Uses { objects: [SYSTEM, 0, 0], word: 0 } };
        self.about_to(state, step);
        let chosen = self.choose(state, None)?;
        self.note_turn(state, Point::Call(nr), chosen);
        let tid = state.kernel.running_thread();
        parked(state).passed.insert(tid);
        self.go_on_with(state, chosen)?;
        Ok(Flow::Again)
    }

    /// As [`Engine::waits`], with explored orders.
    pub(crate) fn waits_in_some_order(
        &mut self,
        state: &mut State,
        wait: &Wait,
        futex: Option<u64>,
    ) -> Result<(), Stop> {
        let tid = state.kernel.running_thread();
        let known = match (parked(state).steps.get(&tid), futex) {
            (Some(Step::Uses { objects, .. }), Some(address)) => {
                objects.iter().any(|&o| o > SYSTEM && address.wrapping_sub(o) < OBJECT_SIZE)
            }
            (Some(Step::Accesses { .. }), None) => spins(state, (state.kernel.running(), tid)),
            _ => false,
        };
        if !known {
            self.about_to(state, Step::Anything);
        }
        let mut kernel = state.kernel.clone();
        let next = kernel.schedule(wait);
        let spins = matches!(parked(state).steps.get(&tid), Some(Step::Accesses { .. }));
        if spins && matches!(next, Next::Deadlock(_)) {
            self.note_spin(tid, (0, 0));
        }
        if next == Next::Again {
            let (pid, tid) = self.choose(state, Some(&kernel))?;
            match spins {
                true => self.note_spin(state.kernel.running_thread(), (pid, tid)),
                false => self.note_turn(state, Point::Wait, (pid, tid)),
            }
            kernel.give_turn(pid, tid);
        }
        state.kernel = kernel;
        self.follow(state, next)
    }

    /// The thread that goes on when the one that runs has ended; `None` if there is none, or orders are not explored.
    pub(crate) fn next_after_end(&mut self, state: &mut State) -> Result<Option<(u64, u64)>, Stop> {
        if !self.explores(state) {
            return Ok(None);
        }
        let mut trial = state.clone();
        let next = |kernel: &mut Kernel, guest: &mut dyn cleave_linux::Guest| {
            kernel.end_thread(guest)?;
            Ok(kernel.turn())
        };
        match self.kernel_call(&mut trial, next)? {
            Called::Done(Next::Again) => {
                let chosen = self.choose(state, Some(&trial.kernel))?;
                self.note_turn(state, Point::End, chosen);
                Ok(Some(chosen))
            }
            _ => Ok(None),
        }
    }

    /// Notes all choices of orders from now on. They are those of one path where one path is followed.
    pub fn note_turns(&mut self) {
        self.noted = Some(Noted::default());
    }

    /// The choices that were made since, in their order; none are noted any more.
    pub fn take_turns(&mut self) -> Vec<Turn> {
        self.noted.take().unwrap_or_default().turns
    }

    /// A thread has come to an access.
    pub(crate) fn count_access(&mut self) {
        if let Some(noted) = &mut self.noted {
            noted.accesses += 1;
        }
    }

    /// A thread waits at the access that it has come to.
    pub(crate) fn note_spin(&mut self, tid: u64, next: (u64, u64)) {
        if let Some(noted) = &mut self.noted {
            noted.turns.push(Turn { tid, point: Point::Spin(noted.accesses), next });
        }
    }

    /// A choice is made once: no decision follows that would have the op run again.
    pub(crate) fn note_turn(&mut self, state: &State, point: Point, next: (u64, u64)) {
        if let Some(Noted { turns, .. }) = &mut self.noted {
            turns.push(Turn { tid: state.kernel.running_thread(), point, next });
        }
    }

    /// The thread that runs gives up its turn. Its next step is not known, and the next thread is not chosen.
    pub(crate) fn gives_way(&mut self, state: &mut State) {
        if self.explores(state) {
            self.about_to(state, Step::Anything);
            parked(state).asleep.clear();
        }
    }

    /// The thread that runs has had the turn for long, and the next one that can go on does.
    pub(crate) fn ends_turn(&mut self, state: &mut State) -> Result<(), Stop> {
        let own = (state.kernel.running(), state.kernel.running_thread());
        let able: Vec<(u64, u64)> =
            state.kernel.able().into_iter().filter(|&task| can_go_on(state, task)).collect();
        let next = able.iter().find(|task| task.1 > own.1).or(able.first()).copied().unwrap_or(own);
        parked(state).turn_began = state.instructions;
        self.gives_way(state);
        self.go_on_with(state, next)
    }

    /// The thread that runs has ended.
    pub(crate) fn forget_step(&mut self, state: &mut State) {
        let tid = state.kernel.running_thread();
        parked(state).steps.remove(&tid);
        parked(state).spins.remove(&tid);
        parked(state).sections.remove(&tid);
    }

    pub(crate) fn about_to(&mut self, state: &mut State, step: Step) {
        let tid = state.kernel.running_thread();
        parked(state).steps.insert(tid, step);
    }

    pub(crate) fn go_on_with(&mut self, state: &mut State, (pid, tid): (u64, u64)) -> Result<(), Stop> {
        if tid == state.kernel.running_thread() {
            return Ok(());
        }
        state.kernel.give_turn(pid, tid);
        parked(state).turn_began = state.instructions;
        self.follow(state, Next::Again)?;
        self.call_due_elsewhere(state)
    }

    /// Decides which thread goes on. The one that runs can, unless there is `forced`: then another one has to, by default that
    /// of `forced`.
    pub(crate) fn choose(&mut self, state: &mut State, forced: Option<&Kernel>) -> Result<(u64, u64), Stop> {
        let kernel = forced.unwrap_or(&state.kernel);
        let able = kernel.able();
        let usual = (kernel.running(), kernel.running_thread());
        let all = self.options.env.schedules == Schedules::All;
        let mut order: Vec<(u64, u64)> = able.into_iter().filter(|&task| can_go_on(state, task)).collect();
        if order.is_empty() {
            // Each thread wants a word that another one holds. One waits for it: in the end, all do.
            parked(state).asleep.clear();
            return Ok(usual);
        }
        if all {
            let asleep = &parked(state).asleep;
            order.retain(|(_, tid)| !asleep.contains(tid));
            if order.is_empty() {
                return Err(Stop::End(End::Silent));
            }
        }
        if let Some(at) = order.iter().position(|&task| task == usual) {
            order[..=at].rotate_right(1);
        }
        let stays = forced.is_none() && order[0] == usual;
        let choices = if stays && state.preemptions.left == 0 { 1 } else { order.len() };
        let chosen = self.choice_of(state, choices)?;
        state.preemptions.decided(stays && chosen != 0);
        if all {
            fall_asleep(state, &order, chosen);
        }
        Ok(order[chosen])
    }

    /// Decides if a path reports what it meets here, or goes on.
    pub(crate) fn is_told_here(&mut self, state: &mut State) -> Result<bool, Stop> {
        let told = self.choice_of(state, 2)? == 1;
        state.preemptions.decided(false);
        Ok(told)
    }

    /// A number below `choices`, decided from the greatest down. 0 is that of a byte that is too large, too.
    fn choice_of(&mut self, state: &mut State, choices: usize) -> Result<usize, Stop> {
        if choices > 256 {
            return Err(Stop::unsupported("more than 256 threads of which each may go on"));
        }
        for k in (1..choices).rev() {
            if self.is_byte(state, |s| &mut s.preemptions, SCHEDULE_OBJECT, k as u8)? {
                return Ok(k);
            }
        }
        Ok(0)
    }
}

/// True if a thread can go on: the word that its next step asks for is free, and it does not spin at its next access.
fn can_go_on(state: &State, task: (u64, u64)) -> bool {
    const LOW: u64 = 0x3fff_ffff;
    let step = state.parked.as_ref().and_then(|there| there.steps.get(&task.1));
    match step {
        Some(&Step::Uses { word, .. }) if word != 0 => {
            state.memory.load_known(word, 4).is_none_or(|value| value & LOW == 0)
        }
        Some(Step::Accesses { .. }) => !spins(state, task),
        _ => true,
    }
}

/// Puts threads to sleep: the first ones of an order, whose steps other paths take first here, and those that slept before. A
/// thread sleeps only if its step is independent of that of the chosen one.
fn fall_asleep(state: &mut State, order: &[(u64, u64)], chosen: usize) {
    let there = parked(state);
    let step = there.steps.get(&order[chosen].1);
    let sleepers = there.asleep.iter().copied().chain(order[..chosen].iter().map(|&(_, tid)| tid));
    let asleep: BTreeSet<u64> =
        sleepers.filter(|tid| Step::is_independent(there.steps.get(tid), step)).collect();
    there.asleep = asleep;
}
