//! The orders of threads that tests foretell: a test is followed once more, and the engine notes the thread that goes on at
//! each point.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::ControlFlow;
use std::path::PathBuf;

use cleave_explore::{Programs, Space, Walked, walk};
use cleave_linux::Schedules;
use cleave_replay::Turns;

use crate::failure::Failure;
use crate::inputs::ktests::{LONGEST_PATH, from_ktest};
use crate::inputs::named_tests::GivenTest;
use crate::sessions::run_dir::recorded;
use crate::sessions::saved;

/// Thread order that a test predicts; `None` if each thread runs until it waits.
pub type Foreseen = Result<Option<Turns>, String>;

/// Finds the thread orders of tests, for any number of runs.
#[derive(Default)]
pub struct Orders {
    /// By the run's directory; `None` if it has one fixed order, and no thread can spin.
    runs: BTreeMap<PathBuf, Option<Run>>,
}

/// Program under exploration with which the tests of one run are followed.
struct Run {
    space: Programs,
    /// True if the run explores thread orders.
    explores: bool,
}

impl Orders {
    /// The order of a test, or a sentence that says why it is not known.
    ///
    /// # Errors
    /// If its run cannot be read.
    pub fn of(&mut self, test: &GivenTest) -> Result<Foreseen, Failure> {
        // An unreadable test is reported by the caller that needs it.
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
                let explores = saved.environment()?.schedules != Schedules::Fixed;
                let program = image.program()?;
                let concerns = explores || program.has_access_points();
                new.insert(match concerns {
                    true => Some(Run { space: saved::space_of(program, &saved)?, explores }),
                    false => None,
                })
            }
        };
        let Some(Run { space, explores }) = known else { return Ok(Ok(None)) };
        if space.is_full() {
            space.renew();
        }
        let test_of_path = from_ktest(&ktest);
        let (witness, mut state) = (space.prepare(&test_of_path), space.root());
        space.note_turns();
        let walked = walk(space, &mut state, &witness, LONGEST_PATH, |_, _| ControlFlow::<()>::Continue(()));
        let list = space.take_turns();
        Ok(match walked {
            Walked::Endless => Err(format!(
                "the path of {} is too long to be followed, so the order of its threads is not known",
                test.file().display()
            )),
            _ if !*explores && list.is_empty() => Ok(None),
            _ => Ok(Some(Turns::new(*explores, list))),
        })
    }
}
