//! The command line from outside: what is refused and how, what help says, and the native judge.

use cleave_report::KTest;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn cleave(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_cleave")).args(arguments).stdin(Stdio::null()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The command fails with this exit code and one line on standard error, which contains `part`.
#[track_caller]
fn refused(arguments: &[&str], code: i32, part: &str) {
    let output = cleave(arguments);
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {error}");
    assert!(error.starts_with("cleave: error: ") && error.contains(part), "{arguments:?}: {error}");
    assert_eq!(error.lines().count(), 1, "{arguments:?}: one sentence, not: {error}");
    assert!(output.stdout.is_empty());
}

#[test]
fn wrong_command_lines_are_refused_in_one_sentence() {
    refused(&["fly"], 2, "unrecognized subcommand 'fly'");
    refused(&["run"], 2, "<PROGRAM>");
    refused(&["run", "--sideways", "prog"], 2, "--sideways");
    refused(&["run", "--workers", "0", "prog"], 2, "--workers");
    refused(&["run", "--max-time", "5 parsecs", "prog"], 2, "like 5m");
    refused(&["run", "--max-memory", "3 apples", "prog"], 2, "--max-memory");
    refused(&["run", "--search", "sideways", "prog"], 2, "dfs");
    refused(&["run", "--write-tests", "perhaps", "prog"], 2, "yes");
    refused(&["replay", "prog"], 2, "<TEST>");
    refused(&["tests", "sort", "prog"], 2, "<TEST>");
    refused(&["resume"], 2, "<DIR>");
}

#[test]
fn the_programs_own_arguments_are_checked_as_klee_knows_them() {
    let program = env!("CARGO_BIN_EXE_cleave");
    refused(&["run", program, "--sym-args", "0", "2"], 2, "lacks its LEN");
    refused(&["run", program, "x", "-sym-arg", "many"], 2, "give a number");
}

#[test]
fn what_is_not_there_is_said_with_its_name() {
    refused(&["run", "/no/such/program"], 1, "/no/such/program");
    refused(&["run", "/"], 1, "not a file");
    refused(&["replay", "/no/such/program", "x.ktest"], 1, "/no/such/program");
    for command in ["list", "stats", "resume"] {
        refused(&[command, "/no/such/run"], 1, "/no/such/run is no run directory");
    }
    refused(&["replay", "/bin/ls", "/"], 1, "no tests");
}

#[test]
fn the_register_code_of_a_function_or_of_all_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("p.c");
    std::fs::write(&source, "int twice(int x) { return x + x; }\nint main(void) { return twice(21); }\n")
        .unwrap();
    let source = source.to_str().unwrap();
    let shown = |arguments: &[&str]| {
        let output = cleave(&[&["dump", source], arguments].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let (one, all) = (shown(&["twice"]), shown(&[]));
    assert!(one.contains("twice") && one.contains("add") && !one.contains("main"), "{one}");
    assert!(all.contains(one.trim_end()) && all.contains("main"), "{all}");
    refused(&["dump", source, "thrice"], 1, "no function `thrice`");
}

#[test]
fn a_trace_tells_each_decision_and_each_question_of_the_topics_that_were_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("p.c");
    let program = "int puts(const char *);\nint main(int argc, char **argv) {\n  if (argv[1][0] == 'x') puts(\"x\"); else \
                   puts(\"y\");\n  return 0;\n}\n";
    std::fs::write(&source, program).unwrap();
    let run = |topics: &str, out: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cleave"));
        command.env("CLEAVE_LOG", topics).args([
            "run",
            "--search",
            "dfs",
            // A second one may steal, and take decisions again on its way.
            "--workers",
            "1",
            "--max-time",
            "60",
            "--output-dir",
        ]);
        let output =
            command.arg(folder.path().join(out)).arg(&source).args(["--sym-arg", "1"]).output().unwrap();
        (output.status.code(), text(&output.stderr))
    };
    let lines = |trace: &str, topic: &str| {
        trace
            .lines()
            .filter(|line| line.trim_start().starts_with(topic))
            .map(String::from)
            .collect::<Vec<_>>()
    };
    let (code, trace) = run("decide,solver", "both");
    assert_eq!(code, Some(0), "{trace}");
    // Two paths: each side of the only decision of the program is taken.
    let decided = lines(&trace, "decide: ");
    for side in ["is true", "is false"] {
        let of_program = |line: &&String| line.contains("p.c:3") && line.contains(side);
        assert_eq!(decided.iter().filter(of_program).count(), 1, "{side}: {trace}");
    }
    assert!(lines(&trace, "solver: ").iter().any(|line| line.contains(" side: feasible (")), "{trace}");
    assert!(lines(&trace, "region: ").is_empty(), "{trace}");
    let (_, trace) = run("region", "one");
    assert_eq!(lines(&trace, "region: ").len(), 1, "{trace}");
    assert!(lines(&trace, "decide: ").is_empty(), "{trace}");
    let (code, trace) = run("sideways", "none");
    assert_eq!(code, Some(2));
    assert!(trace.contains("`sideways`") && trace.contains("decide, solver, region"), "{trace}");
}

#[test]
fn nothing_at_all_shows_help_and_fails() {
    let output = cleave(&[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("Usage: cleave"));
}

#[test]
fn help_names_every_command_and_every_options_default() {
    let help = text(&cleave(&["--help"]).stdout);
    for command in ["cc", "run", "resume", "list", "replay", "tests", "stats"] {
        assert!(help.lines().any(|l| l.trim_start().starts_with(command)), "{command} in {help}");
    }
    assert!(!help.contains("worker process"), "the workers' own command is hidden");
    for command in ["run", "resume", "list", "replay", "stats"] {
        let output = cleave(&[command, "--help"]);
        assert!(output.status.success());
        let help = text(&output.stdout);
        let options = help.split("Options:").nth(1).unwrap();
        // If a line is wrapped, the next one may begin with an option's name, too, but further to the right.
        let flags =
            options.lines().filter(|l| l.find("--") == Some(6) && l.trim_start().starts_with("--")).count();
        let unwrapped = options.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flags > 0);
        // `list` and `stats` also have a default for the directory, which stands with the arguments.
        assert_eq!(unwrapped.matches("Default is").count(), flags, "{command}: {options}");
    }
}

/// A native program that prints its arguments and input and exits with their number.
fn native(directory: &Path) -> PathBuf {
    let source = directory.join("show.c");
    let program = directory.join("show");
    let code = r#"
        #include <stdio.h>
        #include <stdlib.h>
        #include <unistd.h>
        int main(int argc, char **argv) {
          int c;
          if (argc > 1 && argv[1][0] == '!') for (argv[1][1] && fork();;) pause();
          for (int i = 0; i < argc; i++) printf("[%s]", argv[i]);
          while ((c = getchar()) != EOF) putchar(c);
          FILE *f = fopen("A", "r");
          if (f) printf("A:%c", getc(f));
          printf("%s", getenv("CLEAVE_TEST") ? "own" : "");
          return argc;
        }"#;
    std::fs::write(&source, code).unwrap();
    let compiled = Command::new("gcc").arg("-static").arg("-o").arg(&program).arg(&source).status().unwrap();
    assert!(compiled.success());
    program
}

fn test(directory: &Path, name: &str, args: &[&str], objects: &[(&str, &[u8])]) -> String {
    let test = KTest {
        args: args.iter().map(|a| a.as_bytes().to_vec()).collect(),
        objects: objects.iter().map(|(n, b)| ((*n).to_owned(), b.to_vec())).collect(),
        ..KTest::default()
    };
    let path = directory.join(name);
    std::fs::write(&path, test.to_bytes().unwrap()).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_test_is_run_with_the_arguments_input_and_files_that_it_stands_for() {
    let directory = tempfile::tempdir().unwrap();
    let program = native(directory.path());
    let program = program.to_str().unwrap();
    let args = ["show", "-d", "--sym-args", "0", "2", "3", "--sym-stdin", "2", "--sym-files", "1", "1"];
    let environment: &[(&str, &[u8])] =
        &[("n_args", &[1, 0, 0, 0]), ("arg00", b"x\0y\0"), ("stdin", b"in"), ("A-data", b"f")];
    let plain = test(directory.path(), "plain.ktest", &args, environment);
    let output = cleave(&["replay", program, &plain]);
    let shown = text(&output.stdout);
    assert!(output.status.success(), "{shown}{}", text(&output.stderr));
    assert!(shown.contains("arguments: \"show\" \"-d\" \"x\""), "{shown}");
    assert!(shown.contains("exit status 3") && shown.contains("[show][-d][x]inA:f\""), "{shown}");

    let with_own: Vec<(&str, &[u8])> = environment.iter().copied().chain([("x", b"1".as_slice())]).collect();
    let own = test(directory.path(), "own.ktest", &args, &with_own);
    let output = cleave(&["replay", "--json", program, &own, &plain]);
    let shown = text(&output.stdout);
    let lines: Vec<serde_json::Value> = shown.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(lines[0]["stdout"], "[show][-d][x]inA:fown");
    assert_eq!(lines[1]["stdout"], "[show][-d][x]inA:f");
    assert_eq!(lines[1]["verdict"], "ran");

    let unsafe_too = text(&cleave(&["replay", "--no-sandbox", program, &plain]).stdout);
    assert!(unsafe_too.contains("[show][-d][x]inA:f"), "{unsafe_too}");
}

#[test]
fn tests_that_cannot_be_run_are_counted_and_fail_the_replay_but_not_the_others() {
    let directory = tempfile::tempdir().unwrap();
    let program = native(directory.path());
    let program = program.to_str().unwrap();
    let tests = directory.path().join("tests");
    std::fs::create_dir(&tests).unwrap();
    test(&tests, "test000001.ktest", &["show"], &[]);
    test(&tests, "test000002.ktest", &["show", "--sym-args", "1", "2", "3"], &[("n_args", &[9, 0, 0, 0])]);
    test(&tests, "test000003.ktest", &[], &[]);
    let whole = std::fs::read(tests.join("test000002.ktest")).unwrap();
    std::fs::write(tests.join("test000004.ktest"), &whole[..20]).unwrap();
    std::fs::write(tests.join("test000005.ktest"), b"garbage").unwrap();
    let output = cleave(&["replay", program, directory.path().to_str().unwrap()]);
    let shown = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{shown}");
    assert!(shown.contains("5 tests replayed") && shown.contains("4 could not be run"), "{shown}");
    for part in ["other arguments", "no command line", "truncated", "does not start with KTEST"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
}

#[test]
fn a_reader_that_goes_away_early_is_no_error() {
    let directory = tempfile::tempdir().unwrap();
    let program = native(directory.path());
    let many = directory.path().join("tests");
    std::fs::create_dir(&many).unwrap();
    for i in 0..100 {
        test(&many, &format!("test{i:06}.ktest"), &["show", &"x".repeat(2000)], &[]);
    }
    let mut child = Command::new(env!("CARGO_BIN_EXE_cleave"))
        .args(["replay", "--json"])
        .args([&program, &many])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
    assert_eq!(output.status.code(), Some(0));
}

/// Processes on this machine whose arguments contain `mark`, those of Cleave itself left out.
fn processes_with(mark: &str) -> usize {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = entries.filter_map(|e| std::fs::read(e.path().join("cmdline")).ok());
    lines.filter(|line| text(line).contains(mark) && line.starts_with(b"show")).count()
}

#[test]
fn a_replay_that_is_killed_leaves_no_process_behind() {
    let directory = tempfile::tempdir().unwrap();
    let program = native(directory.path());
    let mark = format!("mark{}", std::process::id());
    // In a sandbox whatever the program started ends too, without one only the program itself.
    for (more, what, expected) in [(&[][..], "!!", 2), (&["--no-sandbox"][..], "!", 1)] {
        let sleeper = test(directory.path(), "sleep.ktest", &["show", what, &mark], &[]);
        let mut child = Command::new(env!("CARGO_BIN_EXE_cleave"))
            .arg("replay")
            .args(more)
            .args([program.to_str().unwrap(), &sleeper])
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let soon = |count: usize| {
            (0..200).any(|_| {
                std::thread::sleep(std::time::Duration::from_millis(20));
                processes_with(&mark) == count
            })
        };
        assert!(soon(expected), "it starts");
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(soon(0), "all are gone");
    }
}

/// As in a container that allows no namespaces: in a user namespace in which there are no further ones.
fn without_namespaces(arguments: &[&str]) -> Output {
    let script = "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$@\"";
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "sh", "-c", script, "sh", env!("CARGO_BIN_EXE_cleave")]);
    command.args(arguments).output().unwrap()
}

#[test]
fn a_machine_without_namespaces_replays_and_says_so_unless_full_isolation_is_asked_for() {
    let directory = tempfile::tempdir().unwrap();
    let program = native(directory.path());
    let program = program.to_str().unwrap();
    let args = ["show", "x", "--sym-stdin", "2", "--sym-files", "1", "1"];
    let own: &[(&str, &[u8])] = &[("stdin", b"in"), ("A-data", b"f"), ("x", b"1")];
    let test = test(directory.path(), "own.ktest", &args, own);
    let output = without_namespaces(&["replay", program, &test]);
    let (shown, said) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{shown}{said}");
    assert!(shown.contains("exit status 2") && shown.contains("[show][x]inA:fown\""), "{shown}");
    assert!(said.lines().count() == 1 && said.contains("no namespaces here"), "{said}");
    let output = without_namespaces(&["replay", "--isolation", "full", program, &test]);
    let said = text(&output.stderr);
    assert!(!output.status.success() && said.contains("cannot be isolated"), "{said}");
    assert!(output.stdout.is_empty());
}

/// A folder with sources, in which commands run.
struct Folder(tempfile::TempDir);

impl Folder {
    fn with(files: &[(&str, &str)]) -> Folder {
        let folder = Folder(tempfile::tempdir().unwrap());
        for (name, text) in files {
            std::fs::write(folder.0.path().join(name), text).unwrap();
        }
        folder
    }

    /// Output of a command line on both streams, and its exit code.
    fn says(&self, line: &str) -> (String, Option<i32>) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cleave"));
        command.args(line.split_whitespace()).current_dir(self.0.path()).stdin(Stdio::null());
        let output = command.output().unwrap();
        (text(&output.stdout) + &text(&output.stderr), output.status.code())
    }

    /// As [`Folder::says`], where the exit code and parts of the text are known.
    #[track_caller]
    fn tells(&self, line: &str, code: i32, parts: &[&str]) -> String {
        let (said, status) = self.says(line);
        assert_eq!(status, Some(code), "{line}: {said}");
        for part in parts {
            assert!(said.contains(part), "{line}: nothing says `{part}`: {said}");
        }
        said
    }
}

const UNDEFINED: &str = "#include <stdlib.h>\n\
    struct pair { char buf[4]; int other; };\n\
    int main(int argc, char **argv) {\n\
      struct pair *p = calloc(1, sizeof *p);\n\
      int n = argc > 1 ? argv[1][0] : 0;\n\
      int twice = n + 2147483600;\n\
      if (n == 'b') p->buf[n - 'b' + 4] = 1;\n\
      return twice == 1;\n\
    }\n";

#[test]
fn a_source_is_compiled_with_the_checks_of_a_sanitizer_unless_they_are_left_out() {
    let folder = Folder::with(&[("p.c", UNDEFINED)]);
    let said = folder.tells("run --output-dir checked p.c --sym-arg 1", 3, &["p.c:6: ", "(overflow, "]);
    assert!(
        said.contains("p.c:7: ") || said.contains(" 1 bug\n"),
        "the overflow may end the path first: {said}"
    );
    folder.tells("run --output-dir plain --unchecked p.c --sym-arg 1", 0, &["every path is explored"]);
    for run in ["checked", "plain"] {
        let (said, code) = folder.says(&format!("replay p.c {run}"));
        assert_eq!(code, Some(0), "natively as it was explored: {said}");
    }
}

#[test]
fn several_sources_and_flags_of_the_compiler_make_one_program() {
    let folder = Folder::with(&[
        (
            "main.c",
            "#include \"twice.h\"\nint main(int argc, char **argv) {\n  return twice(argv[1][0]) == 2 * 'x' ? LIKED : 0;\n}\n",
        ),
        (
            "twice.c",
            "#include \"twice.h\"\nint twice(int x) { if (x == 'q') __builtin_trap(); return 2 * x; }\n",
        ),
    ]);
    std::fs::create_dir(folder.0.path().join("include")).unwrap();
    std::fs::write(folder.0.path().join("include/twice.h"), "int twice(int x);\n").unwrap();
    let line = "run -O1 -Iinclude -DLIKED=7 --output-dir run main.c twice.c --sym-arg 1";
    folder.tells(line, 3, &["twice.c:2: ", " 1 bug\n"]);
    folder.tells("replay main.c run", 0, &["as foretold"]);
    let (said, _) = folder.says(
        "run --output-dir resumed --workers 1 --max-paths 1 -Iinclude -D LIKED=7 main.c twice.c --sym-arg 1",
    );
    assert!(said.contains("1 region is open; go on with: cleave resume"), "{said}");
    folder.tells("resume resumed", 3, &["twice.c:2: "]);
    std::fs::copy(env!("CARGO_BIN_EXE_cleave"), folder.0.path().join("prog")).unwrap();
    folder.tells("run -O1 prog", 2, &["flag of the compiler"]);
}

#[test]
fn options_are_taken_on_both_sides_of_the_program_and_misspelled_ones_are_named() {
    let folder = Folder::with(&[(
        "p.c",
        "int main(int argc, char **argv) { if (argc > 1 && argv[1][0] == 'x') return 3; return 0; }\n",
    )]);
    folder.tells("run --sym-arg 1 --output-dir before p.c", 0, &["2 paths in "]);
    folder.tells("run --output-dir behind p.c --sym-arg 1 --races", 0, &["2 paths in "]);
    folder.tells("run --sym-ag 1 p.c", 2, &["there is no option --sym-ag; did you mean --sym-arg?"]);
    folder.tells("run --output-dir typo p.c --sym-ag 1", 0, &["did you mean --sym-arg?", "1 path in "]);
    let plain = folder.tells(
        "run --output-dir plain p.c",
        0,
        &["1 path in ", "hint: nothing was symbolic", "--sym-arg LEN"],
    );
    assert!(!plain.contains("--sym-stdin LEN"), "it does not read its input: {plain}");
    let folder =
        Folder::with(&[("p.c", "#include <stdio.h>\nint main(void) { return getchar() == 'x'; }\n")]);
    let plain = folder.tells("run --output-dir plain p.c", 0, &["--sym-stdin LEN"]);
    assert!(!plain.contains("--sym-arg LEN"), "it takes no arguments: {plain}");
    let folder = Folder::with(&[("p.c", "int main(void) { return 0; }\n")]);
    let plain = folder.tells("run --output-dir plain p.c", 0, &["1 path in ", "1 of 1 test written"]);
    assert!(!plain.contains("hint"), "{plain}");
}

#[test]
fn a_fuzz_target_takes_and_gives_a_corpus() {
    let target = "#include <stddef.h>\n#include <stdint.h>\n\
        int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {\n\
          if (size == 3 && data[0] == 'k' && data[2] == 'y') __builtin_trap();\n  return 0;\n}\n";
    let folder = Folder::with(&[("fuzz.c", target), ("other.c", "int main(void) { return 0; }\n")]);
    std::fs::create_dir(folder.0.path().join("corpus")).unwrap();
    for (name, bytes) in [("a", "k"), ("b", "key"), ("c", "")] {
        std::fs::write(folder.0.path().join("corpus").join(name), bytes).unwrap();
    }
    folder.tells("run --output-dir seeded --seed corpus --only-seeds --max-len 5 fuzz.c", 3, &["fuzz.c:4: "]);
    folder.tells("run --output-dir whole --max-len 5 fuzz.c", 3, &["fuzz.c:4: ", " 1 bug\n"]);
    folder.tells("replay fuzz.c whole", 0, &["as foretold"]);
    folder.tells("tests export whole found --to corpus", 0, &["found"]);
    let lengths = std::fs::read_dir(folder.0.path().join("found")).unwrap();
    let lengths: Vec<u64> = lengths.map(|file| file.unwrap().metadata().unwrap().len()).collect();
    assert!(lengths.contains(&3) && lengths.iter().all(|n| *n <= 5), "{lengths:?}");
    folder.tells("cc -fsanitize=fuzzer,undefined fuzz.c -o fuzz", 0, &[]);
    let native = |file: &str| {
        let run =
            Command::new(folder.0.path().join("fuzz")).arg(folder.0.path().join(file)).output().unwrap();
        run.status.code()
    };
    assert_eq!((native("corpus/a"), native("corpus/b")), (Some(0), None), "a signal for the key alone");
    folder.tells("run --max-len 5 other.c", 2, &["--max-len", "fuzz target"]);
}
