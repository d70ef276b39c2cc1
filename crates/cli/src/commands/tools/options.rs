//! `cleave options`: all commands and options as JSON, for tests that try each of them, and for the pages about them.

use std::process::ExitCode;

use clap::builder::StyledStr;
use clap::{Arg, Command, CommandFactory};
use serde_json::{Value, json};

use crate::cli::Cli;
use crate::failure::Failure;
use crate::process::output::Output;

/// Prints a line for each command without subcommands: its name, options and arguments, with their help.
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
    let text = |text: Option<&StyledStr>| text.map(StyledStr::to_string).unwrap_or_default();
    let explained = |arg: &Arg| {
        let values: Vec<String> =
            arg.get_value_names().unwrap_or_default().iter().map(ToString::to_string).collect();
        let named = arg.get_possible_values();
        let named: Vec<Value> = named
            .iter()
            .filter(|value| arg.get_action().takes_values() && !value.is_hide_set())
            .map(|value| json!({ "name": value.get_name(), "help": text(value.get_help()) }))
            .collect();
        json!({
            "name": arg.get_long().unwrap_or(arg.get_id().as_str()),
            "has_value": arg.get_action().takes_values(),
            "values": values,
            "named_values": named,
            "heading": arg.get_help_heading(),
            "help": text(arg.get_long_help().or(arg.get_help())),
        })
    };
    let options = command
        .get_arguments()
        .filter(|arg| arg.get_long().is_some_and(|long| !["help", "version"].contains(&long)));
    json!({
        "command": name,
        "hidden": command.is_hide_set(),
        "about": text(command.get_long_about().or(command.get_about())),
        "behind": text(command.get_after_long_help().or(command.get_after_help())),
        "options": options.map(explained).collect::<Vec<_>>(),
        "arguments": command.get_positionals().count(),
        "places": command.get_positionals().map(explained).collect::<Vec<_>>(),
    })
}
