//! What single tests cover: found by following them, as a run keeps of a test only what it is the first to cover.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use cleave_campaign::Store;
use cleave_coverage::Marks;
use cleave_engine::State;
use cleave_explore::{Passing, Programs, Space, Walked, walk_test};
use cleave_region::Test;

use crate::failure::Failure;
use crate::ktests::LONGEST_PATH;
use crate::loading::Image;
use crate::run_dir::test_of;
use crate::saved::{self, Saved};

/// Follows tests of a run.
pub struct Follower {
    space: Programs,
}

impl Follower {
    /// For the tests of a run with this program and these options.
    ///
    /// # Errors
    /// If the image is damaged, or the options make no sense.
    pub fn new(image: &Image, saved: &Saved) -> Result<Follower, Failure> {
        Ok(Follower { space: saved::space_of(image.program()?, saved)? })
    }

    /// All marks that a test passes; `None` if its path is too long to be followed.
    pub fn marks(&mut self, test: &Test) -> Option<Marks> {
        // No path is shown here, so that all is new on each.
        self.follow(test, |_| (), |space, state| space.news(state).into_iter().collect())
    }

    /// What `look` makes of the end of a test, to which `visit` sees each decision; `None` if its path is too long to be
    /// followed.
    pub fn follow<T>(
        &mut self,
        test: &Test,
        mut visit: impl FnMut(Passing<'_, Programs>),
        look: impl FnOnce(&Programs, &State) -> T,
    ) -> Option<T> {
        let visit = |_: &mut Programs, passing: Passing<'_, Programs>| {
            visit(passing);
            ControlFlow::<()>::Continue(())
        };
        let (walked, state) = walk_test(&mut self.space, test, LONGEST_PATH, visit);
        let seen = look(&self.space, &state);
        drop(state);
        if self.space.is_full() {
            self.space.renew();
        }
        match walked {
            Walked::Ended(_) | Walked::Excluded => Some(seen),
            Walked::Endless | Walked::Left(()) => None,
        }
    }

    /// Few tests that together cover what all tests of the run cover, by number: greedily the one that covers most of what
    /// is left. They are chosen among those that were the first to cover something, of which no more than these are
    /// followed. A test whose path is too long to be followed stays.
    ///
    /// # Errors
    /// Those of the database.
    pub fn minimal(&mut self, store: &Store) -> Result<Vec<u64>, Failure> {
        let (mut candidates, mut chosen) = (BTreeMap::new(), Vec::new());
        let mut left = store.marks()?;
        let first = store.covering()?;
        store.each_path::<Failure>(0, |path| {
            let Some(first) = first.get(&path.id) else { return Ok(()) };
            match self.marks(&test_of(path.id, &path.record)?) {
                Some(marks) => drop(candidates.insert(path.id, marks)),
                None => {
                    left.remove_all(&first.iter().copied().collect());
                    chosen.push(path.id);
                }
            }
            Ok(())
        })?;
        while !left.is_empty() {
            // Of tests that cover as much the first one.
            let gain = |marks: &Marks| marks.iter().filter(|mark| left.contains(*mark)).count();
            let best = candidates.iter().max_by_key(|(id, marks)| (gain(marks), u64::MAX - **id));
            let Some((&id, marks)) = best.filter(|(_, marks)| gain(marks) > 0) else { break };
            left.remove_all(marks);
            chosen.push(id);
        }
        chosen.sort_unstable();
        Ok(chosen)
    }
}
