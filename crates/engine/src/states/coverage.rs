//! Coverage of finished paths. A state collects the marks that it passes; when its path is recorded they are shown. So coverage is
//! that of tests, and a mark costs one look at a byte, but the first time in a run of a state.
//!
//! Where arms of paths are joined, a state collects only marks that no finished path has shown: each mark that arms do not have in common
//! becomes a term.
//!
//! The byte of a slot is 1 if nothing is to be done: there is no mark, a finished path has shown it and shown marks are not collected,
//! or the state that runs has passed it since its run began. The bytes of the last kind are reset when the run ends.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::rc::Rc;

use cleave_coverage::{MarkId, Marks, NO_SLOT, Sites, Slot};
use cleave_expr::{Term, Terms};
use cleave_program::code::{FuncId, Pc, Program};

/// The marks that a state has passed, without those that were shown already if only new ones are collected.
#[derive(Clone, Default)]
pub(crate) struct Passed {
    marks: Option<Rc<Marks>>,
    /// Marks that some inputs of the path pass, and which: of arms that were joined.
    guarded: Option<Rc<BTreeMap<MarkId, Term>>>,
    /// [`Coverage::version`] when shown marks were last removed.
    version: u32,
}

/// The marks that the finished paths of an engine have shown.
#[derive(Clone)]
pub struct Coverage {
    sites: Rc<Sites>,
    /// A byte for each slot, see the module's head.
    nothing_to_do: Rc<[Cell<u8>]>,
    /// The slots whose bytes are 1 only for this run.
    passed_now: Vec<Slot>,
    shown: Marks,
    /// Grows with `shown`.
    version: u32,
    /// Only marks that are not shown are collected.
    only_new: bool,
}

impl Passed {
    /// True if the state has passed a mark.
    #[cfg(feature = "jit")]
    pub(crate) fn has(&self, mark: MarkId) -> bool {
        self.marks.as_ref().is_some_and(|marks| marks.contains(mark))
    }
}

impl Coverage {
    /// No path has shown anything of `program`.
    pub fn new(program: &Program, only_new: bool) -> Coverage {
        let sites = Sites::new(program);
        let byte = |slot: usize| Cell::new(u8::from(sites.mark_of(slot as Slot).is_none()));
        let nothing_to_do = (0..sites.slots()).map(byte).collect();
        let (shown, passed_now) = (Marks::default(), Vec::new());
        Coverage { sites: Rc::new(sites), nothing_to_do, passed_now, shown, version: 0, only_new }
    }

    /// The marks that were shown.
    pub fn shown(&self) -> &Marks {
        &self.shown
    }

    /// The tables that a run reads: the sites of the marks, and the bytes of all slots.
    pub(crate) fn parts(&self) -> (Rc<Sites>, Rc<[Cell<u8>]>) {
        (self.sites.clone(), self.nothing_to_do.clone())
    }

    /// The slot of a target of a switch or a computed goto, if its byte is 0.
    pub(crate) fn open_side(&self, func: FuncId, at: Pc, to: Pc) -> Option<Slot> {
        let slot = self.sites.of_switch(func, at, to);
        let byte = self.nothing_to_do.get(slot as usize);
        byte.is_some_and(|byte| byte.get() == 0).then_some(slot)
    }

    /// The slot of the landing pad behind a call, if its byte is 0.
    pub(crate) fn open_landing(&self, func: FuncId, at: Pc) -> Option<Slot> {
        let first = self.sites.first(func);
        let slot = if first == NO_SLOT { return None } else { Sites::of_side(first, at, false) };
        let byte = self.nothing_to_do.get(slot as usize);
        byte.is_some_and(|byte| byte.get() == 0).then_some(slot)
    }

    /// The marks that a state has passed for the inputs for which guards are said to hold, and that no recorded path has shown, rising.
    pub(crate) fn news(&self, passed: &Passed, holds: &mut dyn FnMut(Term) -> bool) -> Vec<MarkId> {
        let marks = passed.marks.iter().flat_map(|marks| marks.iter());
        let guarded = passed.guarded.iter().flat_map(|guarded| guarded.iter());
        let held = guarded.filter(|&(_, &guard)| holds(guard)).map(|(&mark, _)| mark);
        let mut news: Vec<MarkId> = marks.chain(held).filter(|&mark| !self.shown.contains(mark)).collect();
        news.sort_unstable();
        news.dedup();
        news
    }

    /// The marks that a state has passed on each input of its path; `None` if only new ones are collected.
    pub(crate) fn all_passed<'p>(&self, passed: &'p Passed) -> Option<&'p Marks> {
        passed.marks.as_deref().filter(|_| !self.only_new)
    }

    /// True if a state has passed one of these marks, none of which a recorded path has shown.
    pub(crate) fn has_passed(passed: &Passed, marks: &Marks) -> bool {
        let own = passed.marks.as_ref().is_some_and(|own| own.meets(marks));
        own || passed.guarded.iter().flat_map(|guarded| guarded.keys()).any(|&mark| marks.contains(mark))
    }

    /// The marks of two arms that are joined: those of the first where `cond` holds.
    pub(crate) fn join(&self, terms: &mut Terms, cond: Term, a: &Passed, b: &Passed) -> Passed {
        let all = |p: &Passed| -> BTreeMap<MarkId, Option<Term>> {
            let guarded = p.guarded.iter().flat_map(|g| g.iter()).map(|(&mark, &guard)| (mark, Some(guard)));
            guarded.chain(p.marks.iter().flat_map(|m| m.iter()).map(|mark| (mark, None))).collect()
        };
        let (of_a, of_b) = (all(a), all(b));
        if of_a == of_b {
            return a.clone();
        }
        let mut marks = Marks::default();
        let mut guarded = BTreeMap::new();
        let (yes, no) = (terms.bool(true), terms.bool(false));
        for &mark in of_a.keys().chain(of_b.keys().filter(|&mark| !of_a.contains_key(mark))) {
            let [x, y] = [&of_a, &of_b].map(|all| all.get(&mark).map_or(no, |guard| guard.unwrap_or(yes)));
            let guard = terms.ite(cond, x, y);
            if terms.constant64(guard) == Some(1) {
                marks.insert(mark);
            } else {
                guarded.insert(mark, guard);
            }
        }
        let version = if a.version == b.version { a.version } else { self.version.wrapping_sub(1) };
        let any = marks.iter().next().is_some();
        Passed {
            marks: any.then(|| Rc::new(marks)),
            guarded: (!guarded.is_empty()).then(|| Rc::new(guarded)),
            version,
        }
    }

    /// A path was recorded that shows these marks.
    pub(crate) fn show(&mut self, news: &[MarkId]) {
        for &mark in news {
            self.shown.insert(mark);
            let slot = self.sites.slot_of(mark).filter(|_| self.only_new);
            if let Some(byte) = slot.and_then(|slot| self.nothing_to_do.get(slot as usize)) {
                byte.set(1);
            }
        }
        self.version = self.version.wrapping_add(u32::from(!news.is_empty()));
    }

    /// A state passes a slot whose byte is 0.
    pub(crate) fn pass(&mut self, passed: &mut Passed, slot: Slot) {
        let Some(mark) = self.sites.mark_of(slot) else { return };
        if let Some(byte) = self.nothing_to_do.get(slot as usize) {
            byte.set(1);
            self.passed_now.push(slot);
        }
        let marks = passed.marks.get_or_insert_default();
        if !marks.contains(mark) {
            Rc::make_mut(marks).insert(mark);
        }
    }

    /// A run of a state begins: marks that were shown meanwhile are removed from those that it has passed.
    pub(crate) fn begin_run(&self, passed: &mut Passed) {
        if !self.only_new || passed.version == self.version {
            return;
        }
        passed.marks.take_if(|marks| !Rc::make_mut(marks).remove_all(&self.shown));
        if let Some(guarded) = &mut passed.guarded {
            Rc::make_mut(guarded).retain(|&mark, _| !self.shown.contains(mark));
        }
        passed.version = self.version;
    }

    /// A run of a state is over.
    pub(crate) fn end_run(&mut self) {
        for slot in self.passed_now.drain(..) {
            if let Some(byte) = self.nothing_to_do.get(slot as usize) {
                byte.set(0);
            }
        }
    }
}
