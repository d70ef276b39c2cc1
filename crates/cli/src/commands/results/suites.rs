//! Folders of tests made from a run: in Test-Comp's XML, and of its unexplored regions.

use std::path::{Path, PathBuf};

use cleave_region::{Region, Side, Test};

use crate::export;
use crate::failure::Failure;
use crate::inputs::ktests::to_ktest;
use crate::sessions::run_dir::recorded;

/// Options of `cleave tests open` and `cleave tests xml`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Example: cleave tests xml cleave-last --output suite")]
pub struct SuiteOptions {
    /// The folder to make
    #[arg(long, value_name = "DIR")]
    pub output: PathBuf,
    /// The run directory
    #[arg(value_name = "RUN")]
    pub directory: PathBuf,
}

impl SuiteOptions {
    fn made(&self) -> Result<&Path, Failure> {
        std::fs::create_dir_all(&self.output).map_err(|e| {
            Failure::new(format!("cannot make {}: {e}; give another --output", self.output.display()))
        })?;
        Ok(&self.output)
    }
}

fn write(file: &Path, bytes: &[u8]) -> Result<(), Failure> {
    std::fs::write(file, bytes)
        .map_err(|e| Failure::new(format!("cannot write {}: {e}; make room there", file.display())))
}

/// A test of a region; if neither of its cuts has a test inside the region, one beside it.
fn test_of(region: &Region) -> Test {
    let inside = region.lo.as_ref().filter(|cut| cut.side == Side::Before);
    let inside = inside.or(region.hi.as_ref().filter(|cut| cut.side == Side::After));
    let cut = inside.or(region.lo.as_ref()).or(region.hi.as_ref());
    cut.map_or_else(Test::default, |cut| (*cut.test).clone())
}

/// Writes a test for each region that is not explored.
pub fn open(options: &SuiteOptions) -> Result<(), Failure> {
    let (store, saved, _) = recorded(&options.directory)?;
    let folder = options.made()?;
    store.each_region::<Failure>(|region| {
        let test = to_ktest(&saved.arguments, &test_of(&region.region));
        let bytes = test.to_bytes().map_err(Failure::new)?;
        write(&folder.join(format!("open{:06}.ktest", region.id)), &bytes)
    })
}

/// Writes the tests as Test-Comp's XML.
pub fn xml(options: &SuiteOptions) -> Result<(), Failure> {
    export::testcomp_folder(&options.directory, &options.output)
}
