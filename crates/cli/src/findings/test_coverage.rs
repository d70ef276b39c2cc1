//! Coverage of single tests, found by following them: a run stores for a test only the code that it covers first.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use cleave_campaign::Store;
use cleave_coverage::Marks;
use cleave_engine::State;
use cleave_explore::{Passing, Programs, Space, Walked, Walks};
use cleave_program::code::{FuncId, Pc, Program};
use cleave_region::{PathKind, PathRecord, Test};

use crate::failure::Failure;
use crate::inputs::ktests::LONGEST_PATH;
use crate::programs::loading::Image;
use crate::sessions::run_dir::test_of;
use crate::sessions::saved::{self, Saved};

/// A file and a line from 1; empty and 0 where they are not known.
pub type Line = (String, u32);

/// Maximum number of tests of a run that are followed one by one.
pub const MOST_TESTS: usize = 1000;

/// Selection of the tests that are followed if there are more than [`MOST_TESTS`]: first the tests that cover new code or
/// find a bug first, then others by rising number.
pub struct Chosen {
    telling: BTreeSet<u64>,
    taken: usize,
    room: usize,
}

impl Chosen {
    /// Among the tests of this run.
    ///
    /// # Errors
    /// Those of the database.
    pub fn new(store: &Store) -> Result<Chosen, Failure> {
        Chosen::at_most(store, MOST_TESTS)
    }

    /// Like [`Chosen::new`], with a maximum number of other tests.
    ///
    /// # Errors
    /// Those of the database.
    pub fn at_most(store: &Store, others: usize) -> Result<Chosen, Failure> {
        let covering = store.covering()?.into_keys();
        let telling: BTreeSet<u64> = store.bugs()?.iter().map(|bug| bug.first_path).chain(covering).collect();
        let room = MOST_TESTS.saturating_sub(telling.len()).min(others);
        Ok(Chosen { telling, taken: 0, room })
    }

    /// Returns true if this test is followed. Call it once for each test, by rising number.
    pub fn takes(&mut self, id: u64) -> bool {
        let takes = if self.telling.contains(&id) { self.taken < MOST_TESTS } else { self.room > 0 };
        if takes {
            self.taken += 1;
            self.room = self.room.saturating_sub(usize::from(!self.telling.contains(&id)));
        }
        takes
    }
}

/// The line of the innermost function of the program, not of its C library.
pub fn own_line(program: &Program, state: &State) -> Line {
    let own = |(func, _): &(FuncId, Pc)| program.functions.get(*func as usize).is_some_and(|f| !f.library);
    state.stack().filter(own).find_map(|(func, pc)| line_of(program, func, pc)).unwrap_or_default()
}

/// The line of an op, where it is known.
pub fn line_of(program: &Program, func: FuncId, pc: Pc) -> Option<Line> {
    let position = *program.functions.get(func as usize)?.positions.get(pc as usize)?;
    let position = program.positions.get(position as usize)?;
    Some((program.strings.get(position.file as usize)?.clone(), position.line))
}

/// Follows tests of a run.
pub struct Follower {
    space: Programs,
    walks: Walks<Programs>,
}

impl Follower {
    /// For the tests of a run with this program and these options.
    ///
    /// # Errors
    /// If the image is damaged, or the options make no sense.
    pub fn new(image: &Image, saved: &Saved) -> Result<Follower, Failure> {
        Ok(Follower { space: saved::space_of(image.program()?, saved)?, walks: Walks::default() })
    }

    /// All marks that a test passes; `None` if its path is too long to be followed.
    pub fn marks(&mut self, test: &Test) -> Option<Marks> {
        // No path is shown here, so that all is new on each.
        self.follow(test, |_| (), |space, state| space.news(state, test).into_iter().collect())
    }

    /// The path of a test as a run records it, with the test's own inputs, and all marks that it passes. `None` if the program takes
    /// no path to an end with them, or one that is too long to be followed.
    pub fn record(&mut self, test: &Test) -> Option<(PathRecord, Marks)> {
        let on = |_: &mut Programs, _: Passing<'_, Programs>| ControlFlow::<()>::Continue(());
        let (walked, state) = self.walks.walk_test(&mut self.space, test, LONGEST_PATH, on);
        let recorded = match walked {
            Walked::Ended(end) => {
                let witness = self.space.prepare(test);
                let marks = self.space.news(&state, test).into_iter().collect();
                self.space.record_with(end, &state, &witness).map(|record| (record, marks))
            }
            _ => None,
        };
        drop(state);
        self.make_room();
        recorded
    }

    /// Begins anew if states and terms take too much memory.
    fn make_room(&mut self) {
        if self.space.is_full() {
            self.walks = Walks::default();
            self.space.renew();
        }
    }

    /// Returns the result of `look` at the end of a test; `None` if its path is too long to be followed. `visit` sees the
    /// decisions from some depth on; the decisions before are those of the test that was followed before.
    pub fn follow<T>(
        &mut self,
        test: &Test,
        mut visit: impl FnMut(Passing<'_, Programs>),
        look: impl FnOnce(&mut Programs, &State) -> T,
    ) -> Option<T> {
        let visit = |_: &mut Programs, passing: Passing<'_, Programs>| {
            visit(passing);
            ControlFlow::<()>::Continue(())
        };
        let (walked, state) = self.walks.walk_test(&mut self.space, test, LONGEST_PATH, visit);
        let seen = look(&mut self.space, &state);
        drop(state);
        self.make_room();
        match walked {
            Walked::Ended(_) | Walked::Excluded => Some(seen),
            Walked::Endless | Walked::Left(()) => None,
        }
    }

    /// Returns the bytes that a test writes to standard output; `None` if its path is too long to be followed.
    pub fn stdout(&mut self, test: &Test) -> Option<Vec<u8>> {
        self.follow(
            test,
            |_| (),
            |space, state| {
                let witness = space.prepare(test);
                space.stdout(state, &witness)
            },
        )
    }

    /// Selects few of these tests (`None`: of all tests of the run), by number, that together cover as much as all of them.
    /// Greedy: each step takes the test that covers most of the marks that are left. Candidates are the tests that are the
    /// first of these to cover something; with `None`, no other tests are followed. A test whose path is too long to be
    /// followed stays.
    ///
    /// # Errors
    /// Those of the database, and if tests do not pass the marks that the run has recorded.
    pub fn minimal(
        &mut self,
        store: &Store,
        among: Option<&BTreeSet<u64>>,
    ) -> Result<BTreeSet<u64>, Failure> {
        let recorded = store.covering()?;
        let (mut candidates, mut chosen) = (BTreeMap::new(), BTreeSet::new());
        let (mut left, mut expected) = (Marks::default(), Marks::default());
        store.each_path::<Failure>(0, |path| {
            let first = recorded.get(&path.id);
            let looked_at = among.map_or(first.is_some(), |among| among.contains(&path.id));
            if !looked_at || path.record.kind == PathKind::AssumedAway {
                return Ok(());
            }
            match self.marks(&test_of(path.id, &path.record)?) {
                Some(marks) => {
                    expected.extend(first.into_iter().flatten().copied());
                    if !marks.is_within(&left) {
                        left.extend(marks.iter());
                        candidates.insert(path.id, marks);
                    }
                }
                None => drop(chosen.insert(path.id)),
            }
            Ok(())
        })?;
        if !expected.is_within(&left) {
            return Err(Failure::new(
                "the tests of the run do not cover what the run recorded; it is of another version of Cleave, or damaged: \
                 start a new run",
            ));
        }
        while !left.is_empty() {
            // Among tests that cover equally many marks, the first one is taken.
            let gain = |marks: &Marks| marks.iter().filter(|mark| left.contains(*mark)).count();
            let best = candidates.iter().max_by_key(|(id, marks)| (gain(marks), u64::MAX - **id));
            let Some((&id, marks)) = best else { break };
            left.remove_all(marks);
            chosen.insert(id);
        }
        Ok(chosen)
    }
}
