//! A command line of KLEE: its options, the program, and what belongs to the program.

use std::ffi::{OsStr, OsString};

use super::option_types::{KleeCommandLine, KleeOption};
use super::options::KLEE_OPTIONS;
use crate::failure::Failure;

impl<'a> KleeCommandLine<'a> {
    /// Reads a command line behind `klee`: options of one or two hyphens, their values behind `=` or as the next word.
    ///
    /// # Errors
    /// If a word is no option of KLEE, with the nearest one; if a value is missing or wrong.
    pub fn read(arguments: &'a [OsString]) -> Result<KleeCommandLine<'a>, Failure> {
        let mut options = Vec::new();
        let mut at = 0;
        while let Some(word) = arguments.get(at) {
            let Some(text) = word.to_str().filter(|w| w.len() > 1 && w.starts_with('-')) else { break };
            at += 1;
            if text == "--" {
                break;
            }
            let text = text.trim_start_matches('-');
            let (name, behind) = text.split_once('=').map_or((text, None), |(n, v)| (n, Some(v)));
            let option = option(name).ok_or_else(|| unknown(name))?;
            let value = match (behind, option.flag) {
                (Some(value), None) => value.to_string(),
                (None, None) => {
                    let next = arguments.get(at).and_then(|w| w.to_str());
                    at += 1;
                    next.ok_or_else(|| Failure::usage(format!("--{name} of KLEE needs a value behind it")))?
                        .to_string()
                }
                (None | Some("" | "true" | "TRUE" | "True" | "1"), Some(_)) => "true".into(),
                (Some("false" | "FALSE" | "False" | "0"), Some(_)) => "false".into(),
                (Some(other), Some(_)) => {
                    return Err(Failure::usage(format!("--{name} of KLEE is true or false, not `{other}`")));
                }
            };
            options.push((option, value));
        }
        let program = &arguments[at.min(arguments.len())..];
        if program.is_empty() {
            return Err(Failure::usage(
                "no program is given; `cleave klee [OPTIONS OF KLEE] PROGRAM [ARGUMENTS]`",
            ));
        }
        Ok(KleeCommandLine { options, program })
    }
    /// Returns true if a flag is given and true.
    pub fn is_on(&self, name: &str) -> bool {
        self.value(name) == Some("true")
    }

    /// The program's file.
    pub fn file(&self) -> &OsStr {
        self.program.first().map_or(OsStr::new(""), OsString::as_os_str)
    }
}

fn option(name: &str) -> Option<&'static KleeOption> {
    KLEE_OPTIONS.iter().find(|option| match option.name.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == option.name,
    })
}

/// Minimum similarity (Jaro-Winkler) of a name that is suggested.
const NEAR: f64 = 0.8;

/// Error for a name that is none of KLEE's options: it may be an option of Cleave, or resemble one of either.
fn unknown(name: &str) -> Failure {
    let ours = crate::commands::tools::options::names_of_run();
    if ours.iter().any(|our| our == name) {
        return Failure::usage(format!(
            "--{name} is an option of Cleave, not of KLEE: give it to `cleave run`"
        ));
    }
    let theirs = KLEE_OPTIONS.iter().map(|o| (format!("--{} of KLEE", o.name), o.name));
    let both = ours.iter().map(|our| (format!("--{our} of `cleave run`"), our.as_str())).chain(theirs);
    let near =
        both.map(|(told, like)| (strsim::jaro_winkler(like, name), told)).filter(|(near, _)| *near >= NEAR);
    match near.max_by(|a, b| a.0.total_cmp(&b.0)) {
        Some((_, told)) => Failure::usage(format!("KLEE has no option --{name}; the nearest is {told}")),
        None => {
            Failure::usage(format!("KLEE has no option --{name}; `cleave run --help` lists those of Cleave"))
        }
    }
}
