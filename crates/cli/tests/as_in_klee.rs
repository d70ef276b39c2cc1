//! Features that users of KLEE find again: its library for natively built programs, its environment, its order of depth-first
//! search, the names that clang's sanitizer gives to its checks.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::{cleave, limited, succeeded};

fn written(folder: &Path, name: &str, text: &str) -> PathBuf {
    let file = folder.join(name);
    std::fs::write(&file, text).unwrap();
    file
}

/// Explores a program into `folder`.
fn explored(program: &Path, folder: &Path, options: &[&str]) -> PathBuf {
    let run = folder.join("run").with_extension(options.join(""));
    let mut command = cleave();
    command.args(["run", "--workers", "1", "--output-dir"]).arg(&run).args(options);
    succeeded(command.arg(program));
    run
}

fn text_of(output: &Output) -> String {
    [&output.stdout[..], &output.stderr].concat().iter().map(|&b| char::from(b)).collect()
}

const RANGES: &str = "#include <klee/klee.h>\n#include <stdio.h>\n\
    #ifndef BOUND\n#define BOUND 9\n#endif\n\
    int main(void) {\n  int x = klee_range(0, BOUND, \"x\");\n  unsigned char y = 77;\n\
    \x20 klee_make_symbolic(&y, sizeof y, NAME);\n  klee_assume(y == LIMIT);\n\
    \x20 if (klee_choose(3) == 2) klee_silent_exit(5);\n\
    \x20 if (x == 7) puts(\"seven\");\n  else if (klee_is_replay()) printf(\"other %d\\n\", y);\n  return 0;\n}\n";

/// Compiled by the host's compiler with the library.
fn host_built(source: &Path, name: &str, flags: &[&str]) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (program, library) = (source.with_file_name(name), root.join("build/sysroot/lib"));
    let mut gcc = Command::new("gcc");
    gcc.args(flags).arg("-I").arg(root.join("runtime/include")).arg(source).arg("-o").arg(&program);
    gcc.arg("-L").arg(&library).arg(format!("-Wl,-rpath,{}", library.display())).arg("-lkleeRuntest");
    let built = gcc.output().unwrap();
    assert!(built.status.success(), "{}", text_of(&built));
    program
}

#[test]
fn a_program_of_the_hosts_compiler_runs_on_tests() {
    let folder = tempfile::tempdir().unwrap();
    let source = written(folder.path(), "ranges.c", RANGES);
    let object = folder.path().join("ranges.bc");
    let (name, limit) = ("-DNAME=\"y\"", "-DLIMIT=4");
    succeeded(cleave().args(["cc", "-emit-llvm", "-c", name, limit, "-o"]).args([&object, &source]));
    let run = explored(&object, folder.path(), &["--tests", "all"]);
    let mut tests: Vec<PathBuf> =
        std::fs::read_dir(run.join("tests")).unwrap().map(|e| e.unwrap().path()).collect();
    tests.retain(|t| t.extension().is_some_and(|e| e == "ktest"));
    tests.sort();
    let ran = |program: &Path, test: &Path, go_on: bool| {
        let mut command = limited(program);
        command.env("KTEST_FILE", test);
        if go_on {
            command.env("KLEE_RUN_TEST_ERRORS_NON_FATAL", "1");
        }
        let output = command.output().unwrap();
        (output.status.code(), text_of(&output))
    };
    let same = host_built(&source, "same", &[name, limit]);
    let mut said: Vec<_> = tests.iter().map(|test| ran(&same, test, false)).collect();
    said.sort();
    let expected = [(Some(0), "other 4\n".to_string()), (Some(0), "seven\n".to_string())];
    assert_eq!(said, expected, "two paths, and the third is silent");
    let seven = tests.iter().find(|test| ran(&same, test, false).1 == "seven\n").unwrap();
    // A mismatch ends the program, or is printed and the program goes on.
    for (flags, why) in [
        ([name, "-DLIMIT=5"], "invalid klee_assume"),
        (["-DNAME=\"z\"", limit], "object name mismatch. Requesting \"z\" but returning \"y\""),
        ([name, "-DLIMIT=4 -DBOUND=3"], "invalid klee_range(0,3,x) value, got: 7"),
    ] {
        let flags: Vec<&str> = flags.iter().flat_map(|f| f.split(' ')).collect();
        let other = host_built(&source, "other", &flags);
        let (status, said) = ran(&other, seven, false);
        assert!(status == Some(1) && said.contains(why) && !said.contains("seven"), "{why}: {said}");
        let (status, said) = ran(&other, seven, true);
        assert!(status == Some(0) && said.contains(why) && said.contains("seven"), "{why}: {said}");
    }
    let (status, said) = ran(&same, &source, false);
    assert!(status == Some(1) && said.contains("cannot be read"), "{said}");
}

#[test]
fn the_environment_has_a_home_and_a_working_directory_natively_too() {
    let folder = tempfile::tempdir().unwrap();
    let text = "#include <assert.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n\
        int main(int argc, char **argv, char **envp) {\n  char here[64];\n  int n = 0;\n\
        assert(!strcmp(getenv(\"HOME\"), \"/\") && !strcmp(getenv(\"PWD\"), getcwd(here, sizeof here)));\n\
        while (envp[n]) puts(envp[n++]);\n  return argc + n;\n}\n";
    let source = written(folder.path(), "home.c", text);
    let run = explored(&source, folder.path(), &[]);
    let listed = text_of(&succeeded(cleave().args(["list", "--json"]).arg(&run)));
    assert!(listed.contains("\"exit_status\":3"), "{listed}");
    let replayed = text_of(&succeeded(cleave().args(["replay", "--json"]).arg(&source).arg(&run)));
    assert!(replayed.contains("\"verdict\":\"agrees\""), "{replayed}");
}

#[test]
fn depth_first_search_goes_from_either_end() {
    let folder = tempfile::tempdir().unwrap();
    let text = "#include <klee/klee.h>\nint main(void) {\n  int x = klee_int(\"x\"), n = 0;\n\
        for (int i = 0; i < 3; i++) {\n    n = 2 * n;\n    if (x >> i & 1) n++;\n  }\n  return n;\n}\n";
    let source = written(folder.path(), "order.c", text);
    let statuses = |search: &str| -> Vec<u64> {
        let run = explored(&source, folder.path(), &["--search", search]);
        let listed = text_of(&succeeded(cleave().args(["list", "--json"]).arg(&run)));
        let records = listed.lines().map(|l| serde_json::from_str::<serde_json::Value>(l).unwrap());
        let mut tests: Vec<_> = records.filter(|r| r["record"] == "test").collect();
        tests.sort_by_key(|t| t["id"].as_u64());
        tests.iter().map(|t| t["exit_status"].as_u64().unwrap()).collect()
    };
    assert_eq!(statuses("dfs"), [7, 6, 5, 4, 3, 2, 1, 0]);
    assert_eq!(statuses("dfs-false"), [0, 1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn a_failed_check_is_told_by_the_name_that_clang_has_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let text = "#include <klee/klee.h>\nint main(void) {\n  int k = klee_int(\"k\"), x = klee_int(\"x\");\n\
        volatile int s;\n  unsigned u = x;\n  char *null = 0;\n  switch (k) {\n\
        case 0: s = x + 1; break;\n  case 1: u = u * 3; break;\n  case 2: s = 1 << (x & 63); break;\n\
        case 3: { unsigned char c = u; s = c; break; }\n  case 4: { signed char c = x; s = c; break; }\n\
        case 5: s = null + (x | 1) > null; break;\n  case 6: { int n = x & 3; char a[n]; s = sizeof a; break; }\n  }\n\
        return 0;\n}\n";
    let source = written(folder.path(), "checks.c", text);
    let program = folder.path().join("checks");
    let flags = ["-fsanitize=undefined,unsigned-integer-overflow,implicit-integer-truncation", "-o"];
    succeeded(cleave().arg("cc").args(flags).args([&program, &source]));
    let run = explored(&program, folder.path(), &["--all-errors"]);
    let listed = text_of(&succeeded(cleave().args(["list", "--json"]).arg(&run)));
    for name in [
        "signed-integer-overflow",
        "unsigned-integer-overflow",
        "invalid-shift",
        "implicit-unsigned-integer-truncation",
        "implicit-signed-integer-truncation",
        "nullptr-with-nonzero-offset",
        "non-positive-vla-index",
    ] {
        assert!(listed.contains(&format!("\"message\":\"{name}: ")), "{name}: {listed}");
    }
}

const WRITES: &str = "#include <klee/klee.h>\n#define DEVICE ((volatile unsigned *)0x40000000)\n\
    static const int table[4] = {1, 2, 3, 4};\nstatic int copy[4];\n\
    int main(void) {\n  int x;\n  klee_define_fixed_object((void *)DEVICE, 64);\n\
    \x20 klee_make_symbolic(&x, sizeof x, \"x\");\n  DEVICE[15] = 1;\n  switch (x) {\n\
    \x20 case 0: klee_make_symbolic((void *)table, sizeof table, \"table\"); break;\n\
    \x20 case 1: klee_make_symbolic(copy, sizeof copy, \"copy\"); break;\n\
    \x20 case 2: DEVICE[16] = 1; break;\n  case 3: klee_define_fixed_object((char *)DEVICE + 32, 4); break;\n  }\n\
    \x20 return 0;\n}\n";

#[test]
fn constants_are_not_made_symbolic_and_fixed_objects_have_an_end() {
    let folder = tempfile::tempdir().unwrap();
    let source = written(folder.path(), "writes.c", WRITES);
    for (level, mode) in [("-O0", "symbolic"), ("-O2", "symbolic"), ("-O0", "concolic"), ("-O2", "concolic")]
    {
        let program = folder.path().join(format!("writes{level}"));
        succeeded(cleave().args(["cc", level, "-o"]).args([&program, &source]));
        let run = explored(&program, folder.path(), &["--mode", mode, "--check=all"]);
        let listed = text_of(&succeeded(cleave().args(["list", "--json"]).arg(&run)));
        let told =
            |text: &str| listed.lines().filter(|l| l.contains("\"bug\"") && l.contains(text)).count() > 0;
        assert!(told("cannot make readonly object symbolic: a write to the constant `table`"), "{listed}");
        assert!(told("an access at offset 64 of a mapped object of 64 bytes"), "{listed}");
        assert!(listed.contains("an object of 4 bytes at 0x40000020, where there are others"), "{listed}");
        assert_eq!(listed.matches("\"kind\":\"completed\"").count(), 2, "{listed}");
        std::fs::remove_dir_all(&run).unwrap();
    }
}

#[test]
fn more_running_functions_than_allowed_are_a_bug_at_the_depth_that_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let text = "#include <klee/klee.h>\nstatic int deep(int n) { return n ? 1 + deep(n - 1) : 0; }\n\
        int main(void) {\n  unsigned char n;\n  klee_make_symbolic(&n, 1, \"n\");\n\
        switch (n) { case 9: return deep(9); case 40: return deep(40); case 60: return deep(60); }\n  return 0;\n}\n";
    let source = written(folder.path(), "deep.c", text);
    for mode in ["symbolic", "concolic"] {
        for (most, expected) in [("200", 0), ("50", 1), ("20", 2)] {
            let run = explored(&source, folder.path(), &["--mode", mode, "--max-stack-frames", most]);
            let listed = text_of(&succeeded(cleave().args(["list", "--json"]).arg(&run)));
            let found = listed.matches("\"bug\":\"stack-frames\"").count();
            assert_eq!(found, expected, "{mode}: {listed}");
            assert_eq!(listed.matches("\"kind\":\"completed\"").count(), 4 - expected, "{mode}: {listed}");
        }
    }
}

#[test]
fn an_assumption_that_cannot_hold_is_a_bug_if_that_is_looked_for() {
    let folder = tempfile::tempdir().unwrap();
    // One is seen without a question, one needs the solver, one holds.
    let text = "#include <klee/klee.h>\nint main(void) {\n  unsigned x;\n  klee_make_symbolic(&x, sizeof x, \"x\");\n\
        if (x == 4) klee_assume(x == 5);\n  if (x > 10 && x < 20)\n    klee_assume(x * x == 3);\n\
        if (x > 30) klee_assume(x < 40);\n  return 0;\n}\n";
    let source = written(folder.path(), "assumes.c", text);
    for mode in [
        &["--mode", "symbolic"][..],
        &["--mode", "concolic"],
        &["--mode", "symbolic", "--feasibility", "lazy"],
        &["--mode", "symbolic", "--feasibility", "speculative"],
    ] {
        let counts = |run: &Path| {
            let summary = std::fs::read_to_string(run.join("summary.json")).unwrap();
            let paths = serde_json::from_str::<serde_json::Value>(&summary).unwrap()["paths"].clone();
            ["completed", "failed", "assumed_away"].map(|kind| paths[kind].as_u64().unwrap())
        };
        let run = explored(&source, folder.path(), mode);
        let [completed, failed, away] = counts(&run);
        assert_eq!((failed, away), (0, 2), "{mode:?}");
        let run = explored(&source, folder.path(), &[mode, &["--check=assumption"]].concat());
        assert_eq!(counts(&run), [completed, 2, 0], "{mode:?}");
        let listed = text_of(&succeeded(cleave().args(["list", "--json"]).arg(&run)));
        for line in ["assumes.c:5", "assumes.c:7"] {
            let told = |l: &&str| {
                l.contains(line) && l.contains("klee_assume is provably false") && l.contains("user")
            };
            assert_eq!(listed.lines().filter(|l| l.contains("\"bug\"")).filter(told).count(), 1, "{listed}");
        }
    }
}

const ALIASED: &str = "#include <klee/klee.h>\n#include <stdio.h>\n#include <string.h>\n\
    __attribute__((noinline)) int twice(int n) { return 2 * n; }\n\
    __attribute__((noinline)) int thrice(int n) { return 3 * n; }\n\
    __attribute__((noinline)) int more(int n) { return 100 + twice(n); }\n\
    __attribute__((noinline)) long other(int n) { return n; }\n\
    size_t shorter(const char *s) { return strlen(s) - 1; }\n\
    int (*table[])(int) = {twice, thrice, more};\n    size_t (*volatile use)(const char *) = shorter;\n\
    int main(void) {\n  unsigned char n;\n  klee_make_symbolic(&n, 1, \"n\");\n  if (n > 1) return use(\"x\");\n\
    \x20 printf(\"%d %d %ld %d %zu\\n\", twice(5), thrice(5), other(5), table[n](6), strlen(n ? \"four\" : \"a\"));\n\
    \x20 return 1;\n}\n";

#[test]
fn functions_are_replaced_where_the_program_names_them_natively_too() {
    let folder = tempfile::tempdir().unwrap();
    let source = written(folder.path(), "aliased.c", ALIASED);
    let program = folder.path().join("aliased");
    succeeded(cleave().args(["cc", "-O1", "-o"]).args([&program, &source]));
    let aliases = ["--function-alias", "t(wi|hri)ce:more", "--function-alias=strlen:shorter"];
    let replayed = |run: &Path, of: &Path| {
        text_of(&cleave().args(["replay", "--json"]).arg(of).arg(run).output().unwrap())
    };
    for (mode, of) in [("symbolic", &source), ("concolic", &source), ("symbolic", &program)] {
        let run = folder.path().join(format!("{mode}{}", of.extension().is_some()));
        let mut command = cleave();
        command.args(["run", "--workers", "1", "--mode", mode, "--output-dir"]);
        let output = command.arg(&run).args(aliases).arg(of).output().unwrap();
        let said = text_of(&output);
        for name in ["twice", "thrice"] {
            assert!(said.contains(&format!("`{name}` (`t(wi|hri)ce`) is replaced by `more`")), "{said}");
        }
        assert!(said.contains("`strlen` is replaced by `shorter`"), "{said}");
        // The source says what comes out; the executable has no aliases to be replayed with.
        let replayed = replayed(&run, of);
        if of == &program {
            assert!(replayed.contains("give the source, or the .bc or .ll file"), "{replayed}");
            continue;
        }
        assert_eq!(replayed.matches("\"verdict\":\"agrees\"").count(), 3, "{replayed}");
        // The replacement calls what it replaces.
        for line in ["110 110 5 112 0", "110 110 5 112 3"] {
            assert!(replayed.contains(line), "{line}: {replayed}");
        }
    }
    for (alias, why) in [
        ("twice:other", "they return different types"),
        ("twice(n):calloc(n, 4)", "they return different types"),
        ("twice(n, m):more(n)", "another number of parameters"),
        ("twice(n):more(n, 1)", "another number of arguments"),
        ("strlen(s):more(s)", "an argument has not the type"),
        ("twice:nothing", "is no function here"),
        ("twice:twice", "by itself"),
        (":twice", "empty name"),
        ("twice", "no colon"),
        ("nothing.*:twice", "replaces no function"),
        ("tw(ice:twice", "regular expression"),
    ] {
        let output = cleave().args(["run", "--function-alias", alias]).arg(&source).output().unwrap();
        let said = text_of(&output);
        assert!(output.status.code() == Some(1) && said.contains(why), "{alias}: {said}");
    }
}

const POOL: &str = "#include <stdio.h>\n#include <stdlib.h>\nstatic char pool[4096];\nstatic unsigned used;\n\
    __attribute__((noinline)) void *pool_alloc(char *from, unsigned n) { void *p = from + used; used += n; return p; }\n\
    __attribute__((noinline)) void pool_free(char *from, void *p) { (void)from, (void)p; }\n\
    int main(void) {\n  char *p = pool_alloc(pool, 4);\n  int c, n = 0;\n  while ((c = getchar()) != EOF && n < 6) p[n++] = c;\n\
    \x20 pool_free(pool, p);\n  if (n == 2) pool_free(pool, p);\n  return n == 1 ? p[0] == 'x' : 0;\n}\n";

#[test]
fn a_pool_is_replaced_by_the_heap() {
    let folder = tempfile::tempdir().unwrap();
    let source = written(folder.path(), "pool.c", POOL);
    let (plain, replaced) = (folder.path().join("plain"), folder.path().join("replaced"));
    let run = |of: &Path, run: &Path, aliases: &[&str]| {
        let mut command = cleave();
        command.args(["run", "--output-dir"]).arg(run).args(aliases).arg(of).args(["--sym-stdin", "0..6"]);
        text_of(&command.output().unwrap())
    };
    assert!(run(&source, &plain, &[]).contains("0 bugs"));
    let told = text_of(&succeeded(cleave().arg("doctor").arg(&plain)));
    assert!(told.contains("'pool_alloc(_, n):malloc(n)' and 'pool_free(_, p):free(p)'"), "{told}");
    let aliases = [
        "--function-alias",
        "pool_alloc(pool, n):malloc(n)",
        "--function-alias",
        "pool_free(pool, p):free(p)",
    ];
    let told = run(&source, &replaced, &aliases);
    for bug in ["out-of-bounds", "double-free", "use-after-free"] {
        assert_eq!(told.matches(&format!("({bug}, test")).count(), 1, "{told}");
    }
    let told = text_of(&succeeded(cleave().arg("doctor").arg(&replaced)));
    assert!(!told.contains("pool_alloc"), "{told}");
}

const FAILING: &str = "#include <errno.h>\n#include <fcntl.h>\n#include <stdio.h>\n#include <sys/stat.h>\n#include <unistd.h>\n\
    int main(void) {\n  char b[4];\n  int n = 0, fd = open(\"A\", O_RDONLY);\n  struct stat st;\n\
    \x20 if (fd < 0) return 40 + errno;\n  if (read(fd, b, 2) != 2) n += errno == EIO ? 1 : 64;\n\
    \x20 if (read(fd, b, 2) != 2) n += 2;\n  if (close(fd)) n += 4;\n\
    \x20 if (stat(\"A\", &st) || (access(\"A\", W_OK) == 0) != !!(st.st_mode & 0200)) n += 64;\n\
    \x20 if (!(st.st_mode & 0200)) n += 8;\n  printf(\"%o %d\\n\", st.st_mode, n);\n  return n;\n}\n";

/// The exit statuses of the completed paths, rising; each is as foretold natively.
fn statuses(run: &Path, program: &Path) -> Vec<u64> {
    let listed = text_of(&succeeded(cleave().args(["list", "--json"]).arg(run)));
    let records = listed.lines().map(|l| serde_json::from_str::<serde_json::Value>(l).unwrap());
    let mut all: Vec<u64> = records.filter_map(|r| r["exit_status"].as_u64()).collect();
    all.sort_unstable();
    let replayed = text_of(&succeeded(cleave().args(["replay", "--json"]).arg(program).arg(run)));
    assert_eq!(replayed.matches("\"verdict\":\"agrees\"").count(), all.len(), "{replayed}");
    all
}

#[test]
fn system_calls_fail_at_will_and_files_refuse_and_natively_the_same_ones_do() {
    let folder = tempfile::tempdir().unwrap();
    let source = written(folder.path(), "failing.c", FAILING);
    let program = folder.path().join("failing");
    succeeded(cleave().args(["cc", "-o"]).args([&program, &source]));
    for mode in ["symbolic", "concolic"] {
        for (options, expected) in [
            ("--max-fail 0", &[0][..]),
            ("--fd-fail", &[0, 1, 2, 4]),
            ("--max-fail 2", &[0, 1, 2, 3, 4, 5, 6]),
            ("--sym-read-only", &[0, 8]),
            // Refused with EACCES (13), or read-only.
            ("--sym-permissions", &[0, 8, 53]),
            ("--sym-permissions --max-fail 1", &[0, 1, 2, 4, 8, 9, 10, 12, 53]),
        ] {
            let run = folder.path().join(format!("{mode}{options}"));
            let mut command = cleave();
            command
                .args(["run", "--workers", "1", "--mode", mode, "--max-paths", "1", "--output-dir"])
                .arg(&run);
            command.arg(&program).args(["--sym-files", "1", "4"]).args(options.split(' '));
            succeeded(&mut command);
            // A run that goes on, on two workers, lets the same calls fail.
            succeeded(cleave().args(["resume", "--workers", "2"]).arg(&run));
            assert_eq!(statuses(&run, &program), expected, "{mode} {options}");
        }
    }
}

/// The lines of a listing with bugs.
fn bugs(run: &Path) -> Vec<String> {
    let listed = text_of(&succeeded(cleave().args(["list", "--json"]).arg(run)));
    listed.lines().filter(|l| l.contains("\"counts_as\":\"failed\"")).map(String::from).collect()
}

#[test]
fn what_klee_refuses_of_an_intrinsic_and_what_linux_refuses_of_a_pointer_is_a_choice() {
    let folder = tempfile::tempdir().unwrap();
    let text = "#include <errno.h>\n#include <klee/klee.h>\n#include <unistd.h>\n\
        int main(void) {\n  char n, part[4], *name;\n  klee_make_symbolic(&n, 1, \"n\");\n\
        klee_make_symbolic(&name, sizeof name, \"name\");\n\
        switch (n) {\n  case 0: klee_make_symbolic(part, 3, \"part\"); break;\n\
        case 1: klee_make_symbolic(part + 1, 3, \"part\"); break;\n\
        case 2: klee_make_symbolic(part, 4, name); break;\n\
        case 3: klee_make_symbolic(part, 4, (char *)9); break;\n\
        case 4: ((void (*)(void *, size_t))klee_make_symbolic)(part, 4); break;\n\
        case 5: klee_make_symbolic(part, 4, \"whole\"); break;\n\
        case 6: return read(0, (void *)16, 1) == -1 && errno == EFAULT ? 77 : 78;\n  }\n  return 0;\n}\n";
    let source = written(folder.path(), "refused.c", text);
    for mode in ["symbolic", "concolic"] {
        let arguments = |run: &Path, checks: &str| {
            let mut command = cleave();
            command.args(["run", "--workers", "1", "--mode", mode, checks, "--output-dir"]).arg(run);
            succeeded(command.arg(&source).args(["--sym-stdin", "1"]));
        };
        let run = folder.path().join(format!("{mode}-lenient"));
        arguments(&run, "--check=-efault");
        // A name that is no string is one natively neither.
        assert_eq!(bugs(&run).iter().filter(|bug| bug.contains("is given a name")).count(), 2, "{mode}");
        assert_eq!(bugs(&run).len(), 2, "{mode}: {:?}", bugs(&run));
        let listed = text_of(&succeeded(cleave().args(["list", "--json"]).arg(&run)));
        assert!(listed.contains("\"exit_status\":77") && !listed.contains("\"exit_status\":78"), "{listed}");
        let replayed = text_of(&succeeded(cleave().args(["replay", "--json"]).arg(&source).arg(&run)));
        assert!(!replayed.contains("\"differs\""), "{replayed}");
        let run = folder.path().join(format!("{mode}-strict"));
        arguments(&run, "--check=klee");
        let found = bugs(&run);
        for (line, why) in [
            (9, "3 bytes of a local object of 4 bytes"),
            (10, "KLEE takes whole objects"),
            (11, "a name that depends on the input"),
            (12, "a name that is no string"),
            (13, "is given 2 arguments"),
            (15, "a system call was given a bad pointer"),
        ] {
            let place = format!("refused.c:{line}\"");
            let told = found.iter().filter(|bug| bug.contains(&place) && bug.contains(why)).count();
            assert_eq!(told, 1, "{mode} {line} {why}: {found:?}");
        }
        assert_eq!(found.len(), 6, "{mode}: {found:?}");
    }
}

#[test]
fn error_files_say_what_functions_were_called_with() {
    let folder = tempfile::tempdir().unwrap();
    let text = "#include <assert.h>\n#include <klee/klee.h>\n\
        __attribute__((noinline)) void last(int i, long k, unsigned char c, double d) {\n  ++i; ++k;\n\
        assert(i == 3 || d > 9 || c == 1);\n}\n\
        int main(void) {\n  int i;\n  klee_make_symbolic(&i, sizeof i, \"i\");\n\
        last(i, 12, 255, 0.0);\n  return 0;\n}\n";
    let source = written(folder.path(), "called.c", text);
    let run = explored(&source, folder.path(), &[]);
    let files = std::fs::read_dir(run.join("tests")).unwrap().map(|e| e.unwrap().path());
    let error = files.into_iter().find(|f| f.to_str().unwrap().ends_with(".assert.err")).unwrap();
    let error = std::fs::read_to_string(error).unwrap();
    assert!(error.contains("#0 in last(symbolic, 12, 255, 0) at "), "{error}");
    assert!(error.contains(" in main() at "), "{error}");
}

const COVERED: &str = "#include <klee/klee.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
    static int half(int n) {\n  if (n & 1)\n    abort();\n  return n / 2;\n}\n\
    int main(void) {\n  unsigned char n;\n  klee_make_symbolic(&n, 1, \"n\");\n  if (n > 2)\n    return 9;\n\
    \x20 printf(\"%d\\n\", half(n));\n  return half(n) + 5;\n}\n";

#[test]
fn tests_can_be_followed_without_a_native_run_and_written_for_others() {
    let folder = tempfile::tempdir().unwrap();
    let source = written(folder.path(), "covered.c", COVERED);
    let run = explored(&source, folder.path(), &[]);
    let followed = text_of(&succeeded(cleave().args(["tests", "follow", "--json", "--write"]).arg(&run)));
    let mut seen: Vec<(String, Vec<u64>)> = Vec::new();
    for line in followed.lines() {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        let number =
            |line: &serde_json::Value| line.as_str().unwrap().rsplit(':').next().unwrap().parse().unwrap();
        let lines: Vec<u64> = record["lines"].as_array().unwrap().iter().map(number).collect();
        let file =
            |suffix: &str| run.join(format!("tests/test{:06}.{suffix}", record["id"].as_u64().unwrap()));
        assert_eq!(std::fs::read_to_string(file("cov")).unwrap().lines().count(), lines.len());
        let stdout = std::fs::read_to_string(file("out")).unwrap();
        assert_eq!(stdout.escape_default().to_string(), record["stdout"].as_str().unwrap());
        seen.push((stdout, lines));
    }
    seen.sort();
    // The two paths through line 14 that return print; the one that aborts executes neither line 7 nor what is behind.
    assert_eq!(seen.iter().map(|(out, _)| out.as_str()).collect::<Vec<_>>(), ["", "", "0\n", "1\n"]);
    let has = |lines: &[u64], all: &[u64]| all.iter().map(|l| lines.contains(l)).collect::<Vec<bool>>();
    let aborts = seen.iter().filter(|(_, lines)| lines.contains(&6)).collect::<Vec<_>>();
    assert_eq!(aborts.len(), 1, "{seen:?}");
    assert_eq!(
        has(&aborts[0].1, &[5, 12, 14, 7, 13, 15]),
        [true, true, true, false, false, false],
        "{seen:?}"
    );
    for (_, lines) in &seen[2..] {
        assert_eq!(
            has(lines, &[5, 7, 12, 14, 15, 6, 13]),
            [true, true, true, true, true, false, false],
            "{seen:?}"
        );
    }
    // Test-Comp's suite.
    let suite = folder.path().join("suite");
    succeeded(cleave().args(["tests", "xml", "--output"]).arg(&suite).arg(&run));
    let metadata = std::fs::read_to_string(suite.join("metadata.xml")).unwrap();
    assert!(metadata.contains("<entryfunction>main</entryfunction>"), "{metadata}");
    let case = std::fs::read_to_string(suite.join("test000001.xml")).unwrap();
    assert!(case.contains("<input variable=\"n\">"), "{case}");
}

#[test]
fn what_a_run_left_open_has_tests_that_lead_there() {
    let folder = tempfile::tempdir().unwrap();
    let source = written(folder.path(), "covered.c", COVERED);
    let run = explored(&source, folder.path(), &["--max-paths", "1", "--search", "bfs"]);
    let open = folder.path().join("open");
    succeeded(cleave().args(["tests", "open", "--output"]).arg(&open).arg(&run));
    let mut tests: Vec<PathBuf> = std::fs::read_dir(&open).unwrap().map(|e| e.unwrap().path()).collect();
    tests.sort();
    assert!(!tests.is_empty());
    // Each takes a path that the first session did not find.
    let found = run.join("tests/test000001.ktest");
    for test in tests {
        let mut command = cleave();
        command.args(["tests", "compare"]).arg(&source).args([&test, &found]);
        let order = text_of(&succeeded(&mut command));
        assert!(!order.contains('='), "{order}");
    }
}

#[test]
fn klees_command_lines_work() {
    let folder = tempfile::tempdir().unwrap();
    let text = "#include <klee/klee.h>\n#include <assert.h>\n\
        int main(int argc, char **argv) {\n  if (argc > 1 && argv[1][0] == 'b') assert(0);\n  return argc > 1 && argv[1][0] == 'c';\n}\n";
    let source = written(folder.path(), "p.c", text);
    let object = folder.path().join("p.bc");
    succeeded(cleave().args(["cc", "-g", "-emit-llvm", "-c", "-o"]).args([&object, &source]));
    let mut klee = cleave();
    klee.args([
        "klee",
        "-posix-runtime",
        "--libc=uclibc",
        "--search=dfs",
        "--max-time",
        "1min",
        "--write-kqueries",
    ]);
    let output = klee.arg(&object).args(["--sym-arg", "1"]).output().unwrap();
    let told = text_of(&output);
    // KLEE ends with 0 where there are bugs too.
    assert!(output.status.success(), "{told}");
    for line in [
        "cleave run --search dfs-false --max-time 60000ms",
        "--write-kqueries has no effect",
        "KLEE: done: completed paths = 1",
        "KLEE: done: partially completed paths = 1",
        "KLEE: done: generated tests = 2",
    ] {
        assert!(told.contains(line), "{line}: {told}");
    }
    let run = folder.path().join("klee-last");
    for name in ["test000001.ktest", "test000002.ktest", "info"] {
        assert!(run.join(name).exists(), "{name}");
    }
    let errors = std::fs::read_dir(&run)
        .unwrap()
        .filter(|e| e.as_ref().unwrap().file_name().to_string_lossy().ends_with(".assert.err"));
    assert_eq!(errors.count(), 1);
    assert_eq!(std::fs::read_link(&run).unwrap().to_string_lossy(), "klee-out-0");
}

#[test]
fn every_path_has_a_test_as_in_klee_unless_only_those_that_cover_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let text = "#include <klee/klee.h>\nint main(void) {\n  unsigned char b[3];\n  int n = 0;\n\
        klee_make_symbolic(b, 3, \"b\");\n  for (int i = 0; i < 3; i++) if (b[i] == 'x') n++;\n  return n;\n}\n";
    let source = written(folder.path(), "p.c", text);
    let generated = |options: &[&str]| -> u64 {
        let told = text_of(&cleave().arg("klee").args(options).arg(&source).output().unwrap());
        let line = told.lines().find_map(|line| line.strip_prefix("KLEE: done: generated tests = "));
        line.unwrap_or_else(|| panic!("{told}")).parse().unwrap()
    };
    assert_eq!(generated(&[]), 8);
    assert!((1..=2).contains(&generated(&["--only-output-states-covering-new"])));
}

#[test]
fn merging_and_warnings_that_are_to_come_once_are_told_once() {
    const PROGRAM: &str = "#include <klee/klee.h>\nint main(void) {\n  unsigned char k;\n\
        \x20 klee_make_symbolic(&k, 1, 0);\n  klee_open_merge();\n  if (k > 9) klee_warning_once(\"large\");\n\
        \x20 klee_close_merge();\n  if (k % 4 == 1) klee_warning(\"odd\");\n  klee_warning_once(\"all\");\n  return k < 30;\n}\n";
    let folder = tempfile::tempdir().unwrap();
    let source = written(folder.path(), "merges.c", PROGRAM);
    for workers in ["1", "3"] {
        let run = folder.path().join(workers);
        let mut command = cleave();
        command.args(["run", "--workers", workers, "--output-dir"]).arg(&run).arg(&source);
        let told = text_of(&succeeded(&mut command));
        let times = |text: &str| told.matches(text).count();
        assert_eq!([times("large"), times("all\n"), times("merge nothing")], [1, 1, 2], "{told}");
        assert!(times("odd") > 1, "{told}");
        assert!(told.contains("called in `main` (") && told.contains("merges.c:5)"), "{told}");
    }
    // An object without a name has one natively too.
    let program = folder.path().join("merges");
    succeeded(cleave().arg("cc").arg("-o").args([&program, &source]));
    let replayed = text_of(&succeeded(cleave().arg("replay").args([&program, &folder.path().join("1")])));
    assert!(replayed.contains("as foretold") && !replayed.contains("differ"), "{replayed}");
}

/// A bug on the first path of depth-first exploration as KLEE has it, and one on the last of the 8,192 paths behind it.
const BUGS: &str = "#include <klee/klee.h>\nint main(void) {\n  unsigned char x = 0, bits[13];\n  int *null = 0, n = 0;\n\
    \x20 klee_make_symbolic(&x, sizeof x, \"x\");\n  klee_make_symbolic(bits, sizeof bits, \"bits\");\n\
    \x20 if (x != 1) {\n    for (int i = 0; i < 13; i++)\n      if (bits[i] & 1) n++;\n\
    \x20   for (volatile int work = 0; work < 1000; work++) {}\n\
    \x20   if (n == 13) *null = 1;\n    return n;\n  }\n  *null = 2;\n  return 0;\n}\n";

#[test]
fn exit_on_error_stops_at_a_bug_and_what_is_left_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let source = written(folder.path(), "bugs.c", BUGS);
    let object = folder.path().join("bugs.bc");
    succeeded(cleave().args(["cc", "-emit-llvm", "-g", "-c", "-o"]).args([&object, &source]));
    let account = |run: &Path| -> serde_json::Value {
        serde_json::from_slice(&succeeded(cleave().args(["stats", "--json"]).arg(run)).stdout).unwrap()
    };
    let run = folder.path().join("klee-out-0");
    let klee = |options: &[&str]| {
        succeeded(cleave().current_dir(folder.path()).arg("klee").args(options).arg("bugs.bc"));
    };
    klee(&["--exit-on-error", "--search=dfs"]);
    let first = account(&run);
    assert_eq!(
        (first["stop_reason"].as_str(), first["bugs"].as_u64()),
        (Some("max_bugs"), Some(1)),
        "{first}"
    );
    assert!(first["open_regions"].as_u64() > Some(0) && first["paths"]["completed"].as_u64() < Some(8_191));
    assert!(run.join("run.stats").is_file());
    // A run that has them stops at once; without the limit it goes on to the end.
    succeeded(cleave().args(["resume", "--max-bugs", "1"]).arg(&run));
    assert_eq!(account(&run)["paths"], first["paths"]);
    succeeded(cleave().arg("resume").arg(&run));
    let last = account(&run);
    assert_eq!((last["bugs"].as_u64(), last["paths"]["completed"].as_u64()), (Some(2), Some(8_191)));
    // Without statistics there is no file.
    klee(&["--output-stats=false", "--max-tests=1"]);
    assert!(!folder.path().join("klee-out-1/run.stats").exists());
}
