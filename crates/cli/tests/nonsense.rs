//! Every option and every argument of every command, with extreme and nonsense values: an exit code that is documented, one
//! sentence for a failure, no panic, no signal, no hang. The options come from the command line itself (`cleave options`), so
//! that a new option is tried as soon as it is there.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::session::*;

/// Exit codes of `cleave --help` that are allowed here: nobody interrupts anything, and nothing is wrong inside.
const DOCUMENTED: [i32; 6] = [0, 1, 2, 3, 4, 5];

/// A command may take so long, on a machine that does much else.
const LONGEST: Duration = Duration::from_secs(20);

/// The arguments of all these are those of another program, which judges them.
const OTHERS: [&str; 7] = ["cc", "c++", "rustc", "cargo", "ar", "ranlib", "nm"];

/// Folder and files with which commands are tried.
struct Place {
    /// Each thread has its own.
    folder: PathBuf,
    program: PathBuf,
    run: PathBuf,
    /// The key of a campaign on several machines.
    key: PathBuf,
    values: Vec<OsString>,
}

/// The variable with which every option is tried with all values, and more of them than otherwise.
const ALL: &str = "CLEAVE_NONSENSE_ALL";

/// Otherwise each option of each command is tried with a third of the values: the next option with the next third, so that an option
/// that several commands have meets all.
const THIRDS: usize = 3;

fn values(folder: &Path) -> Vec<OsString> {
    let texts = [
        "",
        "0",
        "-1",
        "4294967295",
        "18446744073709551615",
        "18000000000000000000",
        "1e400",
        "no such file",
    ];
    let mut values: Vec<OsString> = texts.iter().map(OsString::from).collect();
    values.push(OsString::from_vec(b"\xff\xfe\x80".to_vec()));
    values.push("9".repeat(60_000).into());
    values.push(folder.into());
    values.push("a,b\n%s".into());
    if std::env::var_os(ALL).is_some() {
        let more = [
            "1",
            "4294967296",
            "18446744073709551616",
            "nan",
            "1e-400",
            "0x10",
            "99999999999999999999999G",
            "max",
            "all",
            ",",
            "=",
            ":",
            "*",
            "--",
            "/dev/null",
        ];
        values.extend(more.iter().map(OsString::from));
        values.push("x".repeat(5_000).into());
    }
    values
}

/// Options that `compare` has beside those of `run`.
const OF_COMPARISONS: [&str; 8] =
    ["relate", "ignore", "old-flag", "new-flag", "flag", "old-source", "new-source", "entry-point"];

/// A command line that does its work: options that it needs, and its arguments.
fn sound(command: &str, place: &Place) -> Option<(Vec<OsString>, Vec<OsString>)> {
    let program = || place.program.clone().into_os_string();
    let run = || place.run.clone().into_os_string();
    let words = |texts: &[&str]| texts.iter().map(OsString::from).collect::<Vec<_>>();
    let new = || place.folder.join("new").into_os_string();
    Some(match command {
        "run" => (Vec::new(), vec![program(), "--sym-arg".into(), "1".into()]),
        "resume" | "list" | "stats" | "doctor" | "coverage" | "tests follow" => (Vec::new(), vec![run()]),
        "report" => (Vec::new(), vec![run(), new()]),
        "tests open" | "tests xml" => (vec!["--output".into(), new()], vec![run()]),
        // It ends when nobody has connected.
        "debug" => (words(&["--wait-with=1"]), vec![run(), "1".into()]),
        "tests export" => (words(&["--to=ktest"]), vec![run(), new()]),
        "explain" | "expand" => (Vec::new(), vec![run(), "1".into()]),
        // Four billion paths take weeks; two reports a second of these would take minutes.
        "simulate" => (words(&["--workers=2", "--report-ms=3600000"]), vec![run()]),
        "replay" => (words(&["--max-time=5"]), vec![program(), run()]),
        "proofs" => (Vec::new(), vec![program()]),
        "compare" => (words(&["--max-paths=2"]), vec![program(), program(), "--sym-arg".into(), "1".into()]),
        // The place's run began with main, which is said.
        "callers" => (Vec::new(), vec![run()]),
        "harness" => (Vec::new(), vec!["main".into(), program()]),
        "tests compare" | "tests sort" => (Vec::new(), vec![program(), run()]),
        "tests make" => (vec!["--output".into(), new()], vec![program(), "--sym-arg".into(), "1".into()]),
        "tests minimize" => {
            (vec!["--output".into(), new()], vec![run(), program(), "--sym-arg".into(), "1".into()])
        }
        "klee" => (Vec::new(), vec![program(), "--sym-arg".into(), "1".into()]),
        "testcomp" | "svcomp" => {
            let tasks = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/competition");
            let property = if command == "testcomp" { "coverage-error-call" } else { "unreach-call" };
            let property = tasks.join("properties").join(property).with_extension("prp").into_os_string();
            let mut given = OsString::from("--property=");
            given.push(property);
            (vec![given], vec![tasks.join("unsafe_index.c").into_os_string()])
        }
        "bound" | "bench lazy" => (Vec::new(), vec![program(), "--sym-arg".into(), "1".into()]),
        "dump" => (Vec::new(), vec![program(), "main".into()]),
        "bench s2pf" => (words(&["--programs=no such folder"]), words(&["list"])),
        "toolchain" => (Vec::new(), words(&["cmake"])),
        "man" => (Vec::new(), vec![new()]),
        "completions" => (Vec::new(), words(&["bash"])),
        // Nobody listens there.
        "join" | "cluster status" => {
            let mut key = OsString::from("--cluster-key=");
            key.push(&place.key);
            let any = (command == "join").then(|| "--any-program".into());
            (std::iter::once(key).chain(any).collect(), words(&["nats://127.0.0.1:1"]))
        }
        "gather" => (vec!["--from".into(), place.folder.clone().into_os_string()], vec![run()]),
        // They read standard input, which is empty.
        "load" | "worker" => (Vec::new(), Vec::new()),
        // There is nothing that it is told.
        "native" => (Vec::new(), words(&["no such file", "no such program"])),
        "options" => (Vec::new(), Vec::new()),
        _ => return None,
    })
}

/// All command lines of a command that are to be tried.
fn lines(command: &Value, place: &Place) -> Vec<Vec<OsString>> {
    let words: Vec<&str> =
        command["command"].as_array().unwrap().iter().map(|w| w.as_str().unwrap()).collect();
    let name = words.join(" ");
    if OTHERS.contains(&name.as_str()) {
        return Vec::new();
    }
    let (needed, arguments) =
        sound(&name, place).unwrap_or_else(|| panic!("say in `sound` how `cleave {name}` does its work"));
    let first: Vec<OsString> = words.iter().map(OsString::from).collect();
    let mut lines = Vec::new();
    let step = if std::env::var_os(ALL).is_some() { 1 } else { THIRDS };
    for (n, option) in command["options"].as_array().unwrap().iter().enumerate() {
        let option_name = option["name"].as_str().unwrap();
        // The others are those of `run` and `resume`, which are tried with them.
        let own_options: Option<&[&str]> = match name.as_str() {
            "compare" => Some(&OF_COMPARISONS),
            "expand" => Some(&["output-dir"]),
            _ => None,
        };
        if own_options.is_some_and(|own| !own.contains(&option_name)) {
            continue;
        }
        let own = OsString::from(format!("--{option_name}"));
        // An option that is needed must not stand there twice.
        let stands = needed.iter().any(|word| word.as_bytes().starts_with(own.as_bytes()));
        let others = if stands { Vec::new() } else { needed.clone() };
        let has_value = option["has_value"].as_bool().unwrap();
        let values = if has_value { &place.values[..] } else { &place.values[..2] };
        let first_value = (name.len() + n) % step;
        for value in values.iter().skip(first_value).step_by(step) {
            let mut given = own.clone();
            given.push("=");
            given.push(value);
            lines.push([&first[..], &others[..], &[given], &arguments[..]].concat());
        }
    }
    for at in 0..arguments.len().max(command["arguments"].as_u64().unwrap() as usize) {
        for value in &place.values {
            let mut arguments = arguments.clone();
            arguments.truncate(at);
            arguments.push(value.clone());
            lines.push([&first[..], &needed[..], &arguments[..]].concat());
        }
    }
    if name == "run" {
        for option in ["--sym-arg", "--sym-args", "--sym-stdin", "--sym-files", "--sym-stdout"] {
            for value in &place.values {
                let own = [program_of(place), option.into(), value.clone(), value.clone(), value.clone()];
                lines.push([&first[..], &["--max-paths=2".into()], &own[..]].concat());
            }
        }
    }
    lines
}

fn program_of(place: &Place) -> OsString {
    place.program.clone().into_os_string()
}

/// Complaint about the run of a command line; `None` if all is well.
fn complaint(line: &[OsString], place: &Place) -> Option<String> {
    let fresh = place.folder.join("work");
    let _ = std::fs::remove_dir_all(&fresh);
    let _ = std::fs::remove_dir_all(place.folder.join("new"));
    let _ = std::fs::remove_file(place.folder.join("new"));
    std::fs::create_dir(&fresh).unwrap();
    let start = Instant::now();
    let output = Command::new("timeout")
        .args(["--kill-after=2", &LONGEST.as_secs().to_string(), env!("CARGO_BIN_EXE_cleave")])
        .args(line)
        .current_dir(&fresh)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = text(&output.stderr);
    let code = output.status.code().unwrap_or(-1);
    let shown: Vec<String> = line.iter().map(|w| w.as_bytes().escape_ascii().to_string()).collect();
    let shown: Vec<&str> = shown.iter().map(|w| &w[..w.len().min(60)]).collect();
    let told = |what: &str| {
        let end: String = said.chars().rev().take(600).collect::<Vec<_>>().into_iter().rev().collect();
        Some(format!("{}: {what} ({code}, {:?}): {end}", shown.join(" "), start.elapsed()))
    };
    if !DOCUMENTED.contains(&code) {
        return told("exit code");
    }
    if said.contains("internal error") || said.contains("panicked") {
        return told("an internal error");
    }
    let errors = said.lines().filter(|l| l.starts_with("cleave: error: ")).count();
    let last = said.lines().last().unwrap_or("");
    if matches!(code, 1 | 2) && (errors != 1 || !last.starts_with("cleave: error: ")) {
        // `replay` says on standard output which tests differ, and `nothing at all` shows help.
        let judged = line.first().is_some_and(|w| w == "replay") && errors == 0 && said.lines().count() <= 1;
        let help = last.is_empty() || said.contains("Usage:");
        if !judged && !help {
            return told("no single sentence");
        }
    }
    if last.len() > 10_000 {
        return told("a long sentence");
    }
    None
}

fn place(folder: &Path, program: &Path, run: &Path, name: &str) -> Place {
    let folder = folder.join(name);
    std::fs::create_dir(&folder).unwrap();
    let own = folder.join("run");
    let copied = Command::new("cp").arg("-r").arg(run).arg(&own).status().unwrap();
    assert!(copied.success());
    let key = folder.join("key");
    std::fs::write(&key, "5a".repeat(32)).unwrap();
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).unwrap();
    Place { values: values(&folder), program: program.into(), run: own, key, folder }
}

#[test]
fn no_value_of_any_option_breaks_any_command() {
    let folder = tempfile::tempdir().unwrap();
    let code = "int main(int n, char **v) { return n > 1 && v[1][0] == 'x'; }";
    let program = compile(folder.path(), "small", code, &[]);
    let directory = folder.path().join("run");
    succeeded(&run(&directory, &["--workers", "1"], &program, &["--sym-arg", "1"]));
    let listed = succeeded(&cleave([OsStr::new("options")]));
    let commands: Vec<Value> = listed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let names: BTreeSet<String> = commands.iter().map(|c| c["command"].to_string()).collect();
    assert!(names.len() == commands.len() && names.contains("[\"tests\",\"make\"]"), "{names:?}");
    let options: usize = commands.iter().map(|c| c["options"].as_array().unwrap().len()).sum();
    assert!(options > 80, "{options}");
    let complaints = Mutex::new(Vec::new());
    let tried = Mutex::new(0);
    let work = |half: usize| {
        let place = place(folder.path(), &program, &directory, &format!("place{half}"));
        for command in &commands {
            for line in lines(command, &place).iter().skip(half).step_by(2) {
                *tried.lock().unwrap() += 1;
                complaints.lock().unwrap().extend(complaint(line, &place));
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| work(0));
        scope.spawn(|| work(1));
    });
    let (tried, complaints) = (tried.into_inner().unwrap(), complaints.into_inner().unwrap());
    assert!(complaints.is_empty(), "{} of {tried}:\n{}", complaints.len(), complaints.join("\n"));
    assert!(tried > 900, "{tried}");
}
