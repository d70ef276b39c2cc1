//! Warnings about options in the wrong place: those of Cleave behind the program's name, and those of the environment that
//! count once.

use std::ffi::OsString;
use std::path::Path;

use clap::Args;

use crate::arguments::reorder::{is_like_flag, misspelled};
use crate::options::run::RunOptions;
use crate::process::messages::note;

/// Options of the environment of which the last one counts.
const ONCE: [&str; 14] = [
    "sym-stdin",
    "sym-files",
    "sym-tree",
    "sym-stdout",
    "sym-permissions",
    "max-fail",
    "fd-fail",
    "fail-calls",
    "short-io",
    "sym-connection",
    "sym-connections",
    "sym-segments",
    "sym-terminal",
    "explore-schedules",
];

/// Warns of each option that is probably meant otherwise. `--` before the program, or before such an option, says that it is
/// intended.
pub fn warn(program: &Path, arguments: &[OsString]) {
    let line: Vec<OsString> = std::env::args_os().collect();
    let meant = line.windows(2).any(|words| words[0] == "--" && Path::new(&words[1]) == program);
    if !meant {
        warnings(program, arguments).iter().for_each(|warning| note(format_args!("warning: {warning}")));
    }
}

fn warnings(program: &Path, arguments: &[OsString]) -> Vec<String> {
    let texts = || arguments.iter().take_while(|a| *a != "--").filter_map(|a| a.to_str());
    let mut found = Vec::new();
    for name in ONCE {
        let same = |a: &str| a.strip_prefix("--").or_else(|| a.strip_prefix('-')) == Some(name);
        let count = texts().filter(|a| same(a)).count();
        if count > 1 {
            found.push(format!("--{name} is given {count} times, and the last one counts; give it once"));
        }
    }
    let is_source = program_is_source(program);
    let program = program.display();
    for argument in texts() {
        if let Some(meant) = misspelled(argument) {
            found.push(format!("{argument} is an argument of the program; did you mean {meant}?"));
        } else if is_source && is_like_flag(argument) {
            found.push(format!(
                "{argument} stands behind {program}, so it is an argument of the program; if it is the compiler's, write \
                 cleave run {argument} ... {program}"
            ));
        }
    }
    let own = own_options();
    let mut said: Vec<&str> = Vec::new();
    for argument in texts() {
        let Some(name) = argument.strip_prefix("--").map(|a| a.split('=').next().unwrap_or(a)) else {
            continue;
        };
        if !own.iter().any(|o| o == name) || said.contains(&name) {
            continue;
        }
        said.push(name);
        found.push(format!(
            "--{name} stands behind {program}, so it is an argument of the program; if it is Cleave's, write cleave run \
             --{name} ... {program}; if not, write cleave run -- {program} ..."
        ));
    }
    found
}

fn program_is_source(program: &Path) -> bool {
    cleave_toolchain::source_language(program).is_some()
}

/// The long options of `cleave run`.
fn own_options() -> Vec<String> {
    let run = RunOptions::augment_args(clap::Command::new("run"));
    run.get_arguments().filter_map(clap::Arg::get_long).map(String::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_behind_the_program_are_named_once_each_and_two_dashes_end_that() {
        let of = |program: &str, line: &str| {
            let arguments: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
            warnings(Path::new(program), &arguments)
        };
        let warned = |line: &str| of("prog", line);
        assert!(warned("--sym-stdn 3")[0].contains("did you mean --sym-stdin?"));
        assert!(of("prog.c", "-O1")[0].contains("write cleave run -O1 ... prog.c"));
        assert!(warned("-O1").is_empty());
        let found = warned("--sym-stdin 4 --max-time 5 --max-time=7 -sym-stdin 6");
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].contains("--sym-stdin is given 2 times"), "{found:?}");
        assert!(found[1].contains("cleave run --max-time ... prog"), "{found:?}");
        for line in
            ["", "-n x --sym-args 0 1 2 --sym-args 0 1 2", "-- --max-time 5", "--help --all", "max-time"]
        {
            assert!(warned(line).is_empty(), "{line}");
        }
    }
}
