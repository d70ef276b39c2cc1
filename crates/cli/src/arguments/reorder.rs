//! The command line of `cleave run` as people write it, put in order: symbolic options and flags of the compiler in front of
//! the program, several sources, and `--races` behind it. Words behind `--` are passed to the program unchanged.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::Args;
use cleave_linux::env::OPTIONS;
use cleave_toolchain::source_language;

use crate::failure::Failure;
use crate::options::run::RunOptions;

/// Beginnings of a compiler's flags, whose values are joined.
const JOINED: [&str; 14] =
    ["-O", "-I", "-D", "-U", "-L", "-l", "-f", "-W", "-w", "-std=", "-ansi", "-m", "-g", "-pthread"];
/// Flags of a compiler whose value is the next word; so is that of those in [`JOINED`] with one letter, if nothing is joined.
const APART: [&str; 5] = ["-include", "-imacros", "-isystem", "-iquote", "-idirafter"];
/// An option of Cleave's that counts behind the program too.
const RACES: &str = "--races";

/// The arguments of this process with those of `run` in order.
///
/// # Errors
/// If a symbolic option is misspelled, with the option that is probably meant, or if no program follows it.
pub fn arranged(arguments: Vec<OsString>) -> Result<Vec<OsString>, Failure> {
    if arguments.get(1).is_none_or(|word| word != "run") {
        return Ok(arguments);
    }
    let own = own_options();
    let mut front: Vec<OsString> = Vec::new();
    let mut symbolic: Vec<OsString> = Vec::new();
    let mut last = None;
    let mut at = 2;
    while let Some(word) = arguments.get(at) {
        let text = word.to_str().unwrap_or("");
        let take = |n: usize| arguments[at..arguments.len().min(at + n)].iter().cloned();
        if text == "--" || !text.starts_with('-') || text == "-" {
            break;
        }
        if let Some(values) = env_option(text) {
            symbolic.extend(take(1 + values));
            last = Some((text, values));
            at += 1 + values;
        } else if text.starts_with("--") {
            let name = text.trim_start_matches('-').split('=').next().unwrap_or("");
            let Some((_, with_value)) = own.iter().find(|(long, _)| long == name) else {
                if let Some(meant) = misspelled(text) {
                    return Err(Failure::usage(format!("there is no option {text}; did you mean {meant}?")));
                }
                // clap says what is wrong with this option, not with a flag of the compiler in front of it.
                let rest = arguments[at..].iter().cloned();
                return Ok(arguments[..2].iter().cloned().chain(front).chain(rest).collect());
            };
            let words = 1 + usize::from(*with_value && !text.contains('='));
            front.extend(take(words));
            at += words;
            // Several tests may follow `--split-at`.
            while name == "split-at"
                && arguments.get(at).is_some_and(|w| w.as_encoded_bytes().ends_with(b".ktest"))
            {
                front.push(arguments[at].clone());
                at += 1;
            }
        } else if let Some(words) = compiler_flag(text) {
            let flag = |word: OsString| ["--c-flag".into(), word];
            front.extend(take(words).flat_map(flag));
            at += words;
        } else {
            return Ok(arguments);
        }
    }
    if let Some((option, values)) = last
        && values > 0
        && at == arguments.len()
    {
        return Err(Failure::usage(no_program(option, &symbolic[symbolic.len() - values..])));
    }
    let at = at.min(arguments.len());
    let (head, rest) = (arguments[..2].iter().cloned(), &arguments[at..]);
    Ok(head.chain(joined(front, symbolic, rest)).collect())
}

/// Joins Cleave's own options, the program, the symbolic options, and the program's other arguments.
fn joined(mut front: Vec<OsString>, symbolic: Vec<OsString>, rest: &[OsString]) -> Vec<OsString> {
    let meant = rest.first().is_some_and(|word| word == "--");
    let (dashes, rest) = rest.split_at(usize::from(meant));
    let Some((program, mut rest)) = rest.split_first() else {
        return front.into_iter().chain(symbolic).chain(dashes.iter().cloned()).collect();
    };
    let mut arguments = Vec::new();
    if !meant {
        let is_source = |word: &OsStr| source_language(Path::new(word)).is_some();
        while let Some((source, behind)) = rest.split_first()
            && is_source(program)
            && is_source(source)
            && Path::new(source).is_file()
        {
            front.extend(["--c-source".into(), source.clone()]);
            rest = behind;
        }
        let own = rest.iter().position(|word| word == "--").unwrap_or(rest.len());
        for (n, word) in rest.iter().enumerate() {
            if n < own && word == RACES {
                front.push(RACES.into());
            } else {
                arguments.push(word.clone());
            }
        }
    } else {
        arguments.extend(rest.iter().cloned());
    }
    let dashes = dashes.iter().cloned();
    front.into_iter().chain(dashes).chain([program.clone()]).chain(symbolic).chain(arguments).collect()
}

/// Error text for a command line that ends with an option and its values, so that the program is missing.
fn no_program(option: &str, values: &[OsString]) -> String {
    let given: Vec<_> = values.iter().map(|value| value.to_string_lossy()).collect();
    let (number, s) = (values.len(), if values.len() == 1 { "" } else { "s" });
    format!(
        "{option} takes {number} value{s}, here {}, and no program follows; give its value{s}, then the program",
        given.join(" ")
    )
}

/// Number of values of an option of the environment, with one dash or two; `None` for other words.
fn env_option(word: &str) -> Option<usize> {
    let name = word.strip_prefix("--").or_else(|| word.strip_prefix('-'))?;
    OPTIONS.iter().find(|(option, _)| *option == name).map(|(_, values)| *values)
}

/// Number of words that a flag of the compiler takes; `None` for other words.
fn compiler_flag(word: &str) -> Option<usize> {
    if APART.contains(&word) {
        return Some(2);
    }
    JOINED.iter().find(|flag| word.starts_with(**flag)).map(|flag| {
        let value_is_next = word == *flag && matches!(*flag, "-I" | "-D" | "-U" | "-L" | "-l");
        1 + usize::from(value_is_next)
    })
}

/// Returns true if a word is probably meant as a flag of the compiler: an optimization level, `-I` with an existing folder,
/// or `-D` with a macro.
pub fn is_like_flag(word: &str) -> bool {
    let level =
        word.strip_prefix("-O").is_some_and(|level| matches!(level, "0" | "1" | "2" | "3" | "s" | "z"));
    let macro_name = |name: &str| name.starts_with(|c: char| c.is_ascii_uppercase() || c == '_');
    let folder =
        word.strip_prefix("-I").is_some_and(|folder| !folder.is_empty() && Path::new(folder).is_dir());
    level || folder || word.strip_prefix("-D").is_some_and(macro_name)
}

/// The option of the environment that a word is probably meant to be: one that is not far from it.
pub fn misspelled(word: &str) -> Option<String> {
    /// Maximum edit distance to an option; one more for words that begin with `sym-`.
    const MOST: usize = 2;
    /// Minimum length of a word, in bytes: shorter ones are near to too many others.
    const SHORTEST: usize = 6;
    let name = word.strip_prefix("--")?.split('=').next()?;
    let given_a_value = word.contains('=');
    if name.len() < SHORTEST || (env_option(&format!("--{name}")).is_some() && !given_a_value) {
        return None;
    }
    let near = OPTIONS.iter().map(|(option, _)| (distance(name, option), option));
    let (far, option) = near.min()?;
    let most = if name.starts_with("sym-") { MOST + 1 } else { MOST };
    (far <= most).then(|| {
        let values = OPTIONS.iter().find(|(known, _)| known == option).map_or(0, |(_, values)| *values);
        let how = if given_a_value && values > 0 { " (its values follow behind blanks)" } else { "" };
        format!("--{option}{how}")
    })
}

/// Edit distance: letters that have to be changed, put in or left out to make one word of the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut before = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let changed = before + usize::from(x != *y);
            before = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(before + 1);
        }
    }
    row[b.len()]
}

/// Long options of `cleave run`; the flag is true if the next word is the option's value.
fn own_options() -> Vec<(String, bool)> {
    let run = RunOptions::augment_args(clap::Command::new("run"));
    let own = run.get_arguments().filter_map(|option| {
        let takes = option.get_action().takes_values() && !option.is_require_equals_set();
        Some((option.get_long()?.to_string(), takes))
    });
    own.chain([("help".to_string(), false)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> String {
        let words = text.split_whitespace().map(OsString::from).collect();
        let words = arranged(words).unwrap_or_else(|failure| vec![failure.sentence().into()]);
        words.join(OsStr::new(" ")).into_string().unwrap()
    }

    #[test]
    fn symbolic_options_go_behind_the_program() {
        for (given, expected) in [
            ("cleave run --sym-arg 3 prog x", "cleave run prog --sym-arg 3 x"),
            (
                "cleave run --workers 2 -sym-args 0 1 2 --tests=all prog --sym-stdin 4",
                "cleave run --workers 2 --tests=all prog -sym-args 0 1 2 --sym-stdin 4",
            ),
            ("cleave run --sym-stdin 3 -- prog x", "cleave run -- prog --sym-stdin 3 x"),
            ("cleave run --fail-malloc prog x", "cleave run --fail-malloc prog x"),
            (
                "cleave run prog --explore-schedules all --races",
                "cleave run --races prog --explore-schedules all",
            ),
            ("cleave run -- prog --races", "cleave run -- prog --races"),
            ("cleave run prog -- --races", "cleave run prog -- --races"),
            ("cleave run", "cleave run"),
            ("cleave run --sym-arg", "cleave run --sym-arg"),
            ("cleave replay --sym-arg 3 prog", "cleave replay --sym-arg 3 prog"),
        ] {
            assert_eq!(line(given), expected);
        }
    }

    #[test]
    fn flags_of_the_compiler_are_told_from_options() {
        assert_eq!(
            line("cleave run -O1 -I . -DX=1 --workers 2 a.c -n"),
            "cleave run --c-flag -O1 --c-flag -I --c-flag . --c-flag -DX=1 --workers 2 a.c -n"
        );
        assert_eq!(line("cleave run -h"), "cleave run -h");
        assert_eq!(line("cleave run -m32 --overwrite a.c"), "cleave run --c-flag -m32 --overwrite a.c");
    }

    #[test]
    fn what_is_nearly_an_option_is_named() {
        assert_eq!(
            line("cleave run --sym-stdn 3 prog"),
            "there is no option --sym-stdn; did you mean --sym-stdin?"
        );
        assert_eq!(
            line("cleave run --races --explore-schedules prog"),
            "--explore-schedules takes 1 value, here prog, and no program follows; give its value, then the program"
        );
        assert_eq!(
            line("cleave run --sym-args 0 1 prog"),
            "--sym-args takes 3 values, here 0 1 prog, and no program follows; give its values, then the program"
        );
        assert_eq!(misspelled("--explore-schedule"), Some("--explore-schedules".into()));
        assert_eq!(misspelled("--sym-arg=3"), Some("--sym-arg (its values follow behind blanks)".into()));
        for word in ["--sym-arg", "--verbose", "-sym-stdn", "--file", "--symlinks", "--short"] {
            assert_eq!(misspelled(word), None, "{word}");
        }
    }
}
