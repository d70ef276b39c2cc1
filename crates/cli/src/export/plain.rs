//! Tests as a folder of plain files, each with a script that runs it.

use std::ffi::OsStr;
use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use cleave_linux::{Attributes, TreeEntry, TreeNode};

use super::cases::{Case, Ends, Suite};
use super::{Format, Runs, make_folder, write, write_executable};
use crate::failure::Failure;

/// Its line in the table of formats.
pub(super) const FORMAT: Format = Format {
    name: "plain",
    about: "a folder a test: arguments, input and files, and run-all.sh, which runs and judges them all",
    runs: Runs::Trees,
    write: folder,
};

const RUN_ALL: &str = r#"#!/usr/bin/env bash
# run-all.sh [TEST...]: runs these tests, or all, and compares exit status and standard output with what is expected.
# PROGRAM names another program than the one in this folder.
here=$(cd "$(dirname "$0")" && pwd)
PROGRAM=$(realpath "${PROGRAM:-$here/program}")
export PROGRAM
if [ $# = 0 ]; then
    for folder in "$here"/test*/; do set -- "$@" "$(basename "$folder")"; done
fi
passed=0 failed=0 ran=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for name in "$@"; do
    test=$here/$name
    rm -rf "$scratch/files" && cp -r "$test/files" "$scratch/files"
    [ ! -e "$test/prepare.sh" ] || (cd "$scratch/files" && bash "$test/prepare.sh")
    # The group keeps the shell from telling of signals.
    { (cd "$scratch/files" && exec bash "$test/run.sh" <"$test/stdin" >"$scratch/stdout" 2>/dev/null); } 2>/dev/null
    status=$?
    if [ ! -e "$test/expected-status" ]; then
        ran=$((ran + 1))
        continue
    fi
    why=
    [ "$status" = "$(cat "$test/expected-status")" ] || why="exit status $status, not $(cat "$test/expected-status")"
    if [ -e "$test/expected-stdout" ] && ! cmp -s "$scratch/stdout" "$test/expected-stdout"; then
        why="${why:+$why; }the output differs"
    fi
    if [ -z "$why" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$name: $why"
    fi
done
echo "$passed passed, $failed failed, $ran ran without an expectation"
[ "$failed" = 0 ]
"#;

fn folder(suite: &mut Suite, to: &Path) -> Result<(), Failure> {
    make_folder(to)?;
    suite.put_program(&to.join("program"))?;
    write_executable(&to.join("run-all.sh"), RUN_ALL)?;
    suite.each(&mut |case| one(case, &to.join(&case.name)))
}

fn one(case: &Case, folder: &Path) -> Result<(), Failure> {
    make_folder(&folder.join("files"))?;
    for (name, contents) in &case.job.files {
        write(&folder.join("files").join(name), contents)?;
    }
    for entry in &case.job.tree {
        put_entry(&folder.join("files"), entry)?;
    }
    let preparation = preparation(case);
    if !preparation.is_empty() {
        write(&folder.join("prepare.sh"), preparation)?;
    }
    write(&folder.join("stdin"), &case.job.stdin)?;
    write_executable(&folder.join("run.sh"), script(case))?;
    if let Some(ktest) = &case.job.ktest {
        write(&folder.join("objects.ktest"), ktest)?;
    }
    let status = match case.end {
        Some(Ends::Exit(status)) => Some(status),
        // As shells have it.
        Some(Ends::Signal(signal)) => Some(128 + signal),
        None => None,
    };
    if let Some(status) = status {
        write(&folder.join("expected-status"), format!("{status}\n"))?;
    }
    if let Some(stdout) = &case.stdout {
        write(&folder.join("expected-stdout"), stdout)?;
    }
    if let Some(bug) = &case.bug {
        write(&folder.join("bug"), format!("{}: {}\n{}\n", bug.kind, bug.message, bug.place))?;
    }
    Ok(())
}

/// Makes an entry of a test's tree.
fn put_entry(files: &Path, entry: &TreeEntry) -> Result<(), Failure> {
    let path = files.join(OsStr::from_bytes(&entry.path));
    match &entry.node {
        TreeNode::Directory => make_folder(&path),
        TreeNode::File(data) => write(&path, data),
        TreeNode::Link(target) => std::os::unix::fs::symlink(OsStr::from_bytes(target), &path)
            .map_err(|e| super::unwritable(&path, &e)),
        TreeNode::Nothing => Ok(()),
    }
}

/// Gives the files in the working directory their times and permissions, as far as a user can: `ctime` is when that is done.
fn preparation(case: &Case) -> String {
    let mut text = String::new();
    let usual = Attributes::default();
    for ((name, _), known) in case.job.files.iter().zip(&case.job.attributes) {
        let [accessed, modified, _] = known.times;
        for (option, time, usual) in [("-a", accessed, usual.times[0]), ("-m", modified, usual.times[1])] {
            if time != usual {
                let _ = writeln!(text, "touch {option} -d @{}.{:09} {name}", time.0, time.1);
            }
        }
        if known.mode != usual.mode {
            let _ = writeln!(text, "chmod {:04o} {name}", known.mode);
        }
    }
    text
}

/// Runs the program in the working directory, with its own name and environment.
fn script(case: &Case) -> String {
    let mut text = String::from(
        "#!/usr/bin/env bash\n# The program gets these variables alone, and `_`, which bash adds.\nprogram=$PROGRAM\n",
    );
    if case.job.ktest.is_some() {
        text.push_str("test=$(cd \"$(dirname \"$0\")\" && pwd)/objects.ktest\n");
    }
    text.push_str("for name in $(compgen -e); do unset \"$name\"; done\n");
    // Writing into a string does not fail.
    for (name, value) in &case.job.env {
        let _ = writeln!(text, "export {}={}", String::from_utf8_lossy(name), quoted(value));
    }
    if case.job.ktest.is_some() {
        text.push_str("export CLEAVE_TEST=\"$test\"\n");
    }
    let (name, arguments) = case.job.argv.split_first().map_or((&b""[..], &[][..]), |(n, a)| (n, a));
    let _ = write!(text, "exec -a {} \"$program\"", quoted(name));
    for argument in arguments {
        let _ = write!(text, " {}", quoted(argument));
    }
    text.push('\n');
    text
}

/// A word of bash.
fn quoted(bytes: &[u8]) -> String {
    let plain = |b: &u8| b.is_ascii_alphanumeric() || b"-_=./+,:@%".contains(b);
    if !bytes.is_empty() && bytes.iter().all(plain) {
        return String::from_utf8_lossy(bytes).into_owned();
    }
    let mut text = String::from("$'");
    for &byte in bytes {
        match byte {
            b'\'' | b'\\' => text.extend(['\\', char::from(byte)]),
            b' '..=b'~' => text.push(char::from(byte)),
            _ => {
                let _ = write!(text, "\\{byte:03o}");
            }
        }
    }
    text.push('\'');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_bash_hold_all_bytes() {
        assert_eq!(quoted(b"-n"), "-n");
        assert_eq!(quoted(b""), "$''");
        assert_eq!(quoted(b"a b'\\\n\xff7"), "$'a b\\'\\\\\\012\\3777'");
    }
}
