//! Coverage with counts: numbers of tests that execute each line, take each side, call each function.

use std::collections::BTreeMap;
use std::path::Path;

use cleave_coverage::{Map, MarkId, Marks};
use cleave_region::PathKind;

use super::Wanted;
use super::source_names::Places;
use crate::failure::Failure;
use crate::findings::test_coverage::{Chosen, Follower};
use crate::programs::sources::Sources;
use crate::sessions::run_dir::{recorded, test_of};

/// The coverage of a run.
pub(super) struct Counted {
    /// The files of the program, by name as debug information has it.
    pub(super) files: BTreeMap<String, FileCounts>,
    /// Their places in the file system.
    pub(super) places: Places,
}

/// The coverage of a file. A count is at least 1 if a test of the run covers the code, even one that was not followed.
#[derive(Default)]
pub(super) struct FileCounts {
    /// Number of followed tests that execute each line.
    pub(super) lines: BTreeMap<u32, u64>,
    /// In the order of the program.
    pub(super) functions: Vec<FunctionCount>,
    /// Branches and switches by line.
    pub(super) branches: BTreeMap<u32, Vec<Vec<u64>>>,
}

/// A function.
pub(super) struct FunctionCount {
    pub(super) name: String,
    /// Of its definition.
    pub(super) line: u32,
    /// Tests that call it.
    pub(super) calls: u64,
    /// The lines of its code in this file.
    pub(super) lines: Vec<u32>,
}

impl FileCounts {
    /// Sides of branches that are taken, and sides.
    pub(super) fn sides(&self) -> (usize, usize) {
        let sides = || self.branches.values().flatten().flatten();
        (sides().filter(|n| **n > 0).count(), sides().count())
    }

    /// Lines that are executed, and lines.
    pub(super) fn executed(&self) -> (usize, usize) {
        (self.lines.values().filter(|n| **n > 0).count(), self.lines.len())
    }
}

impl Counted {
    /// Collects the coverage. Code without a line of its own in the debug information is left out.
    ///
    /// # Errors
    /// Those of the run directory; a program without debug information.
    pub(super) fn of(wanted: &Wanted<'_>) -> Result<Counted, Failure> {
        let (store, saved, image) = recorded(wanted.directory)?;
        let map = Map::new(&image.program()?);
        let mut follower = Follower::new(&image, &saved)?;
        let mut chosen = Chosen::new(&store)?;
        let mut tests: Vec<Marks> = Vec::new();
        store.each_path::<Failure>(0, |path| {
            if path.record.kind != PathKind::AssumedAway && chosen.takes(path.id) {
                tests.extend(follower.marks(&test_of(path.id, &path.record)?));
            }
            Ok(())
        })?;
        let files = files(&map, &store.marks()?, &tests);
        if files.is_empty() {
            return Err(Failure::new(
                "the program of this run has no debug information, which says what its lines are; compile it with -g",
            ));
        }
        let sources = Sources::new(wanted.sources, Path::new(&store.meta()?.program));
        Ok(Counted { files, places: Places::new(sources)? })
    }
}

fn files(map: &Map, marks: &Marks, tests: &[Marks]) -> BTreeMap<String, FileCounts> {
    let mut passed: BTreeMap<MarkId, u64> = BTreeMap::new();
    for mark in tests.iter().flat_map(Marks::iter) {
        *passed.entry(mark).or_default() += 1;
    }
    // A mark that is covered counts at least once.
    let count = |mark: MarkId| {
        let known = passed.get(&mark).copied().unwrap_or(0);
        if marks.contains(mark) { known.max(1) } else { 0 }
    };
    let executed = map.hits(tests);
    let mut files: BTreeMap<String, FileCounts> = BTreeMap::new();
    for (name, lines) in map.lines(marks) {
        let known = |line: &u32| executed.get(&(name.clone(), *line)).copied().unwrap_or(0);
        let lines =
            lines.iter().map(|(line, covered)| (*line, if *covered { known(line).max(1) } else { 0 }));
        let lines = lines.collect();
        files.insert(name, FileCounts { lines, ..FileCounts::default() });
    }
    for branch in map.branches(marks) {
        let Some((file, line)) = branch.place else { continue };
        let file = files.get_mut(&file).filter(|file| file.lines.contains_key(&line));
        let sides = branch.sides.iter().map(|side| count(*side)).collect();
        file.into_iter().for_each(|file| file.branches.entry(line).or_default().push(Vec::clone(&sides)));
    }
    for function in map.functions(marks) {
        let Some((name, line)) = function.defined else { continue };
        let Some(file) = files.get_mut(&name) else { continue };
        let lines =
            function.lines.iter().filter(|(of, _, _)| *of == name).map(|(_, line, _)| *line).collect();
        let calls = function.entry.map_or(0, count);
        file.functions.push(FunctionCount { name: function.name, line, calls, lines });
    }
    files
}
