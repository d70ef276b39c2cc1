//! A task as the competition names it: its sources, property, limits and data model.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use cleave_replay::sha256;

use super::property::Asked;
use crate::failure::Failure;
use crate::options::values;
use crate::sessions::run_dir::hex;

/// Sizes of C's types in a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DataModel {
    /// int, long and pointers of 32 bits.
    #[value(name = "ILP32")]
    Ilp32,
    /// long and pointers of 64 bits.
    #[value(name = "LP64")]
    Lp64,
}

/// Options of `cleave testcomp` and `cleave svcomp`.
#[derive(Clone, Debug, Args)]
pub struct TaskOptions {
    /// The property: a file with the ending .prp, as the competition has them
    #[arg(long, value_name = "FILE")]
    pub property: PathBuf,
    /// The sizes of the task's types. Default is LP64
    #[arg(long, value_name = "ILP32|LP64", value_enum, default_value = "LP64", hide_default_value = true)]
    #[arg(hide_possible_values = true)]
    pub data_model: DataModel,
    /// End within this time (seconds, or like 10s, 5m, 1h). Default is the competition's 15 minutes, less half a minute
    #[arg(long, value_name = "TIME", value_parser = values::duration, default_value = "870s", hide_default_value = true)]
    pub max_time: Duration,
    /// Memory of all processes together (MiB, or like 500M, 2G). Default is the competition's 15 GB, less what the compiler needs
    #[arg(long, value_name = "SIZE", value_parser = values::size, default_value = "13G", hide_default_value = true)]
    pub max_memory: u64,
    /// Worker processes. Default is one: the competition counts the processor time of all processes together
    #[arg(long, value_name = "N", default_value_t = 1, hide_default_value = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub workers: u32,
    /// The folder for the suite or the witness. Default is the working directory
    #[arg(long, value_name = "DIR", default_value = ".", hide_default_value = true)]
    pub output: PathBuf,
    /// The run directory to make, for other commands of Cleave. Default is a temporary one, which is removed
    #[arg(long, value_name = "DIR")]
    pub output_dir: Option<PathBuf>,
    /// The task: a source in C, or several
    #[arg(value_name = "TASK", required = true)]
    pub sources: Vec<PathBuf>,
}

impl TaskOptions {
    /// The first source.
    pub fn source(&self) -> &Path {
        self.sources.first().map_or(Path::new(""), PathBuf::as_path)
    }

    /// The SHA-256 of a source, in hexadecimal.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn hash(source: &Path) -> Result<String, Failure> {
        let bytes = std::fs::read(source)
            .map_err(|e| Failure::usage(format!("cannot read the task {}: {e}", source.display())))?;
        Ok(hex(&sha256(&bytes)))
    }

    /// Bits of a pointer.
    pub fn bits(&self) -> u32 {
        match self.data_model {
            DataModel::Ilp32 => 32,
            DataModel::Lp64 => 64,
        }
    }

    /// Reads the property.
    ///
    /// # Errors
    /// As [`Asked::read`].
    pub fn asked(&self) -> Result<Asked, Failure> {
        Asked::read(&self.property)
    }

    /// Makes the folder for results.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn make_output(&self, folder: &Path) -> Result<(), Failure> {
        std::fs::create_dir_all(folder).map_err(|e| {
            Failure::new(format!("cannot make {}: {e}; give another --output", folder.display()))
        })
    }
}
