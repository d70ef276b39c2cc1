//! `cleave tests minimize`: keeps the shortest input of each path.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Args;
use cleave_explore::{Space, Taken};

use crate::failure::Failure;
use crate::inputs::ktests::LONGEST_PATH;
use crate::inputs::seeds::{Seed, read};
use crate::options::run::PathOptions;
use crate::process::number_words::{counted, verb_of};
use crate::process::output::Output;
use crate::programs::images;
use crate::sessions::saved::{self, Saved};

/// Options of `cleave tests minimize`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Example: cleave tests minimize corpus --output smaller ./parse --sym-stdin 64")]
pub struct MinimizeOptions {
    /// The folder to make
    #[arg(long, value_name = "DIR")]
    pub output: PathBuf,
    /// The folder with inputs: files for the program's symbolic standard input or file, or tests (.ktest); or a run
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Options that decide the set of paths.
    #[command(flatten)]
    pub paths: PathOptions,
    /// The program, and the symbolic arguments that the inputs are for, as `cleave run` takes them
    #[arg(value_names = ["PROGRAM", "ARGUMENTS"], required = true, num_args = 1.., trailing_var_arg = true)]
    pub program_and_arguments: Vec<OsString>,
}

/// Copies the inputs that are kept.
pub fn minimize(options: &MinimizeOptions) -> Result<(), Failure> {
    let (program, arguments) = options.program_and_arguments.split_first().expect("clap asks for a program");
    let program = Path::new(program);
    let saved = Saved::with(program, arguments, &options.paths)?;
    let image = images::load(program, &saved)?;
    let saved = saved.of_program(&image, options.paths.max_len)?;
    let mut seeds = read(std::slice::from_ref(&options.folder), &saved, false)?;
    seeds.sort_by_cached_key(|seed: &Seed| (seed.bytes.len(), seed.path.clone()));
    let mut space = saved::space_of(image.program()?, &saved)?;
    let (mut paths, mut kept, mut excluded, mut endless) = (BTreeSet::new(), Vec::new(), 0, 0);
    for seed in &seeds {
        match cleave_explore::path_taken(&mut space, &seed.test, LONGEST_PATH) {
            Taken::Path(path) if paths.insert(path) => kept.push(seed),
            Taken::Path(_) => {}
            Taken::Excluded => excluded += 1,
            Taken::Endless => endless += 1,
        }
        if space.is_full() {
            space.renew();
        }
    }
    let unwritable =
        |e| Failure::new(format!("cannot write to {}: {e}; give another --output", options.output.display()));
    std::fs::create_dir(&options.output).map_err(unwritable)?;
    for seed in &kept {
        let name = seed.path.file_name().unwrap_or_default();
        std::fs::write(options.output.join(name), &seed.bytes).map_err(unwritable)?;
    }
    let mut out = Output::new();
    out.line(format_args!(
        "{} of {} {} all paths that these take: {} in {}",
        kept.len(),
        counted(seeds.len() as u64, "file"),
        verb_of(kept.len() as u64, "takes", "take"),
        verb_of(kept.len() as u64, "it is", "they are"),
        options.output.display()
    ))?;
    for (n, what) in [(excluded, "excluded by an assumption"), (endless, "on paths too long to be followed")]
    {
        if n > 0 {
            out.line(format_args!(
                "{} {} {what}, and left out",
                counted(n, "file"),
                verb_of(n, "is", "are")
            ))?;
        }
    }
    out.end()
}
