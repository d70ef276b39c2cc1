//! Exported tests are judged by the tools that they are for.

use std::path::Path;
use std::process::{Command, Output};

use crate::session::{cleave, compile, path_text, run, succeeded, text};

/// Takes arguments and standard input, writes bytes of all kinds, and aborts once.
const WHOLE: &str = r#"
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
  int c = getchar();
  if (argc > 1 && argv[1][0] == 'x') { printf("an \"x\"?\n%c\377\n1", 0); return 3; }
  if (c == 'a') abort();
  if (c == '\n') { printf("%s\n", argv[0]); return 1; }
  return 0;
}
"#;

/// Makes its own object symbolic.
const DRIVER: &str = r#"
#include <klee/klee.h>
#include <stdio.h>
int main(void) {
  unsigned char b[3];
  klee_make_symbolic(b, sizeof b, "b");
  if (b[0] == 'f' && b[1] == 'u') { puts("fu"); return 7; }
  if (b[2] > 9) puts("more");
  return 0;
}
"#;

fn tool(name: &str, arguments: &[&str], folder: &Path) -> Output {
    let run =
        Command::new("timeout").args(["120", name]).args(arguments).current_dir(folder).output().unwrap();
    assert!(run.status.code() != Some(127), "{name} is missing: scripts/setup.sh tests installs it");
    run
}

#[track_caller]
fn works(output: &Output) -> String {
    let said = format!("{}{}", text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{said}");
    said
}

/// Runs both programs; the run directories.
fn explored(folder: &Path) -> [std::path::PathBuf; 2] {
    let whole = compile(folder, "whole", WHOLE, &[]);
    let driver = compile(folder, "driver", DRIVER, &[]);
    let runs = [folder.join("whole-run"), folder.join("driver-run")];
    succeeded(&run(
        &runs[0],
        &["--workers", "1"],
        &whole,
        &["--sym-args", "0", "1", "1", "--sym-stdin", "1"],
    ));
    succeeded(&run(&runs[1], &["--workers", "1"], &driver, &[]));
    runs
}

#[track_caller]
fn export(run: &Path, to: &Path, options: &[&str]) -> String {
    succeeded(&cleave([&["tests", "export"], options, &[path_text(run), path_text(to)]].concat()))
}

/// Breaks what is expected of a suite, so that a judge who sees nothing is found out.
fn spoil(file: &Path, from: &str, to: &str) {
    let before = std::fs::read_to_string(file).unwrap();
    assert!(before.contains(from), "{from} is not in {}", file.display());
    std::fs::write(file, before.replace(from, to)).unwrap();
}

#[test]
fn the_folder_of_plain_files_passes_and_fails_where_it_should() {
    let folder = tempfile::tempdir().unwrap();
    for (i, run) in explored(folder.path()).iter().enumerate() {
        let suite = folder.path().join(format!("suite {i}"));
        let said = export(run, &suite, &["--to", "plain"]);
        let tests = said.split(' ').next().unwrap().to_string();
        let judged = works(&tool("./run-all.sh", &[], &suite));
        assert_eq!(judged, format!("{tests} passed, 0 failed, 0 ran without an expectation\n"));
        std::fs::write(suite.join("test000001/expected-status"), "77\n").unwrap();
        let judged = tool("./run-all.sh", &[], &suite);
        assert!(!judged.status.success() && text(&judged.stdout).contains("1 failed"), "{judged:?}");
    }
}

fn build(suite: &Path, options: &[&str]) {
    let configure = [&["-S", ".", "-B", "build", "-DCMAKE_C_FLAGS=-Wall -Wextra -Werror"], options].concat();
    works(&tool("cmake", &configure, suite));
    works(&tool("cmake", &["--build", "build"], suite));
}

/// Each suite in C passes its own tool, and fails when one expectation is changed.
fn judge_suites(format: &str, file: &str, equal: (&str, &str), options: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    for (i, run) in explored(folder.path()).iter().enumerate() {
        let suite = folder.path().join(i.to_string());
        export(run, &suite, &["--to", format]);
        build(&suite, options);
        let said = works(&tool("ctest", &["--test-dir", "build", "--output-on-failure"], &suite));
        assert!(said.contains("100% tests passed"), "{said}");
        let (expected, other) = equal;
        spoil(&suite.join(file), expected, other);
        build(&suite, options);
        let failed = tool("ctest", &["--test-dir", "build"], &suite);
        assert!(!failed.status.success(), "{}", text(&failed.stdout));
    }
}

#[test]
fn ctest_passes_what_is_exported_for_it() {
    judge_suites("ctest", "tests.c", ("seen.status == 0", "seen.status == 55"), &[]);
}

#[test]
fn cmocka_passes_what_is_exported_for_it() {
    judge_suites("cmocka", "tests.c", ("(seen.status, 0)", "(seen.status, 55)"), &[]);
}

#[test]
fn googletest_passes_what_is_exported_for_it() {
    judge_suites("googletest", "tests.cpp", ("(seen.status, 0)", "(seen.status, 55)"), &[]);
}

/// Debian has Unity in the source package of cJSON alone, whose tests are written for it.
#[test]
fn unity_passes_what_is_exported_for_it() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../build/src/cjson/tests/unity/src");
    assert!(source.join("unity.c").exists(), "Unity is missing: scripts/setup.sh tests fetches it");
    let unity = format!("-DUNITY={}", source.canonicalize().unwrap().display());
    judge_suites("unity", "tests.c", ("(0, seen.status)", "(55, seen.status)"), &[&unity]);
}

#[test]
fn selections_choose_by_number_end_bug_and_output() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, driver] = explored(folder.path());
    let mut made = 0;
    let mut chosen = |run: &Path, select: &[&str]| -> usize {
        made += 1;
        let to = folder.path().join(format!("selected{made}"));
        let mut options = vec!["--to", "ktest"];
        select.iter().for_each(|word| options.extend(["--select", word]));
        let said = export(run, &to, &options);
        let n = said.split(' ').next().unwrap().parse().unwrap();
        assert_eq!(std::fs::read_dir(to).map_or(0, Iterator::count), n, "{said}");
        n
    };
    let all = chosen(&driver, &[]);
    assert_eq!((all, chosen(&driver, &["all"])), (5, 5));
    assert_eq!(chosen(&driver, &["exit:7"]), 1);
    assert_eq!(chosen(&driver, &["outputs"]), 3, "fu, more, and nothing");
    assert_eq!(chosen(&driver, &["2-4"]), 3);
    assert_eq!(chosen(&driver, &["1,5"]), 2);
    assert_eq!(chosen(&driver, &["exit:0", "outputs"]), 2, "each narrows what the one before leaves");
    assert_eq!(chosen(&driver, &["exit:7,outputs"]), 3);
    assert_eq!(chosen(&driver, &["errors"]), 0);
    assert_eq!(chosen(&whole, &["errors"]), 1);
    assert_eq!(chosen(&whole, &["bug:abort"]), chosen(&whole, &["bug:abort", "all"]));
}

#[test]
fn wrong_words_and_places_are_refused_in_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let [_, driver] = explored(folder.path());
    let refused = |options: &[&str], to: &Path| {
        let out = cleave([&["tests", "export"], options, &[path_text(&driver), path_text(to)]].concat());
        assert!(!out.status.success());
        text(&out.stderr)
    };
    let fresh = folder.path().join("fresh");
    assert!(refused(&["--to", "nothing"], &fresh).contains("there is no format `nothing`"));
    assert!(refused(&["--to", "ktest", "--select", "some"], &fresh).contains("there is no selection `some`"));
    assert!(refused(&["--to", "ktest"], folder.path()).contains("is there already"));
}

#[test]
fn libfuzzer_takes_the_corpus() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, driver] = explored(folder.path());
    let corpus = folder.path().join("corpus");
    export(&driver, &corpus, &["--to", "corpus"]);
    let files = std::fs::read_dir(&corpus).unwrap().count();
    assert!(files >= 4, "{files}");
    std::fs::write(
        folder.path().join("target.c"),
        "#include <stddef.h>\n#include <stdint.h>\n\
         int LLVMFuzzerTestOneInput(const uint8_t *b, size_t n) {\n\
           if (n != 3 && n != 0) __builtin_trap();\n  return n && b[0] == 'f' && b[1] == 'u' ? -1 : 0;\n}\n",
    )
    .unwrap();
    works(&tool("clang-19", &["-fsanitize=fuzzer", "-o", "target", "target.c"], folder.path()));
    let said = works(&tool("./target", &["-runs=0", "corpus"], folder.path()));
    assert!(said.contains(&format!("seed corpus: files: {files}")), "{said}");
    export(&whole, &folder.path().join("stdin"), &["--to", "corpus"]);
}

#[test]
fn a_suite_of_test_comp_is_an_archive_of_its_tests() {
    let folder = tempfile::tempdir().unwrap();
    let [_, driver] = explored(folder.path());
    let archive = folder.path().join("suite.zip");
    export(&driver, &archive, &["--to", "testcomp"]);
    let listing = works(&tool("python3", &["-m", "zipfile", "-l", "suite.zip"], folder.path()));
    assert!(listing.contains("metadata.xml") && listing.contains("test000005.xml"), "{listing}");
    works(&tool("python3", &["-m", "zipfile", "-t", "suite.zip"], folder.path()));
    // The same in a folder, by either name.
    let [one, other] = ["one", "other"].map(|name| folder.path().join(name));
    export(&driver, &one, &["--to", "testcomp"]);
    succeeded(&cleave(["tests", "xml", path_text(&driver), "--output", path_text(&other)]));
    let files = |folder: &Path| {
        let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().file_name()).collect();
        files.sort();
        files
    };
    assert_eq!(files(&one).len(), 6);
    assert_eq!(files(&one), files(&other));
    let test = |folder: &Path| std::fs::read_to_string(folder.join("test000004.xml")).unwrap();
    assert_eq!(test(&one), test(&other));
}

/// A program as Test-Comp has them: eight sides of branches, one of which no input takes.
const VERIFIER: &str = r#"
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
int classify(int x) {
  if (x < 0) return 1;
  if (x == 4711) return 2;
  return 3;
}
int main(void) {
  int n = classify(__VERIFIER_nondet_int());
  unsigned char c = __VERIFIER_nondet_uchar();
  if (c == 'a' && n == 2) return 5;
  if (c * c == 3) return 6;
  return n;
}
"#;

/// Measurement of a suite by testcov: its tests, and the sides of branches that they take, in percent.
fn measured(testcov: &Path, suite: &Path, program: &Path) -> (u64, f64) {
    let folder = suite.with_extension("measured");
    let search = format!("{}:{}", testcov.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("timeout");
    command.args(["120", "testcov", "--no-isolation", "--no-plots", "-64", "--test-suite"]).arg(suite);
    command.arg("--output").arg(&folder).arg(program).env("PATH", search);
    let said = works(&command.current_dir(suite.parent().unwrap()).output().unwrap());
    let number = |what: &str| {
        let line = said.lines().find_map(|line| line.strip_prefix(what));
        line.unwrap_or_else(|| panic!("{said}")).trim().trim_end_matches('%').parse::<f64>().unwrap()
    };
    assert!(said.contains("Result: DONE"), "{said}");
    (number("Tests in suite:") as u64, number("Coverage:"))
}

#[test]
#[ignore = "needs testcov, 153 MB with what it needs: `make testcov` installs it and runs this"]
fn testcov_measures_of_the_minimal_suite_what_it_measures_of_all_tests() {
    let testcov = std::env::var_os("CLEAVE_TESTCOV")
        .expect("CLEAVE_TESTCOV names testcov's folder: run `make testcov`");
    let testcov = std::path::PathBuf::from(testcov);
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "verifier", VERIFIER, &["-g"]);
    let (source, run_directory) = (program.with_extension("c"), folder.path().join("run"));
    succeeded(&run(&run_directory, &[], &program, &[]));
    let measured = |name: &str, select: &[&str]| {
        let suite = folder.path().join(format!("{name}.zip"));
        export(&run_directory, &suite, &[&["--to", "testcomp"], select].concat());
        measured(&testcov, &suite, &source)
    };
    let (tests, all) = measured("all", &[]);
    let (few, minimal) = measured("minimal", &["--select", "minimal"]);
    assert!(few < tests && (all - minimal).abs() < 0.01, "{few} {minimal} {tests} {all}");
    // Seven of eight sides, or nine of ten as testcov counts them.
    assert!((85.0..99.9).contains(&all), "{all}");
    let (_, less) = measured("less", &["--select", "exit:1"]);
    assert!(less < all - 10.0, "{less} {all}");
}
