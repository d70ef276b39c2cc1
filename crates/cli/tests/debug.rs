//! `cleave debug` under gdb itself: what gdb shows of a test is what it shows of the native program with the same input, and
//! what goes back comes where it was.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cleave_report::read_test;

use crate::session::{command, compile, path_text, records, refused, run, succeeded, text};

/// Types, scopes, calls and loops. Each variable has a value from its declaration on.
const SHAPES: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum color { RED, GREEN = 5, BLUE };
struct point { int x, y; unsigned flag : 3; int low : 5; };
union word { unsigned all; unsigned char bytes[4]; };
typedef struct shape { struct point corners[2]; enum color color; const char *name; union word word; } shape;

static int total = 5;
double scale = 2.5;

static int add(int a, const int b)
{
    int sum = a + b;
    total += sum;
    return sum;
}

static long depth(long n, char mark)
{
    long half = n / 2;
    if (n > 0 && mark)
        return 1 + depth(half, mark);
    return half;
}

static int kind(int c)
{
    static int calls = 3;
    calls++;
    switch (c) {
    case 'a':
        return calls;
    case 'b':
        return 2;
    default:
        break;
    }
    return c > 'm' ? 1 : 0;
}

int main(int argc, char **argv)
{
    shape s = { { { 1, 2, 5, -3 }, { 3, 4, 1, 7 } }, GREEN, "shape", { 0x01020304 } };
    shape *p = &s;
    double d = scale * 2;
    unsigned long long large = 0xfedcba9876543210ull;
    int (*function)(int, int) = add;
    _Bool yes = argc > 0;
    for (int i = 0; i < 2; i++) {
        int k = function(i, total);
        p->corners[i].x += k;
        {
            int i = k * 2;
            p->word.all += i;
        }
    }
    int n = 4;
    short lengths[n];
    for (int i = 0; i < n; i++)
        lengths[i] = i * 100;
    if (argc > 1) {
        int found = kind(argv[1][0]);
        char *copy = calloc(1, 8);
        strcpy(copy, argv[1]);
        if (found == 1)
            copy[1] = 'z', found = depth(9, copy[0]);
        printf("%s %d %d\n", copy, found, lengths[found & 3]);
        free(copy);
        while (found > 0)
            found--;
    }
    return (total + yes + (int)d + (int)(large & 1)) & 0x7f;
}
"#;

/// A command that is a gdb with a script.
struct Gdb {
    folder: PathBuf,
}

impl Gdb {
    fn script(&self, script: &str) -> PathBuf {
        let file = self.folder.join("script.gdb");
        std::fs::write(&file, format!("set pagination off\nset width 0\n{script}")).unwrap();
        file
    }

    /// Output of gdb on a test of a run for commands, a line each; each is done even if one before fails.
    fn commands(run: &Path, test: &str, lines: &str) -> String {
        let mut command = command();
        command.args(["debug", "--gdb"]).arg(run).arg(test).args(["--", "-nx", "-batch"]);
        let output = command.args(lines.lines().flat_map(|line| ["-ex", line])).output().unwrap();
        format!("{}{}", text(&output.stdout), text(&output.stderr))
    }

    /// Output of gdb on a test of a run for a script.
    #[track_caller]
    fn cleave(&self, run: &Path, test: &str, script: &str) -> String {
        let mut command = command();
        command.args(["debug", "--gdb"]).arg(run).arg(test).args(["--", "-nx", "-batch", "-x"]);
        let output = command.arg(self.script(script)).output().unwrap();
        assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
        format!("{}{}", text(&output.stdout), text(&output.stderr))
    }

    /// Output of gdb on a native program.
    fn native(&self, program: &Path, script: &str) -> String {
        let mut command = Command::new("timeout");
        command.args(["60", "gdb", "-q", "-nx", "-batch", "-x"]).arg(self.script(script)).arg(program);
        let output = command.stdin(Stdio::null()).env("SHELL", "/bin/bash").output();
        let output = output.expect("the tests need gdb: scripts/setup.sh tests installs it");
        format!("{}{}", text(&output.stdout), text(&output.stderr))
    }
}

/// Steps through the program's own lines and prints at each: function, line, the stack, and the variables that are declared
/// further up, without their addresses.
const STEPS: &str = r#"
python
import gdb, re
def place(frame):
    sal = frame.find_sal()
    return "%s:%d" % (frame.name(), sal.line) if sal.symtab else frame.name()
def values(frame):
    out, block, line = [], frame.block(), frame.find_sal().line
    while block and not block.is_global and not block.is_static:
        for symbol in block:
            # The array has values when its loop is done.
            known = symbol.line < line and (symbol.name != "lengths" or line > 63)
            if (symbol.is_variable or symbol.is_argument) and known:
                try:
                    value = str(symbol.value(frame))
                except gdb.error:
                    value = "not there yet"
                out.append("%s=%s" % (symbol.name, re.sub("0x[0-9a-f]+", "0x", value)))
        if block.function:
            break
        block = block.superblock
    return sorted(out)
def stack():
    frame, out = gdb.newest_frame(), []
    while frame:
        out.append(place(frame))
        if frame.name() == "main":
            break
        frame = frame.older()
    return " < ".join(out)
def walk(command, times):
    for step in range(times):
        frame = gdb.newest_frame()
        if not frame.find_sal().symtab:
            break
        shown = [str(gdb.parse_and_eval(e)) for e in ("total", "scale", "kind::calls")]
        print("@", stack(), shown, values(frame))
        try:
            gdb.execute(command, to_string=True)
        except gdb.error as error:
            print("!", error)
            break
end
"#;

/// The lines with this mark.
fn marked<'a>(text: &'a str, mark: &str) -> Vec<&'a str> {
    text.lines().filter(|line| line.starts_with(mark)).collect()
}

fn prepared(code: &str, arguments: &[&str]) -> (tempfile::TempDir, Gdb, PathBuf, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "program", code, &["-g"]);
    let directory = folder.path().join("run");
    run(&directory, &["--workers", "1", "--tests", "all"], &program, arguments);
    let gdb = Gdb { folder: folder.path().to_path_buf() };
    (folder, gdb, program, directory)
}

/// The argument of a test, for bash.
fn argument(run: &Path, id: u64) -> String {
    let test = read_test(&run.join(format!("tests/test{id:06}.ktest"))).unwrap();
    let bytes = test.objects[0].1.iter().take_while(|&&b| b != 0);
    let octal: String = bytes.map(|b| format!("\\{b:03o}")).collect();
    format!("$'{octal}'")
}

#[test]
fn lines_stacks_and_values_are_those_that_gdb_shows_natively() {
    let (_folder, gdb, program, directory) = prepared(SHAPES, &["--sym-arg", "1"]);
    let tests: Vec<u64> = records(&directory)
        .iter()
        .filter(|r| r["record"] == "test")
        .map(|r| r["id"].as_u64().unwrap())
        .collect();
    assert!(tests.len() >= 4, "{tests:?}");
    for id in tests {
        let script = format!("{STEPS}\nbreak main\ncontinue\npython walk('step', 300)\n");
        let ours = gdb.cleave(&directory, &id.to_string(), &script);
        let start = format!("run {}", argument(&directory, id));
        let theirs = gdb.native(&program, &script.replace("continue", &start));
        let (ours, theirs) = (marked(&ours, "@"), marked(&theirs, "@"));
        assert!(theirs.len() > 40, "{theirs:#?}");
        for (our, their) in ours.iter().zip(&theirs) {
            assert_eq!(our, their, "test {id}");
        }
        assert_eq!(ours.len(), theirs.len(), "test {id}");
    }
}

#[test]
fn going_back_shows_what_was_there() {
    let (_folder, gdb, _, directory) = prepared(SHAPES, &["--sym-arg", "1"]);
    let script = format!(
        "{STEPS}\nbreak depth\nbreak main\ncontinue\n\
         python walk('stepi', 150)\npython print('TURN')\npython walk('reverse-stepi', 150)\n"
    );
    let out = gdb.cleave(&directory, "1", &script);
    let (there, back) = out.split_once("TURN").unwrap();
    let (there, mut back) = (marked(there, "@"), marked(back, "@"));
    assert_eq!(there.len(), 150);
    // The way back begins where the way there ended, one step behind what it printed last.
    back.remove(0);
    back.reverse();
    assert_eq!(there[1..], back);

    // Breakpoints are met in the other order, also from the end of the path.
    let tests = records(&directory);
    let deep = tests.iter().filter(|r| r["record"] == "test").find_map(|r| {
        let id = r["id"].as_u64().unwrap();
        let file = std::fs::read(directory.join(format!("tests/test{id:06}.ktest"))).unwrap();
        file.ends_with(b"\0").then_some(id)
    });
    let id = deep.unwrap_or(1).to_string();
    let all = "python\nimport gdb\nseen = []\ndef go(command):\n    out = []\n    while True:\n        \
               gdb.execute(command, to_string=True)\n        if gdb.newest_frame().name() != 'add': break\n        \
               out.append(str(gdb.parse_and_eval('$pc')) + str(gdb.parse_and_eval('a')))\n    return out\n\
               there, back = go('continue'), go('reverse-continue')\nprint('@', len(there), there == back[::-1])\nend\n";
    let out = gdb.cleave(&directory, &id, &format!("break add\n{all}"));
    assert_eq!(marked(&out, "@"), ["@ 2 True"], "{out}");
}

/// A digit, or not; and a branch that no input takes twice.
const BRANCHES: &str = r#"
#include <stdio.h>
int main(int argc, char **argv)
{
    int c = argv[1][0];
    int both = c * 3 + argv[2][0] * 5;
    if (c > '0') {
        if (both * both == 50)
            puts("never");
        puts("above");
        return 3;
    }
    puts("below");
    return 4;
}
"#;

#[test]
fn the_other_side_is_taken_where_an_input_goes_there() {
    let (folder, _, program, directory) = prepared(BRANCHES, &["--sym-arg", "1", "--sym-arg", "1"]);
    let saved = folder.path().join("other.ktest");
    let tests = records(&directory);
    let above = tests.iter().find(|r| r["exit_status"] == 3).unwrap()["id"].to_string();
    let script = format!(
        "break main\ncontinue\nnext\nnext\nmonitor condition\nmonitor other\nmonitor other\nnext\nmonitor other\n\
         monitor condition all\nreverse-next\nmonitor other\nmonitor input\nmonitor save {}\ndelete\ncontinue\ncontinue\n",
        saved.display()
    );
    let out = Gdb::commands(&directory, &above, &script);
    for part in [
        "0 decisions lie behind this place.",
        "From here on the path goes another way",
        "No input comes here and goes the other way",
        "The program exits with status 4.",
        "below",
        "exited with code 04",
    ] {
        assert!(out.contains(part), "{part}: {out}");
    }
    assert!(!out.contains("never") && !out.contains("above"), "{out}");
    let replayed = command().arg("replay").arg(&program).arg(&saved).output().unwrap();
    let shown = text(&replayed.stdout);
    assert!(replayed.status.success() && shown.contains("4"), "{shown}{}", text(&replayed.stderr));
}

#[test]
fn a_bug_stops_as_a_signal_and_can_be_left_backwards() {
    let code = "#include <stdlib.h>\nint main(int argc, char **argv)\n{\n    char *p = malloc(4);\n    int i = 4;\n    \
                p[0] = 1;\n    if (argv[1][0] == 'x')\n        p[i] = 1;\n    free(p);\n    return 0;\n}\n";
    let (_folder, _, _, directory) = prepared(code, &["--sym-arg", "1"]);
    let tests = records(&directory);
    let bug =
        tests.iter().find(|r| r["record"] == "test" && r["kind"] == "failed").unwrap()["id"].to_string();
    let script = "break main\ncontinue\nwatch i\ncontinue\ndelete\ncontinue\nbt\nprint i\nreverse-next\nprint *p\n\
                  break 5\nreverse-continue\nprint argv[1]\nmonitor nonsense\nset var i = 3\ncontinue\ncontinue\n";
    let out = Gdb::commands(&directory, &bug, script);
    for part in [
        "Bug (out-of-bounds): an access at offset 4 of a heap object of 4 bytes",
        "Program received signal SIGSEGV",
        "New value = 4",
        "$1 = 4",
        "$2 = 1 '\\001'",
        "\"x\"",
        "There is no such command as `nonsense`",
        "Program terminated with signal SIGSEGV",
    ] {
        assert!(out.contains(part), "{part}: {out}");
    }
}

#[test]
fn what_cannot_be_debugged_is_said_in_a_sentence() {
    let (folder, _, program, directory) = prepared(BRANCHES, &["--sym-arg", "1", "--sym-arg", "1"]);
    let debug = |arguments: &[&str]| command().arg("debug").args(arguments).output().unwrap();
    let run = path_text(&directory);
    refused(&debug(&[run, "77"]), &["has no test 77", "cleave list"]);
    refused(&debug(&[run, "no.ktest"]), &["no.ktest"]);
    refused(&debug(&[path_text(folder.path()), "1"]), &["is no run directory"]);
    std::fs::remove_file(program).unwrap();
    refused(&debug(&["--gdb", run, "1"]), &["cannot read the program"]);
}

/// Optimised code, many functions: the stack leads from the library's own functions to `main`.
#[test]
fn a_coreutil_is_debugged() {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../build/coreutils/bin/cut");
    assert!(program.exists(), "scripts/build-coreutils.sh builds {}", program.display());
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path().join("run");
    let options = ["--workers", "1", "--max-time", "5"];
    run(&directory, &options, &program, &["--sym-args", "0", "1", "2"]);
    let script = "break error\ncontinue\nbt\nup\nlist\nfinish\ndelete\nprint Version\ncontinue\nbt\n";
    let out = Gdb::commands(&directory, "1", script);
    for part in ["in main (", "FATAL_ERROR", "\"9.1\"", "_Exit ()", "The program exits with status 1."] {
        assert!(out.contains(part), "{part}: {out}");
    }
    succeeded(&command().arg("list").arg(&directory).output().unwrap());
}
