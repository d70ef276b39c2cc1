//! `cleave expand`: the paths of a class of a run with `--merge on`, one by one, as a run of their own.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use cleave_region::Region;

use crate::commands::exploring::run::{create, discard, made_directory};
use crate::failure::Failure;
use crate::options::mode::ModeOptions;
use crate::options::session::ExplorationOptions;
use crate::serving::metrics::Metrics;
use crate::sessions::cluster::Cluster;
use crate::sessions::run_dir::{recorded, shown, test_of};
use crate::sessions::saved::{self, Class};
use crate::sessions::session;
use crate::sessions::verdict::EXIT_CODES;
use crate::terminal::display::Display;

/// Options of `cleave expand`.
#[derive(Clone, Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub struct ExpandOptions {
    /// Options of the exploration, and its limits.
    #[command(flatten)]
    pub exploration: ExplorationOptions,
    /// The run directory to make. Default is cleave-out-N in the working directory, with the first N that is
    /// free, and a link cleave-last to it
    #[arg(long, value_name = "DIR")]
    pub output_dir: Option<PathBuf>,
    /// The run directory of a run with --merge on
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
    /// The class: the number of its test, as `cleave list` has it
    #[arg(value_name = "TEST")]
    pub test: u64,
}

/// Begins a run with the paths of a class and explores it.
pub fn expand(options: &ExpandOptions, cluster: Option<Cluster<'_>>) -> Result<ExitCode, Failure> {
    let exploration = &options.exploration;
    Display::check(exploration.tui)?;
    let metrics = Metrics::listen(exploration)?;
    let (store, merged, image) = recorded(&options.directory)?;
    let (run, id) = (shown(&options.directory), options.test);
    if !merged.merge {
        return Err(Failure::new(format!(
            "each test of {} stands for one path: only a run with --merge on has classes",
            run.display()
        )));
    }
    let path = store.path(id)?.ok_or_else(|| {
        Failure::new(format!("there is no test {id} in the run; cleave list names its tests"))
    })?;
    let test = test_of(id, &path.record)?;
    let led = saved::space_of(image.program()?, &merged)?.class_of(&test);
    if led.is_none_or(|digest| digest != path.record.digest) {
        return Err(Failure::new(format!(
            "test {id} of {} does not lead where it led before; explore the program anew with the Cleave at hand",
            run.display()
        )));
    }
    let about = format!("only the class of test {id} of {} is explored", run.display());
    let mut saved = merged;
    saved.merge = false;
    saved.class = Some(Class::of(test, about));
    saved.how = ModeOptions::default();
    saved.asking = saved.asking.with(&exploration.asking);
    let directory = made_directory(options.output_dir.as_deref())?;
    let whole = [Region::whole()];
    let mut campaign =
        create(&directory, &saved, &image, [&whole, &[]]).inspect_err(|_| discard(&directory))?;
    let begin = session::Begin::New { stealing: true };
    session::explore(&mut campaign, &saved, exploration, (cluster, metrics), begin)
}
