//! `cleave completions`: a script that completes commands and options in a shell.

use std::process::ExitCode;

use clap::{Args, Command};
use clap_complete::{Shell, generate};

use crate::failure::Failure;
use crate::process::output::Output;

/// Options of `cleave completions`.
#[derive(Clone, Debug, Args)]
#[command(
    after_help = "Example: cleave completions bash > ~/.local/share/bash-completion/completions/cleave"
)]
pub struct CompletionOptions {
    /// For which shell: bash, elvish, fish, powershell or zsh
    #[arg(value_name = "SHELL", hide_possible_values = true)]
    pub shell: Shell,
}

/// Prints the script; `command` has all commands and options.
pub fn completions(options: &CompletionOptions, mut command: Command) -> Result<ExitCode, Failure> {
    let mut script = Vec::new();
    generate(options.shell, &mut command, "cleave", &mut script);
    let mut out = Output::new();
    out.line(String::from_utf8_lossy(&script).trim_end())?;
    out.end()?;
    Ok(ExitCode::SUCCESS)
}
