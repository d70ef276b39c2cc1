//! `cleave run`: a new run and its first session.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use cleave_campaign::{Campaign, CampaignError, DATABASE, Meta, make_directory, next_directory};
use cleave_coverage::Map;
use cleave_explore::{Around, Reach};
use cleave_region::{Region, Test};
use cleave_replay::sha256;

use crate::arguments::hints;
use crate::arguments::misplaced;
use crate::commands::exploring::each_function;
use crate::failure::Failure;
use crate::findings::gaps::OFF_SEEDS;
use crate::findings::race_points;
use crate::inputs::ktests::{self, LONGEST_PATH};
use crate::inputs::named_tests::{GivenTest, given_tests};
use crate::inputs::seeds;
use crate::options::run::RunOptions;
use crate::process::messages::note;
use crate::process::number_words::{counted, verb_of};
use crate::process::start_time::started;
use crate::programs::images;
use crate::programs::loading::Image;
use crate::programs::program_file;
use crate::serving::metrics::Metrics;
use crate::sessions::cluster::Cluster;
use crate::sessions::run_dir::{IMAGE, hex};
use crate::sessions::saved::{self, Saved};
use crate::sessions::session;
use crate::sessions::since;
use crate::terminal::display::Display;

/// Begins a run and explores it.
pub fn run(options: &RunOptions, cluster: Option<Cluster<'_>>) -> Result<ExitCode, Failure> {
    if options.kept.paths.each_function {
        return each_function::each_function(options);
    }
    let path = options.program();
    Display::check(options.exploration.tui)?;
    let metrics = Metrics::listen(&options.exploration)?;
    program_file::check_program(path)?;
    let saved = Saved::of(options)?;
    misplaced::warn(path, options.arguments());
    let image = images::load(path, &saved)?;
    let mut saved = saved.of_program(&image, options.kept.paths.max_len)?;
    saved.race_points = race_points::found(&image, &saved)?;
    let Beginning { regions, left_out, seeds: first } = beginning(options, &saved, &image)?;
    let known = match &options.beginning.since {
        None => None,
        Some(run) => {
            let (note, known) = since::known(run, &saved, &image)?;
            saved.since = Some(note);
            Some(known)
        }
    };
    let directory = made_directory(options.beginning.output_dir.as_deref())?;
    let mut campaign =
        create(&directory, &saved, &image, [&regions, &left_out]).inspect_err(|_| discard(&directory))?;
    if let Some(known) = known {
        campaign.keep(Arc::new(Map::new(&image.program()?)), known)?;
    }
    seeds::keep(&directory, &saved, &first)?;
    let stealing = !options.beginning.no_stealing;
    let begin = session::Begin::New { stealing };
    let code = session::explore(&mut campaign, &saved, &options.exploration, (cluster, metrics), begin)?;
    if let Some(hint) = hints::nothing_symbolic(&campaign, &saved, &image)? {
        note(hint);
    }
    Ok(code)
}

/// Makes the run directory: the one that was named, or the next that is free.
pub(crate) fn made_directory(named: Option<&Path>) -> Result<PathBuf, Failure> {
    match named {
        Some(directory) => {
            make_directory(directory)?;
            Ok(directory.to_path_buf())
        }
        None => Ok(next_directory(Path::new("."))?),
    }
}

/// Creates a run with the regions to explore, and those that are left out.
pub(crate) fn create(
    directory: &Path,
    saved: &Saved,
    image: &Image,
    [regions, left_out]: [&[Region]; 2],
) -> Result<Campaign, Failure> {
    let path = directory.join(IMAGE);
    std::fs::write(&path, &image.0).map_err(|e| {
        Failure::new(format!("cannot write {}: {e}; make room or give another --output-dir", path.display()))
    })?;
    let meta = Meta {
        program: saved.program.clone(),
        program_hash: hex(&sha256(&image.0)),
        options: serde_json::to_value(saved).map_err(Failure::new)?,
        version: env!("CARGO_PKG_VERSION").into(),
    };
    Campaign::create_without(directory, &meta, regions, left_out, OFF_SEEDS).map_err(|error| {
        // Nothing is recorded yet that could be resumed.
        match error {
            CampaignError::DiskFull { .. } => Failure::new(format!(
                "the disk of {} is full, so the run did not start; make room or give another --output-dir",
                directory.display()
            )),
            error => error.into(),
        }
    })
}

/// Removes the files of a run that could not be made, so that the next attempt finds the place free.
pub(crate) fn discard(directory: &Path) {
    for name in [IMAGE, DATABASE, "db.sqlite-wal", "db.sqlite-shm", "db.sqlite-journal", "lock"] {
        let _ = std::fs::remove_file(directory.join(name));
    }
    let _ = std::fs::remove_dir(directory);
}

/// The static ranges of `--split-at`: between the given tests, in the order of their paths.
fn split(options: &RunOptions, saved: &Saved, image: &Image) -> Result<Vec<Region>, Failure> {
    if options.beginning.split_at.is_empty() {
        return Ok(vec![Region::whole()]);
    }
    let mut tests = Vec::new();
    let mut given = given_tests(&options.beginning.split_at)?;
    if let Some(ranges) = options.beginning.ranges {
        given = drawn(given, ranges as usize - 1, options.exploration.random_seed);
    }
    for test in given {
        let ktest = test.read()?;
        ktests::check_command_line(test.file(), &ktest, &saved.arguments)?;
        ktests::warn_of_other_program(options.program(), test.file(), &ktest);
        tests.push(ktests::from_ktest(&ktest));
    }
    Ok(Region::between(seeds::sorted(tests, saved, image, ("--split-at", reach(options)))?))
}

/// Regions and seeds that a run begins with.
#[derive(Default)]
struct Beginning {
    /// The regions to explore: those of `--split-at`, or around the paths of `--seed`.
    regions: Vec<Region>,
    /// Regions that are kept for a later session.
    left_out: Vec<Region>,
    /// The seeds that workers begin with themselves.
    seeds: Vec<Test>,
}

/// Limits for following tests before workers begin: those of the session, and at most half of its time, so that some is left
/// to explore.
fn reach(options: &RunOptions) -> Reach {
    let exploration = &options.exploration;
    let until = exploration.max_time.and_then(|limit| {
        let left = limit.saturating_sub(started().elapsed());
        Instant::now().checked_add(left / 2)
    });
    let instructions = exploration.max_path_instructions.unwrap_or(LONGEST_PATH).min(LONGEST_PATH);
    Reach { instructions, until, ..Reach::from(LONGEST_PATH) }
}

fn beginning(options: &RunOptions, saved: &Saved, image: &Image) -> Result<Beginning, Failure> {
    if options.beginning.seed.is_empty() {
        return Ok(Beginning { regions: split(options, saved, image)?, ..Beginning::default() });
    }
    let read = seeds::read(&options.beginning.seed, saved, options.beginning.seed_by_name)?;
    let mut tests = read.into_iter().map(|seed| seed.test).collect();
    let reach = reach(options);
    if options.beginning.seed_by_name {
        tests = seeds::by_name(tests, saved, image, reach)?;
    }
    let tests = seeds::sorted(tests, saved, image, ("--seed", reach))?;
    if saved.how.is_concolic() && !options.beginning.only_seeds {
        return Ok(Beginning { regions: vec![Region::whole()], seeds: tests, ..Beginning::default() });
    }
    let mut space = saved::space_of(image.program()?, saved)?;
    let decisions = options.exploration.max_depth.map_or(u64::MAX, u64::from);
    let Around { mut regions, of_seeds, farther } =
        cleave_explore::around(&mut space, &tests, Reach { decisions, ..reach });
    if farther > 0 {
        let (seeds, are) = (counted(farther as u64, "seed"), verb_of(farther as u64, "is", "are"));
        note(format_args!(
            "warning: {seeds} {are} on paths that are longer than they were followed: all that begins like these paths is \
             explored with them"
        ));
    }
    let own = if options.beginning.only_seeds { of_seeds } else { regions.len() };
    let left_out = regions.split_off(own);
    Ok(Beginning { regions, left_out, seeds: Vec::new() })
}

/// Draws `n` of these tests, each with the same probability.
fn drawn(mut tests: Vec<GivenTest>, n: usize, seed: u64) -> Vec<GivenTest> {
    let mut random = cleave_explore::Random::new(seed);
    let n = n.min(tests.len());
    for i in 0..n {
        let j = i + random.below((tests.len() - i) as u64) as usize;
        tests.swap(i, j);
    }
    tests.truncate(n);
    tests
}
