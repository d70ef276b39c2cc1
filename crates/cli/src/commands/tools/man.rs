//! `cleave man`: manual pages, made of the same texts as the help.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Command};
use clap_mangen::Man;

use crate::failure::Failure;
use crate::process::output::Output;

/// Options of `cleave man`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "Example: cleave man ~/.local/share/man/man1 && man cleave-run")]
pub struct ManOptions {
    /// The folder for a page of each command; it is made. Without it the page of cleave itself is printed
    #[arg(value_name = "DIR")]
    pub directory: Option<PathBuf>,
}

/// Prints the first page, or writes all; `command` has all commands and options.
pub fn man(options: &ManOptions, command: Command) -> Result<ExitCode, Failure> {
    let Some(directory) = &options.directory else {
        let mut page = Vec::new();
        Man::new(command).render(&mut page).map_err(Failure::new)?;
        let mut out = Output::new();
        out.line(String::from_utf8_lossy(&page).trim_end())?;
        out.end()?;
        return Ok(ExitCode::SUCCESS);
    };
    let failed = |e| Failure::new(format!("cannot write manual pages to {}: {e}", directory.display()));
    std::fs::create_dir_all(directory).map_err(failed)?;
    clap_mangen::generate_to(command.disable_help_subcommand(true), directory).map_err(failed)?;
    Ok(ExitCode::SUCCESS)
}
