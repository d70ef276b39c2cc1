//! The last lines of a run, and its exit code: never that all is explored when it is not, never 0 with bugs.

use std::path::Path;
use std::process::Output;

use serde_json::Value;

use crate::session::*;

const MODES: [&[&str]; 2] = [&["--mode", "symbolic"], &["--mode", "concolic"]];
const LEVELS: [&str; 2] = ["-O0", "-O2"];

/// Two paths, one of which does `what` (with C's `x` at hand).
fn two_paths(what: &str) -> String {
    format!(
        "#include <klee/klee.h>\n#include <stdlib.h>\n#include <unistd.h>\n\
         void nowhere(int);\n\
         int main(void) {{\n  unsigned char x;\n  klee_make_symbolic(&x, 1, \"x\");\n\
         if (x > 7) {{\n{what}\n }}\n  return 0;\n}}\n"
    )
}

fn last_line(output: &Output) -> String {
    text(&output.stdout).lines().last().unwrap_or_default().to_owned()
}

#[track_caller]
fn came_to(output: &Output, directory: &Path, code: i32, verdict: &str) -> Value {
    let said = text(&output.stdout) + &text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{said}");
    assert_eq!(last_line(output).contains("every path is explored"), code == 0, "{said}");
    let account = account(directory);
    assert_eq!(account["verdict"], verdict, "{account}");
    account
}

#[test]
fn the_exit_code_says_what_a_run_came_to() {
    let folder = tempfile::tempdir().unwrap();
    let cases = [
        ("clean", "x = 0;", 0),
        ("bugs", "abort();", 3),
        ("unsupported", "(void)syscall(56, 0x111, 0, 0, 0, 0);", 5),
        ("bugs", "if (x == 9) (void)syscall(56, 0x111, 0, 0, 0, 0); *(volatile int *)0 = 1;", 3),
    ];
    for (i, (verdict, what, code)) in cases.into_iter().enumerate() {
        for level in LEVELS {
            let program = compile(folder.path(), &format!("p{i}{level}"), &two_paths(what), &[level]);
            for mode in MODES {
                let directory = folder.path().join(format!("{i}{level}{}", mode[1]));
                let output = run(&directory, &[mode, &["--workers", "1"]].concat(), &program, &[]);
                let account = came_to(&output, &directory, code, verdict);
                assert_eq!(
                    account["not_explored"].as_array().unwrap().is_empty(),
                    account["paths"]["unsupported"] == 0
                );
                // The verdict on finished work stays, and shows in neither list nor stats.
                let again = cleave(["resume", path_text(&directory)]);
                came_to(&again, &directory, code, verdict);
                records(&directory);
            }
        }
    }
}

#[test]
fn what_a_limit_leaves_open_is_incomplete_until_it_is_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let program = bits(folder.path(), 5, 0);
    for (i, (limit, kind, way_out)) in [
        (&["--max-paths", "3"][..], "open", "cleave resume"),
        (&["--max-depth", "2"], "cut", "--max-depth"),
        (&["--max-path-instructions", "60"], "cut", "--max-path-instructions"),
        (&["--mode", "concolic", "--depth-bound", "2"], "cut", "--depth-bound unlimited"),
    ]
    .into_iter()
    .enumerate()
    {
        let directory = folder.path().join(i.to_string());
        let output = run(&directory, &[limit, &["--workers", "1"]].concat(), &program, &[]);
        let account = came_to(&output, &directory, 4, "incomplete");
        let gap = &account["not_explored"][0];
        assert_eq!((&gap["kind"], &gap["count"]), (&kind.into(), &account["open_regions"]), "{account}");
        let said = text(&output.stdout);
        assert!(said.contains("not explored:") && said.contains(way_out), "{said}");
        let resumed = cleave(["resume", "--depth-bound", "unlimited", path_text(&directory)]);
        if limit[0] == "--mode" {
            came_to(&resumed, &directory, 0, "clean");
        } else {
            came_to(&cleave(["resume", path_text(&directory)]), &directory, 0, "clean");
        }
        assert_eq!(digests(&directory).len(), 32);
    }
}

#[test]
fn what_is_not_explored_is_named_as_people_know_it_with_the_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let cases = [
        ("(void)syscall(56, 0x111, 0, 0, 0, 0);", "shares memory with its parent", "`fork`", "thread"),
        ("nowhere(3);", "the function `nowhere`, which is defined nowhere", "cleave cc", "thread"),
        (
            "void (*volatile f)(int) = nowhere; f(3);",
            "`nowhere`, which is defined nowhere",
            "cleave cc",
            "thread",
        ),
    ];
    for (i, (what, named, way_out, never)) in cases.into_iter().enumerate() {
        let source = folder.path().join(format!("{i}.c"));
        std::fs::write(&source, two_paths(what)).unwrap();
        let directory = folder.path().join(format!("run{i}"));
        let output = run(&directory, &["--workers", "1"], &source, &[]);
        let account = came_to(&output, &directory, 5, "unsupported");
        let said = text(&output.stdout);
        let line = said.lines().skip_while(|l| *l != "not explored:").nth(1).unwrap_or_default().to_owned();
        assert!(line.trim_start().starts_with("1 path ends at "), "{said}");
        assert!(line.contains(named) && line.contains(way_out) && !line.contains(never), "{what}: {line}");
        assert_eq!(account["not_explored"][0]["count"], 1, "{account}");
    }
}

#[test]
fn paths_that_the_program_drops_are_counted_beside_the_others() {
    let folder = tempfile::tempdir().unwrap();
    let code = two_paths(
        "unsigned char y; klee_make_symbolic(&y, 1, \"y\");\n\
                if (x > 9) klee_assume(x + y < 5); else klee_silent_exit(0);",
    );
    let program = compile(folder.path(), "drops", &code, &[]);
    let directory = folder.path().join("run");
    let output = run(&directory, &["--workers", "1"], &program, &[]);
    let said = text(&output.stdout);
    assert!(said.contains("assumed away") && said.contains("ended by klee_silent_exit"), "{said}");
    assert_eq!(output.status.code(), Some(0), "{said}");
}
