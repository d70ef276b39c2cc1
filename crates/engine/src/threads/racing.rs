//! Facts of a program whose data races are looked for; `races.rs` uses them.

use std::collections::BTreeSet;

use cleave_program::code::{Program, Storage};
use rustc_hash::FxHashSet;

use crate::checking::checks::{Checks, Family};
use crate::memory::accessed::Accessed;

/// The owner of a function, and of its accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    Program,
    /// The C library, on behalf of the program or not.
    Library,
    /// The library's part that makes threads and locks.
    Locks,
}

/// Facts of a program whose races are looked for, and the accesses of the op at hand.
#[derive(Debug)]
pub(crate) struct Racing {
    /// By function.
    pub(crate) owners: Vec<Owner>,
    /// True for each global, by its index, that the program's own functions name or reach.
    pub(crate) own_globals: Vec<bool>,
    pub(crate) accessed: Vec<Accessed>,
    /// Places in front of whose accesses a thread may be interrupted; paths go on behind races of these. `None` if a race ends
    /// its path.
    pub(crate) points: Option<FxHashSet<u32>>,
    /// Places of other accesses that race, if they are sought.
    pub(crate) sought: Option<BTreeSet<u32>>,
}

impl Racing {
    /// `None` if races are not looked for, or the program makes no threads.
    pub(crate) fn new(program: &Program, checks: Checks, points: Option<&BTreeSet<u32>>) -> Option<Racing> {
        if !checks.has(Family::Race) && points.is_none() {
            return None;
        }
        let makes = |f: &cleave_program::code::Function| f.name == "__pthread_create" && !f.code.is_empty();
        if !program.functions.iter().any(makes) {
            return None;
        }
        let owner = |f: &cleave_program::code::Function| {
            let file = program.positions.get(f.defined_at as usize);
            let file = file.and_then(|p| program.strings.get(p.file as usize)).map_or("", String::as_str);
            match f.library {
                false => Owner::Program,
                true if file.contains("musl/src/thread/") || file.contains("runtime/musl/") => Owner::Locks,
                true => Owner::Library,
            }
        };
        let owners = program.functions.iter().map(owner).collect();
        let points = points.map(|places| places.iter().copied().collect());
        Some(Racing { owners, own_globals: own_globals(program), accessed: Vec::new(), points, sought: None })
    }
}

/// True for each global that the program's own functions name, or that such a global points to at the start.
fn own_globals(program: &Program) -> Vec<bool> {
    let globals = program.globals.iter().enumerate();
    let mut starts: Vec<(u64, usize)> =
        globals.filter(|(_, g)| g.storage != Storage::Member).map(|(i, g)| (g.address, i)).collect();
    starts.sort_unstable();
    let at = |address: u64| {
        let next = starts.partition_point(|&(start, _)| start <= address);
        let (start, i) = *starts.get(next.checked_sub(1)?)?;
        (address - start <= program.globals[i].size).then_some(i)
    };
    let own = program.functions.iter().filter(|f| !f.library);
    let mut waiting: Vec<usize> = own.flat_map(|f| &f.constants).filter_map(|&c| at(c)).collect();
    let mut found = FxHashSet::default();
    while let Some(i) = waiting.pop() {
        if found.insert(i) {
            let words = program.globals[i].init.as_chunks::<8>().0;
            waiting.extend(words.iter().filter_map(|&word| at(u64::from_le_bytes(word))));
        }
    }
    (0..program.globals.len()).map(|i| found.contains(&i)).collect()
}
