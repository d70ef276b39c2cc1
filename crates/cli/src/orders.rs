//! The orders of threads that tests foretell: a test is followed once more, and the engine notes who goes on at each point.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::ControlFlow;
use std::path::PathBuf;

use cleave_explore::{Programs, Space, Walked, walk};
use cleave_linux::{Point, Schedules, Turn};

use crate::failure::Failure;
use crate::given::GivenTest;
use crate::ktests::{LONGEST_PATH, from_ktest};
use crate::run_dir::recorded;
use crate::saved;

/// What a test foretells: nothing where a thread goes on until it waits.
pub type Foreseen = Result<Option<Vec<Turn>>, String>;

/// What follows tests of runs.
#[derive(Default)]
pub struct Orders {
    /// By the run's directory; nothing where it has one fixed order.
    runs: BTreeMap<PathBuf, Option<Programs>>,
}

impl Orders {
    /// The order of a test, or a sentence that says why it is not known.
    ///
    /// # Errors
    /// If its run cannot be read.
    pub fn of(&mut self, test: &GivenTest) -> Result<Foreseen, Failure> {
        // Whoever needs the test says why it cannot be read.
        let Ok(ktest) = test.read() else { return Ok(Ok(None)) };
        let Some((run, _)) = test.origin() else {
            let explores = ktest.args.iter().any(|word| {
                let word = word.strip_prefix(b"-").unwrap_or(word);
                word == b"-explore-schedules" || word == b"explore-schedules"
            });
            return Ok(match explores {
                false => Ok(None),
                true => Err(format!(
                    "the order of threads of {} is known from its run alone; give the test in its run directory",
                    test.file().display()
                )),
            });
        };
        let known = match self.runs.entry(run) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let (_, saved, image) = recorded(new.key())?;
                let fixed = saved.environment()?.schedules == Schedules::Fixed;
                new.insert(if fixed { None } else { Some(saved::space_of(image.program()?, &saved)?) })
            }
        };
        let Some(space) = known else { return Ok(Ok(None)) };
        if space.is_full() {
            space.renew();
        }
        let test_of_path = from_ktest(&ktest);
        let (witness, mut state) = (space.prepare(&test_of_path), space.root());
        space.note_turns();
        let walked = walk(space, &mut state, &witness, LONGEST_PATH, |_, _| ControlFlow::<()>::Continue(()));
        let turns = space.take_turns();
        Ok(match walked {
            Walked::Endless => Err(format!(
                "the path of {} is too long to be followed, so the order of its threads is not known",
                test.file().display()
            )),
            _ => match turns.iter().find(|turn| matches!(turn.point, Point::Access | Point::Cancellation)) {
                Some(turn) => Err(format!(
                    "threads of {} take turns at {}, where native threads do not stop",
                    test.file().display(),
                    turn.point
                )),
                None => Ok(Some(turns)),
            },
        })
    }
}
