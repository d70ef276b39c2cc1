//! Pages in Markdown whose commands are run, and whose outputs are compared. `book.rs` and `examples.rs` run them.
//!
//! A block of the kind `console` has commands behind `$ ` (`\` at its end continues one), and below each the lines that it prints, standard output
//! and error output together, without those about set-up and the progress of a run. `...` stands for any text within a line, and for any lines where it stands alone. All commands of a
//! page are one session of a shell, in an empty folder with a copy of `examples`.
//! A paragraph that is nothing but a name (`` `prog.c`: ``) has the block behind it written into a file of that name first.
//! `<!-- not run: REASON -->` above a block has its commands left out; they are counted.
//! Blocks of other kinds show sources and files; commands are not allowed to hide in them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Kinds of blocks that are only shown.
const SHOWN: [&str; 11] =
    ["c", "cpp", "rust", "text", "yaml", "toml", "cmake", "makefile", "json", "acsl", "bash-script"];

/// Seconds that all commands of a page may take together: far more than any needs on a machine of its own.
const LIMIT: &str = "600";

/// The head of the script: one of the processors that the test may use, and an end of what was started behind `&`.
const ONE_PROCESSOR: &str = r#"
trap 'kill $(jobs -p) 2>/dev/null' EXIT
cpus=$(taskset -cp $$ | sed 's/.*: //')
if [ $(($$ % 2)) = 0 ]; then cpu=${cpus%%[-,]*}; else cpu=${cpus##*[-,]}; fi
taskset -cp "$cpu" $$ > /dev/null
"#;

/// A command of a page and the lines that it is to print.
struct Step {
    command: String,
    expected: Vec<String>,
    /// The line of the page, from 0, at which the expected lines begin.
    at: usize,
}

/// The parts of a page that are run, in their order.
enum Part {
    File { name: String, text: String },
    Step(Step),
}

/// The repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// A page, or a section of it.
pub struct Page {
    file: PathBuf,
    parts: Vec<Part>,
    /// Why commands are not run, and how many each time.
    pub left_out: Vec<(String, usize)>,
}

impl Page {
    /// Reads a page of the repository, or the section below one of its headings of the second degree.
    #[track_caller]
    pub fn read(name: &str, section: Option<&str>) -> Self {
        let file = root().join(name);
        let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{name}: {e}"));
        let lines: Vec<&str> = text.lines().collect();
        let mut page = Page { file, parts: Vec::new(), left_out: Vec::new() };
        let (mut at, mut heading, mut reason, mut named) = (0, None, None, None);
        while at < lines.len() {
            let line = lines[at];
            at += 1;
            if let Some(title) = line.strip_prefix("## ") {
                heading = Some(title);
            }
            if let Some(kind) = line.trim_start().strip_prefix("```") {
                let end = at
                    + lines[at..]
                        .iter()
                        .position(|l| l.trim_start() == "```")
                        .unwrap_or_else(|| panic!("{name}:{at}: the block has no end"));
                if section.is_none() || section == heading {
                    page.block(name, kind, at, &lines[at..end], reason.take(), named.take());
                }
                at = end + 1;
            } else if let Some(why) = line.strip_prefix("<!-- not run: ") {
                reason = Some(why.trim_end_matches("-->").trim().to_string());
            } else if !line.is_empty() {
                named = line.strip_prefix('`').and_then(|l| l.strip_suffix("`:")).map(String::from);
                assert!(
                    !line.starts_with("    cleave "),
                    "{name}:{at}: a command outside of a block `console`"
                );
            }
        }
        page
    }

    /// Takes in the block of lines that begin at `at`.
    fn block(
        &mut self,
        page: &str,
        kind: &str,
        at: usize,
        lines: &[&str],
        reason: Option<String>,
        named: Option<String>,
    ) {
        if kind != "console" {
            assert!(SHOWN.contains(&kind), "{page}:{at}: a block of the kind `{kind}`");
            let hidden = |line: &&str| line.starts_with("$ ") || line.starts_with("cleave ");
            assert!(!lines.iter().any(hidden), "{page}:{at}: a command in a block of the kind `{kind}`");
            if let Some(name) = named {
                self.parts.push(Part::File { name, text: lines.join("\n") + "\n" });
            }
            return;
        }
        let mut steps: Vec<Step> = Vec::new();
        let mut goes_on = false;
        for (i, line) in lines.iter().enumerate() {
            let begins = line.strip_prefix("$ ");
            if goes_on || begins.is_some() {
                match steps.last_mut() {
                    Some(step) if goes_on => step.command += &format!("\n{line}"),
                    _ => steps.push(Step { command: begins.unwrap().into(), expected: Vec::new(), at: 0 }),
                }
                let step = steps.last_mut().unwrap();
                (step.at, goes_on) = (at + i + 1, line.ends_with('\\'));
            } else {
                let step =
                    steps.last_mut().unwrap_or_else(|| panic!("{page}:{at}: output without a command"));
                step.expected.push((*line).to_string());
            }
        }
        match reason {
            Some(reason) => self.left_out.push((reason, steps.len())),
            None => self.parts.extend(steps.into_iter().map(Part::Step)),
        }
    }

    /// The number of commands that are run.
    pub fn commands(&self) -> usize {
        self.parts.iter().filter(|part| matches!(part, Part::Step(_))).count()
    }

    /// Runs all commands and compares what they print. With `CLEAVE_WRITE_DOCS` in the environment the page gets what differs.
    #[track_caller]
    pub fn check(&self) {
        let printed = self.printed();
        let steps = self.parts.iter().filter_map(|part| match part {
            Part::Step(step) => Some(step),
            Part::File { .. } => None,
        });
        let wrong: Vec<(&Step, Vec<String>)> = steps
            .zip(printed)
            .filter_map(|(step, printed)| {
                let lines: Vec<String> =
                    printed.lines().filter(|line| !is_progress(line)).map(String::from).collect();
                (!matches(&step.expected, &lines)).then_some((step, lines))
            })
            .collect();
        if !wrong.is_empty() && std::env::var_os("CLEAVE_WRITE_DOCS").is_some() {
            let text = std::fs::read_to_string(&self.file).unwrap();
            let mut lines: Vec<String> = text.lines().map(String::from).collect();
            for (step, printed) in wrong.into_iter().rev() {
                let printed = printed.iter().map(|line| without_times(line));
                lines.splice(step.at..step.at + step.expected.len(), printed);
            }
            std::fs::write(&self.file, lines.join("\n") + "\n").unwrap();
            return;
        }
        let told: Vec<String> = wrong
            .iter()
            .map(|(step, printed)| {
                let (expected, printed) = (step.expected.join("\n"), printed.join("\n"));
                format!(
                    "{}:{}: $ {}\n-- expected:\n{expected}\n-- printed:\n{printed}",
                    self.file.display(),
                    step.at,
                    step.command
                )
            })
            .collect();
        assert!(
            told.is_empty(),
            "{}\nCLEAVE_WRITE_DOCS=1 writes what is printed into the page",
            told.join("\n\n")
        );
    }

    /// The outputs of all commands, in their order.
    fn printed(&self) -> Vec<String> {
        let place = tempfile::tempdir().unwrap();
        let [work, tools] = ["work", "tools"].map(|name| place.path().join(name));
        for folder in [&work, &tools] {
            std::fs::create_dir(folder).unwrap();
        }
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_cleave"), tools.join("cleave")).unwrap();
        let copied = Command::new("cp").arg("-r").arg(root().join("examples")).arg(&work).status().unwrap();
        assert!(copied.success());
        // A marker behind each output; the exit code stays there for the next command. On one processor a run has one worker, and
        // its tests have the same numbers each time.
        let mut script = String::from(ONE_PROCESSOR);
        for (i, part) in self.parts.iter().enumerate() {
            match part {
                Part::Step(step) => {
                    script +=
                        &format!("{}\n__code=$?; printf '\\n@@next@@\\n'; (exit $__code)\n", step.command);
                }
                Part::File { name, text } => {
                    let kept = place.path().join(format!("file{i}"));
                    std::fs::write(&kept, text).unwrap();
                    script +=
                        &format!("mkdir -p \"$(dirname '{name}')\"; cp '{}' '{name}'\n", kept.display());
                }
            }
        }
        let (file, output) = (place.path().join("script"), place.path().join("output"));
        std::fs::write(&file, script).unwrap();
        let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap());
        let into = std::fs::File::create(&output).unwrap();
        let status = Command::new("timeout")
            .args(["--kill-after=5", LIMIT, "bash"])
            .arg(&file)
            .current_dir(&work)
            .env("PATH", path)
            .env("LC_ALL", "C.UTF-8")
            .env_remove("CLEAVE_SYSROOT")
            // The variables of a `make test` around this test: `make` in a page is to be the outermost.
            .env_remove("MAKEFLAGS")
            .env_remove("MAKELEVEL")
            .stdin(Stdio::null())
            .stderr(into.try_clone().unwrap())
            .stdout(into)
            .status()
            .unwrap();
        let text = String::from_utf8_lossy(&std::fs::read(&output).unwrap()).into_owned();
        assert!(status.code() != Some(124), "{} takes more than {LIMIT} s: {text}", self.file.display());
        let all = text.replace(work.to_str().unwrap(), "~");
        let mut printed: Vec<String> = all.split("\n@@next@@\n").map(String::from).collect();
        printed.pop();
        assert_eq!(printed.len(), self.commands(), "{}: {text}", self.file.display());
        printed
    }
}

/// Returns true if the lines are as expected.
fn matches(expected: &[String], lines: &[String]) -> bool {
    match expected.split_first() {
        None => lines.is_empty(),
        Some((line, rest)) if line.trim() == "..." => {
            (0..=lines.len()).any(|skip| matches(rest, &lines[skip..]))
        }
        Some((line, rest)) => lines
            .split_first()
            .is_some_and(|(first, behind)| line_matches(line, first.trim_end()) && matches(rest, behind)),
    }
}

/// Returns true if a line is as expected, with any text for each `...`.
fn line_matches(expected: &str, line: &str) -> bool {
    let parts: Vec<&str> = expected.split("...").collect();
    let [first, between @ .., last] = &*parts else { return expected == line };
    let Some(mut rest) = line.strip_prefix(first) else { return false };
    for part in between {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// Returns true for the lines on which a run says that it builds a library first, that it has begun and how far it is: they
/// depend on the machine and the time.
fn is_progress(line: &str) -> bool {
    line.starts_with("setup: ")
        || line.starts_with("cleave: ") && line.contains(": searching ")
        || line.starts_with(' ') && line.ends_with(" lines") && line.contains(" workers busy ")
}

/// A line of output with `...` for the times in it.
fn without_times(line: &str) -> String {
    let (Some(begin), Some(end)) = (line.find(" in "), line.find("): ")) else { return line.to_string() };
    if line[..begin].ends_with(" paths") || line[..begin].ends_with(" path") {
        return format!("{} ...{}", &line[..begin + 3], &line[end + 1..]);
    }
    line.to_string()
}

#[test]
fn outputs_are_compared_with_the_dots_as_any_text() {
    let check = |expected: &str, printed: &str, same: bool| {
        let lines = |text: &str| text.lines().map(String::from).collect::<Vec<_>>();
        assert_eq!(matches(&lines(expected), &lines(printed)), same, "{expected:?} and {printed:?}");
    };
    check("a\nb", "a\nb", true);
    check("a", "a\nb", false);
    check("a\nb", "a", false);
    check("a ... c", "a b b c", true);
    check("a ... c", "a b b d", false);
    check("ab...ba", "aba", false);
    check("...\nb", "a\nb", true);
    check("...\nb", "b\na", false);
    check("a\n...", "a", true);
}
