//! Damaged, missing, full or forbidden files: one sentence with the cause, the place and the way out, an exit code that is
//! not 0, no panic, and nothing lost.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::session::*;

/// The linked bitcode of a program.
fn bitcode_of(program: &Path) -> Vec<u8> {
    let bitcode = program.with_extension("linked");
    let dump = format!("--dump-section=.cleave.bc={}", bitcode.display());
    let done = Command::new("llvm-objcopy-19").arg(dump).arg(program).arg("/dev/null").status().unwrap();
    assert!(done.success());
    std::fs::read(bitcode).unwrap()
}

/// Runs the file `name` with these bytes; no run directory is left where it fails.
fn run_bytes(folder: &Path, name: &str, bytes: &[u8]) -> std::process::Output {
    let (file, directory) = (folder.join(name), folder.join(format!("{name}.run")));
    std::fs::write(&file, bytes).unwrap();
    let output = run(&directory, &["--workers", "1", "--max-paths", "20"], &file, &[]);
    assert_eq!(done(&output), directory.exists(), "{name}: {}", text(&output.stderr));
    output
}

/// Does something for each number below `n`, on two threads.
fn each(n: usize, work: impl Fn(usize) + Sync) {
    std::thread::scope(|scope| {
        for first in 0..2 {
            let work = &work;
            scope.spawn(move || (first..n).step_by(2).for_each(work));
        }
    });
}

#[test]
fn truncated_bitcode_is_refused_wherever_it_is_cut() {
    let folder = tempfile::tempdir().unwrap();
    let whole = bitcode_of(&bits(folder.path(), 2, 0));
    succeeded(&run_bytes(folder.path(), "whole.bc", &whole));
    each(24, |i| {
        let len = [0, 1, 3, 4, 8, 20].get(i).copied().unwrap_or_else(|| whole.len() * (i - 5) / 19 - 1);
        let name = format!("cut{i}.bc");
        refused(&run_bytes(folder.path(), &name, &whole[..len]), &[&name, "cleave cc"]);
    });
}

#[test]
fn bitcode_with_wrong_bits_is_refused_or_still_a_program() {
    let folder = tempfile::tempdir().unwrap();
    let whole = bitcode_of(&bits(folder.path(), 2, 0));
    let refusals = std::sync::atomic::AtomicUsize::new(0);
    each(36, |i| {
        let (mut bytes, mut random) = (whole.clone(), Random(i as u64));
        for _ in 0..[1, 3, 30][i % 3] {
            bytes[random.below(whole.len())] ^= 1 << random.below(8);
        }
        let name = format!("flip{i}.bc");
        let output = run_bytes(folder.path(), &name, &bytes);
        if !done(&output) {
            refused(&output, &[&name, "cleave cc"]);
            refusals.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
    });
    assert!(refusals.into_inner() > 10, "bits count");
}

#[test]
fn what_is_no_program_is_refused_by_what_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let program = bits(folder.path(), 2, 0);
    let elf = std::fs::read(&program).unwrap();
    let mut random = Random(1);
    let mut noise = b"BC\xc0\xde".to_vec();
    noise.extend((0..4000).map(|_| random.below(256) as u8));
    let mut arm = elf.clone();
    arm[18] = 183;
    let ll = |target: &str| format!("{target}\ndefine i32 @main() {{\n  ret i32 0\n}}\n").into_bytes();
    let small = ll("target datalayout = \"e-p:32:32\"");
    let arm_module = ll("target triple = \"aarch64-unknown-linux-gnu\"");
    let cases: [(&str, &[u8], &[&str]); 17] = [
        ("noise.bc", &noise, &["no LLVM bitcode", "cleave cc"]),
        ("text.bc", b"This is a letter and no program.\n", &["no LLVM bitcode", "cleave cc"]),
        ("empty.bc", b"", &["no `main`"]),
        ("empty", b"", &["no executable for x86-64", "cleave cc"]),
        ("arm", &arm, &["no executable for x86-64", "cleave cc"]),
        ("half", &elf[..elf.len() / 2], &["cleave cc"]),
        ("plain", &std::fs::read("/bin/true").unwrap(), &["no bitcode inside", "cleave cc"]),
        ("arm.ll", &arm_module, &["aarch64", "not for x86_64", "--target"]),
        ("i386.ll", &ll("target triple = \"i386-linux-gnu\""), &["i386", "--target"]),
        (
            "x32.ll",
            &ll("target triple = \"x86_64-linux-gnux32\"\ntarget datalayout = \"e-p:32:32\""),
            &["x32"],
        ),
        ("small.ll", &small, &["p:32:32", "--target"]),
        ("error.ll", b"define i32 @main() { ret i32 %nothing }", &["undefined value", "cleave cc"]),
        ("types.ll", b"define i32 @main() { ret i64 0 }", &["no LLVM bitcode", "cleave cc"]),
        ("lib.ll", b"define i32 @f() { ret i32 0 }", &["no `main`", "whole program"]),
        ("lib.c", b"int f(void) { return 0; }", &["no `main`", "whole program"]),
        ("empty.c", b"", &["no `main`"]),
        ("error.c", b"int main(void) { return 0 }", &["error.c", "see the messages above"]),
    ];
    for (name, bytes, parts) in cases {
        let parts = [parts, &[name]].concat();
        refused(&run_bytes(folder.path(), name, bytes), &parts);
        if name.ends_with(".bc") || name.ends_with(".ll") {
            let test = [OsStr::new("replay"), folder.path().join(name).as_ref(), "x.ktest".as_ref()]
                .map(OsStr::to_owned);
            refused(&cleave(test), &parts);
        }
    }
    let assembled = folder.path().join("assembled.bc");
    std::fs::write(folder.path().join("arm.ll"), &arm_module).unwrap();
    let done =
        Command::new("llvm-as-19").arg("-o").arg(&assembled).arg(folder.path().join("arm.ll")).status();
    assert!(done.unwrap().success());
    refused(&run_bytes(folder.path(), "arm.bc", &std::fs::read(assembled).unwrap()), &["aarch64", "arm.bc"]);
    for (name, part) in [("", "not a file"), ("nothing", "No such file"), ("nothing.bc", "No such file")] {
        let path = folder.path().join(name);
        refused(&run(&folder.path().join("run"), &[], &path, &[]), &[part, path_text(&path)]);
    }
}

/// `cleave` as somebody who is not root, or the reason why that cannot be had.
fn unprivileged() -> Result<Command, String> {
    let uid = Command::new("id").arg("-u").output().unwrap();
    if text(&uid.stdout).trim() != "0" {
        return Ok(command());
    }
    let nobody = || {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups", env!("CARGO_BIN_EXE_cleave")]);
        command
    };
    match nobody().arg("--version").output() {
        Ok(output) if output.status.success() => Ok(nobody()),
        Ok(output) => Err(text(&output.stderr)),
        Err(e) => Err(e.to_string()),
    }
}

#[test]
fn what_may_not_be_read_or_written_is_said() {
    let mut command = match unprivileged() {
        Ok(command) => command,
        Err(why) => return eprintln!("skipped: cannot run as somebody who is not root: {why}"),
    };
    let folder = tempfile::tempdir().unwrap();
    let allow = |path: &Path, mode: &str| {
        assert!(Command::new("chmod").arg(mode).arg(path).status().unwrap().success());
    };
    allow(folder.path(), "755");
    let program = bits(folder.path(), 2, 0);
    allow(&program, "000");
    refused(&command.arg("run").arg(&program).output().unwrap(), &[path_text(&program), "Permission denied"]);
    allow(&program, "755");
    let closed = folder.path().join("closed");
    std::fs::create_dir(&closed).unwrap();
    allow(&closed, "555");
    let mut command = unprivileged().unwrap();
    command.arg("run").arg("--output-dir").arg(closed.join("run")).arg(&program);
    refused(&command.output().unwrap(), &[path_text(&closed), "Permission denied", "--output-dir"]);
}

/// Runs a script in which file systems can be mounted at `$1`; nothing of it is seen outside. `None`, and why is
/// printed, where that is not allowed.
fn with_mounts(folder: &Path, script: &str, arguments: &[&OsStr]) -> Option<String> {
    let place = folder.join("mounted");
    std::fs::create_dir_all(&place).unwrap();
    let shell = |flag: &str, script: &str| {
        let mut command = Command::new("timeout");
        command.args(["60", "unshare", flag, "sh", "-c", script, "sh"]).arg(&place).args(arguments);
        command.output().unwrap()
    };
    let probe = "mount -t tmpfs -o size=64k none \"$1\"";
    let Some(flag) = ["-m", "-rm"].into_iter().find(|flag| shell(flag, probe).status.success()) else {
        eprintln!("skipped: nothing can be mounted here: {}", text(&shell("-rm", probe).stderr));
        return None;
    };
    let output = shell(flag, script);
    let said = text(&output.stdout) + &text(&output.stderr);
    assert!(output.status.success(), "{:?}: {said}", output.status);
    Some(said)
}

#[test]
fn a_full_disk_stops_the_run_and_resume_finds_every_path() {
    let folder = tempfile::tempdir().unwrap();
    let program = bits(folder.path(), 11, 0);
    let plain = folder.path().join("plain");
    succeeded(&run(&plain, &["--workers", "2", "--write-tests", "no"], &program, &[]));
    let expected = digests(&plain);
    assert_eq!(expected.len(), 1 << 11);
    // Room for so many KiB: for the program, for a few tests, for many; without tests, for a part of the database.
    let cases = [(40, "yes"), (400, "yes"), (1_500, "yes"), (6_000, "yes"), (120, "no"), (200, "no")];
    for (room, tests) in cases {
        let script = r#"
            set -e; cleave=$2; program=$3; room=$4; tests=$5; listing=$6
            mount -t tmpfs -o size=16m none "$1"; cd "$1"
            dd if=/dev/zero of=filler bs=1024 count=$((16384 - room)) status=none
            if $cleave run --workers 2 --tests all --write-tests $tests --output-dir run $program; then echo no room needed; exit 1; fi
            rm filler
            if [ -e run ]; then $cleave resume run; else $cleave run --tests all --output-dir run $program; fi
            $cleave list --json run > "$listing"
            ls run/tests | wc -l
            find run/tests -size 0 | wc -l
        "#;
        let listing = folder.path().join("listing");
        let (room_text, cleave) = (room.to_string(), env!("CARGO_BIN_EXE_cleave"));
        let arguments =
            [cleave.as_ref(), program.as_ref(), room_text.as_ref(), tests.as_ref(), listing.as_os_str()];
        let Some(said) = with_mounts(folder.path(), script, &arguments) else { return };
        let sentence = said.lines().find(|l| l.contains("cleave: error: ")).unwrap_or_default();
        let full = sentence.contains("No space left on device") || sentence.contains("is full");
        assert!(full && sentence.contains("make room"), "{room} KiB: {said}");
        let said_of = |line: &&str| line.contains("cleave: ") && !line.contains(": searching ");
        assert_eq!(said.lines().filter(said_of).count(), 1, "{room} KiB, one sentence: {said}");
        assert!(said.contains("every path is explored"), "{room} KiB: {said}");
        let records: Vec<serde_json::Value> = std::fs::read_to_string(&listing)
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(digests_of(&records), expected, "{room} KiB");
        let files: Vec<&str> = said.lines().filter(|l| l.parse::<u64>().is_ok()).collect();
        // A run that did not even start was started anew, with tests.
        let all = if tests == "no" && sentence.contains("resume") { "0" } else { "2048" };
        assert_eq!(files, [all, "0"], "{room} KiB: each test is there, and whole: {said}");
    }
}

#[test]
fn on_a_read_only_disk_runs_are_refused_and_can_be_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let program = bits(folder.path(), 4, 0);
    let script = r#"
        cleave=$2; program=$3
        mount -t tmpfs -o size=4m none "$1" && cd "$1" || exit 1
        $cleave run --workers 1 --max-paths 5 --output-dir run $program
        [ $? = 4 ] || exit 1
        mount -o remount,ro "$1" || exit 1
        $cleave run $program && exit 1
        $cleave run --output-dir new $program && exit 1
        $cleave resume run && exit 1
        $cleave stats run && $cleave list run
    "#;
    let arguments = [env!("CARGO_BIN_EXE_cleave").as_ref(), program.as_os_str()];
    let Some(said) = with_mounts(folder.path(), script, &arguments) else { return };
    let errors: Vec<&str> = said.lines().filter(|l| l.starts_with("cleave: error: ")).collect();
    assert_eq!(errors.len(), 3, "{said}");
    for (error, what) in errors.into_iter().zip(["cleave-out-0", "new", "run"]) {
        assert!(error.contains("Read-only") && error.contains(what) && error.contains(';'), "{error}");
    }
    assert!(said.contains("open_regions") && said.contains("open regions"), "{said}");
}

/// A run of [`BITS`] with N = 4, with its tests.
fn small_run(folder: &Path, options: &[&str]) -> (PathBuf, PathBuf) {
    let (program, directory) = (bits(folder, 4, 0), folder.join("run"));
    succeeded(&run(&directory, &[&["--workers", "1"], options].concat(), &program, &[]));
    (program, directory)
}

#[test]
fn a_corrupt_test_is_named_wherever_tests_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let (program, directory) = small_run(folder.path(), &[]);
    let good = directory.join("tests/test000001.ktest");
    let whole = std::fs::read(&good).unwrap();
    let mut long = whole.clone();
    long[9..13].copy_from_slice(&u32::MAX.to_be_bytes());
    let bad = folder.path().join("bad.ktest");
    let cases: [(&[u8], &str); 5] = [
        (b"", "does not start with KTEST"),
        (b"KTES", "does not start with KTEST"),
        (&whole[..whole.len() - 1], "truncated or corrupt"),
        (&long, "truncated or corrupt"),
        (&[&whole[..], b"more"].concat(), "follow after the last object"),
    ];
    for (bytes, part) in cases {
        std::fs::write(&bad, bytes).unwrap();
        let parts = [part, "bad.ktest"];
        for command in ["sort", "compare"] {
            let arguments =
                [OsStr::new("tests"), command.as_ref(), program.as_ref(), good.as_ref(), bad.as_ref()];
            refused(&cleave(arguments), &parts);
        }
        let new = folder.path().join("new");
        refused(&run(&new, &["--split-at", path_text(&bad)], &program, &[]), &parts);
        assert!(!new.exists());
        let replayed = cleave([OsStr::new("replay"), program.as_ref(), good.as_ref(), bad.as_ref()]);
        let said = text(&replayed.stdout);
        assert_eq!(replayed.status.code(), Some(1), "{said}");
        assert!(
            said.contains(part) && said.contains("1 as foretold") && said.contains("1 could not be run"),
            "{said}"
        );
    }
}

#[test]
fn tests_of_another_program_are_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let (program, directory) = small_run(folder.path(), &[]);
    let code = "#include <stdio.h>\nint main(int n, char **v) { if (n > 1 && v[1][0] == 'x') puts(v[1]); return 9; }";
    let other = compile(folder.path(), "other", code, &[]);
    let others = folder.path().join("others");
    succeeded(&run(&others, &["--workers", "1"], &other, &["--sym-arg", "2"]));
    let (own, foreign) = (directory.join("tests/test000001.ktest"), others.join("tests/test000001.ktest"));
    let new = folder.path().join("new");
    let parts = ["test000001.ktest is for another command line (other --sym-arg 2)", "give tests"];
    refused(&run(&new, &["--split-at", path_text(&foreign)], &program, &[]), &parts);
    let mixed = [OsStr::new("tests"), "sort".as_ref(), program.as_ref(), own.as_ref(), foreign.as_ref()];
    refused(&cleave(mixed), &parts);
    // The same command line: it is an input like any other, and the paths are all there.
    let warning = "was made for `bits4`, not for";
    let split = run(&new, &["--split-at", path_text(&own)], &other, &[]);
    assert!(text(&split.stderr).contains(warning), "{}", text(&split.stderr));
    assert!(succeeded(&split).contains("1 path in"), "all paths of a program without inputs");
    let replayed = cleave([OsStr::new("replay"), other.as_ref(), own.as_ref()]);
    assert!(text(&replayed.stderr).contains(warning), "{}", text(&replayed.stderr));
    assert_eq!(replayed.status.code(), Some(1), "it does not end as foretold: {}", text(&replayed.stdout));
}

#[test]
fn a_damaged_database_is_said_to_be_damaged() {
    let folder = tempfile::tempdir().unwrap();
    let (_, directory) = small_run(folder.path(), &["--max-paths", "5"]);
    let database = directory.join("db.sqlite");
    let whole = std::fs::read(&database).unwrap();
    let look = |command: &str| cleave([OsStr::new(command), directory.as_os_str()]);
    let commands = ["resume", "list", "stats"];
    let cases = [
        (&whole[..whole.len() / 2], "damaged"),
        (b"no database at all", "damaged"),
        (b"", "no run directory"),
    ];
    for (bytes, part) in cases {
        std::fs::write(&database, bytes).unwrap();
        for command in commands {
            refused(&look(command), &[part, path_text(&directory)]);
        }
    }
    for i in 0..12 {
        let (mut bytes, mut random) = (whole.clone(), Random(i));
        for _ in 0..200 {
            bytes[random.below(whole.len())] = random.below(256) as u8;
        }
        std::fs::write(&database, &bytes).unwrap();
        let output = look(commands[i as usize % 3]);
        if !done(&output) {
            refused(&output, &[path_text(&directory), ";"]);
        }
    }
    std::fs::remove_file(&database).unwrap();
    for path in [&directory, &database.with_file_name("info")] {
        for command in commands {
            refused(
                &cleave([OsStr::new(command), path.as_os_str()]),
                &["is no run directory", path_text(path)],
            );
        }
    }
}

#[test]
fn a_run_goes_on_with_the_program_that_it_began_with() {
    let folder = tempfile::tempdir().unwrap();
    let (program, directory) = small_run(folder.path(), &["--max-paths", "5"]);
    let image = directory.join("program.image");
    let whole = std::fs::read(&image).unwrap();
    let resume = || cleave([OsStr::new("resume"), directory.as_os_str()]);
    let mut random = Random(3);
    let mut damaged = whole.clone();
    damaged[random.below(whole.len())] ^= 4;
    for bytes in [&damaged[..], &whole[..whole.len() / 3], b""] {
        std::fs::write(&image, bytes).unwrap();
        refused(&resume(), &["program.image", "damaged", "new run"]);
    }
    std::fs::remove_file(&image).unwrap();
    refused(&resume(), &["program.image", "No such file", "new run"]);
    assert_eq!(digests(&directory).len(), 5, "nothing is lost");
    std::fs::write(&image, &whole).unwrap();
    std::fs::write(&program, "something else").unwrap();
    assert!(succeeded(&resume()).contains("every path is explored"));
    assert_eq!(digests(&directory).len(), 16);
}

#[test]
fn nobody_reads_what_is_said_and_the_run_is_whole_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let program = bits(folder.path(), 4, 0);
    let start = |name: &str| {
        let mut command = command();
        command.args(["run", "--output-dir"]).arg(folder.path().join(name)).arg(&program);
        command
    };
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut closed = start("closed");
    let closed = closed.stdout(writer.try_clone().unwrap()).stderr(writer).status().unwrap();
    assert_eq!(closed.code(), Some(0));
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    refused(&start("full").stdout(full).output().unwrap(), &["cannot write to standard output"]);
    for name in ["closed", "full"] {
        assert_eq!(digests(&folder.path().join(name)).len(), 16, "{name}");
    }
}

#[test]
fn what_was_loaded_before_is_used_unless_it_is_damaged_or_cannot_be_kept() {
    let folder = tempfile::tempdir().unwrap();
    let program = bits(folder.path(), 2, 0);
    let cache = folder.path().join("cache");
    let explored = |name: &str, cache: &Path| {
        let directory = folder.path().join(name);
        let mut command = command();
        command.env("CLEAVE_CACHE", cache).args(["run", "--workers", "1", "--output-dir"]);
        succeeded(&command.args([&directory, &program]).output().unwrap());
        (std::fs::read(directory.join("program.image")).unwrap(), digests(&directory))
    };
    let first = explored("first", &cache);
    let kept: Vec<PathBuf> = std::fs::read_dir(&cache).unwrap().map(|entry| entry.unwrap().path()).collect();
    let [kept] = &kept[..] else { panic!("{kept:?}") };
    assert_eq!(explored("second", &cache), first);
    let bytes = std::fs::read(kept).unwrap();
    std::fs::write(kept, &bytes[..bytes.len() / 2]).unwrap();
    assert_eq!(explored("damaged", &cache), first);
    assert_eq!(std::fs::read(kept).unwrap(), bytes, "written anew");
    assert_eq!(explored("off", Path::new("")), first);
    let no_folder = folder.path().join("file");
    std::fs::write(&no_folder, "").unwrap();
    assert_eq!(explored("no folder", &no_folder), first);
}
