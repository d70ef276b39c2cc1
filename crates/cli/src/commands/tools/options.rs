//! `cleave options`: all commands and options as JSON, for tests that try each of them.

use std::process::ExitCode;

use clap::{Arg, Command, CommandFactory};
use serde_json::{Value, json};

use crate::cli::Cli;
use crate::failure::Failure;
use crate::process::output::Output;

/// Prints a line for each command without subcommands: its name, its options, and the number of its arguments.
pub fn options(mut command: Command) -> Result<ExitCode, Failure> {
    command.build();
    let mut out = Output::new();
    let mut waiting: Vec<(Vec<String>, &Command)> = vec![(Vec::new(), &command)];
    while let Some((name, command)) = waiting.pop() {
        if command.has_subcommands() {
            let inner = command.get_subcommands().filter(|inner| inner.get_name() != "help");
            waiting.extend(inner.map(|inner| ([&name[..], &[inner.get_name().to_string()]].concat(), inner)));
        } else {
            out.line(described(&name, command))?;
        }
    }
    out.end()?;
    Ok(ExitCode::SUCCESS)
}

/// The names of the options of `cleave run`, without hyphens.
pub fn names_of_run() -> Vec<String> {
    let mut command = Cli::command();
    command.build();
    let run = command.find_subcommand("run");
    run.into_iter().flat_map(Command::get_arguments).filter_map(Arg::get_long).map(String::from).collect()
}

fn described(name: &[String], command: &Command) -> Value {
    let option = |arg: &Arg| {
        let long = arg.get_long().filter(|long| !["help", "version"].contains(long))?;
        Some(json!({ "name": long, "has_value": arg.get_action().takes_values() }))
    };
    let options: Vec<Value> = command.get_arguments().filter_map(option).collect();
    json!({ "command": name, "options": options, "arguments": command.get_positionals().count() })
}
