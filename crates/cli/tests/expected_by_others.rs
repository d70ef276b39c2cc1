//! Features that users of other engines expect: another function to begin with, the names of error files that the program
//! gives, tables of distances.

use std::path::{Path, PathBuf};

use crate::support::{cleave, succeeded};

fn written(folder: &Path, name: &str, text: &str) -> PathBuf {
    let file = folder.join(name);
    std::fs::write(&file, text).unwrap();
    file
}

/// Explores a program into a new run directory; what `cleave list` says of it.
fn explored(program: &Path, options: &[&str]) -> (PathBuf, String) {
    let run = program.with_extension(format!("run{}", options.len()));
    let mut command = cleave();
    command.args(["run", "--workers", "1", "--output-dir"]).arg(&run).args(options).arg(program);
    let output = command.output().unwrap();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{}", String::from_utf8_lossy(&output.stderr));
    let listed = succeeded(cleave().arg("list").arg(&run));
    (run, String::from_utf8(listed.stdout).unwrap())
}

/// All tests of a run do natively what was foretold.
fn agrees(program: &Path, run: &Path) {
    let replayed = succeeded(cleave().args(["replay", "--json"]).arg(program).arg(run));
    let lines = String::from_utf8(replayed.stdout).unwrap();
    assert!(
        lines.lines().count() > 0 && lines.lines().all(|l| l.contains("\"verdict\":\"agrees\"")),
        "{lines}"
    );
}

const FUNCTION: &str = "
    struct pair { int a; short b; };
    struct big { long a[5]; };
    static int inner(const int *p, int n, _Bool b, struct pair q, struct big g, double d)
    {
        if (!p) return 1;
        if (n > 3 && p[1] == 7) return 2;
        if (b && q.b == 5) return 3;
        if (g.a[4] == 9) return 4;
        return 0;
    }
    int check(const int *p, int n, _Bool b, struct pair q, struct big g, double d)
    {
        return inner(p, n, b, q, g, d);
    }
    int main(void) { return 99; }
    ";

#[test]
fn a_run_begins_with_any_function_and_its_tests_do_natively() {
    let scratch = tempfile::tempdir().unwrap();
    let file = written(scratch.path(), "entry.c", FUNCTION);
    let (run, listed) = explored(&file, &["--entry-point", "check"]);
    assert_eq!(listed.matches(" completed ").count(), 12, "{listed}");
    assert!((0..=4).all(|status| listed.contains(&format!(" {status}  "))), "{listed}");
    agrees(&file, &run);
    // A function of its own file is one as well.
    let (_, inner) = explored(&file, &["--entry-point", "inner", "--pointer-size", "64"]);
    assert_eq!(inner.matches(" completed ").count(), 12, "{inner}");
    // Its pointer has fewer bytes than it reads.
    let (run, short) = explored(&file, &["--entry-point", "check", "--pointer-size", "4", "--all-errors"]);
    assert!(short.contains("out-of-bounds"), "{short}");
    // An executable begins with main: it says so, and runs nothing.
    let executable = scratch.path().join("entry");
    succeeded(cleave().args(["cc", "-o"]).arg(&executable).arg(&file));
    let refused = cleave().arg("replay").arg(&executable).arg(&run).output().unwrap();
    let said = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && said.contains("begin with `check`"), "{said}");
}

#[test]
fn a_function_that_is_not_there_or_variadic_is_refused_by_name() {
    let scratch = tempfile::tempdir().unwrap();
    let file = written(
        scratch.path(),
        "entry.c",
        "int many(int n, ...) { return n; } int main(void) { return many(0); }",
    );
    for (function, why) in [("nowhere", "defined nowhere"), ("many", "variable arguments")] {
        let mut command = cleave();
        command
            .args(["run", "--entry-point", function, "--output-dir"])
            .arg(scratch.path().join("run"))
            .arg(&file);
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(function) && said.contains(why), "{said}");
    }
}

#[test]
fn an_error_file_has_the_suffix_that_the_program_gives() {
    let scratch = tempfile::tempdir().unwrap();
    let text = "
        #include <klee/klee.h>
        int main(void)
        {
            char x;
            klee_make_symbolic(&x, 1, \"x\");
            if (x == 1) klee_report_error(__FILE__, __LINE__, \"one\", \"my.err\");
            if (x == 2) klee_report_error(__FILE__, __LINE__, \"two (or so)\", \"\");
            if (x == 3) klee_report_error(__FILE__, __LINE__, \"three\", \"../no file\");
            return 0;
        }
        ";
    let file = written(scratch.path(), "reports.c", text);
    let (run, listed) = explored(&file, &[]);
    let mut suffixes: Vec<String> = std::fs::read_dir(run.join("tests"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter_map(|name| Some(name.strip_suffix(".err")?.split_once('.')?.1.to_string()))
        .collect();
    suffixes.sort();
    assert_eq!(suffixes, ["my.err", "report_error", "report_error"], "{listed}");
}

#[test]
fn a_table_of_distances_is_read() {
    let text = "
        target triple = \"x86_64-unknown-linux-musl\"
        @texts = internal constant [9 x i8] c\"distance\\00\"
        @table = internal constant [2 x i32] [
          i32 trunc (i64 sub (i64 ptrtoint (ptr @texts to i64), i64 ptrtoint (ptr @table to i64)) to i32),
          i32 trunc (i64 sub (i64 ptrtoint (ptr getelementptr (i8, ptr @texts, i64 4) to i64),
                              i64 ptrtoint (ptr @table to i64)) to i32)]
        declare ptr @llvm.load.relative.i64(ptr, i64)
        declare ptr @llvm.load.relative.i32(ptr, i32)
        define i32 @main() {
          %a = call ptr @llvm.load.relative.i64(ptr @table, i64 4)
          %b = call ptr @llvm.load.relative.i32(ptr @table, i32 0)
          %c = load i8, ptr %a
          %d = load i8, ptr %b
          %e = sub i8 %c, %d
          %f = zext i8 %e to i32
          ret i32 %f
        }
        ";
    let scratch = tempfile::tempdir().unwrap();
    let file = written(scratch.path(), "table.ll", text);
    let (run, listed) = explored(&file, &[]);
    // `a` of "ance" less the `d` at the start.
    assert!(listed.contains(&format!(" {}  ", b'a'.wrapping_sub(b'd'))), "{listed}");
    agrees(&file, &run);
}

#[test]
fn a_warning_ends_with_its_object() {
    let scratch = tempfile::tempdir().unwrap();
    let text = "void klee_warning(const char *); int main(void) { char t[] = {'a', 'b', 'c', 'd'}; klee_warning(t); }";
    let file = written(scratch.path(), "warns.c", text);
    let output = succeeded(cleave().args(["run", "--output-dir"]).arg(scratch.path().join("run")).arg(&file));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("cleave: abcd\n"), "{said}");
}
