//! Cleave as users install it: in a folder of its own it finds its C library, and its manual pages are whole. The status
//! screen on a terminal.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::session::*;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn install(prefix: &Path) -> Output {
    let mut command = Command::new(root().join("scripts/install.sh"));
    command.env("CLEAVE", env!("CARGO_BIN_EXE_cleave")).env("DESTDIR", "").env("PREFIX", prefix);
    command.output().unwrap()
}

#[test]
fn an_installed_cleave_builds_and_explores_programs_with_its_own_library() {
    let folder = tempfile::tempdir().unwrap();
    let prefix = folder.path().join("usr");
    let out = install(&prefix);
    assert!(out.status.success(), "{}", text(&out.stderr));
    let cleave = prefix.join("bin/cleave");
    let source = folder.path().join("prog.c");
    std::fs::write(&source, "#include <klee/klee.h>\n#include <stdio.h>\nint main(void) { if (klee_int(\"x\") > 3) puts(\"more\"); return 0; }\n")
        .unwrap();
    let program = folder.path().join("prog");
    // Nothing of the tree that it was built in.
    let within = |arguments: &[&std::ffi::OsStr]| {
        let mut command = Command::new(&cleave);
        command.args(arguments).env_remove("CLEAVE_SYSROOT").current_dir(folder.path()).output().unwrap()
    };
    let verbose = within(&["cc".as_ref(), "-v".as_ref(), "-o".as_ref(), program.as_ref(), source.as_ref()]);
    assert!(verbose.status.success(), "{}", text(&verbose.stderr));
    let place = prefix.join("share/cleave/sysroot").canonicalize().unwrap();
    assert!(text(&verbose.stderr).contains(path_text(&place)), "{}", text(&verbose.stderr));
    let ran = within(&["run".as_ref(), "--workers=1".as_ref(), program.as_ref()]);
    assert!(text(&ran.stdout).starts_with("2 paths in "), "{}{}", text(&ran.stdout), text(&ran.stderr));
    for completion in [
        "bash-completion/completions/cleave",
        "zsh/site-functions/_cleave",
        "fish/vendor_completions.d/cleave.fish",
    ] {
        let script = std::fs::read_to_string(prefix.join("share").join(completion)).unwrap();
        assert!(script.contains("max-path-instructions"), "{completion}");
    }
}

#[test]
fn manual_pages_are_well_formed_and_name_every_option() {
    let folder = tempfile::tempdir().unwrap();
    succeeded(&cleave(["man".as_ref(), folder.path().as_os_str()]));
    let mut pages = 0;
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let page = entry.unwrap().path();
        let lint = Command::new("mandoc").args(["-T", "lint", "-W", "error"]).arg(&page).output();
        let lint = lint.expect("mandoc is needed: scripts/setup.sh tests installs it");
        assert!(lint.status.success(), "{}: {}", page.display(), text(&lint.stdout));
        pages += 1;
    }
    assert!(pages > 15, "{pages} pages");
    let shown = Command::new("mandoc").arg(folder.path().join("cleave-run.1")).output().unwrap();
    // Bold letters are struck twice.
    let plain: String = text(&shown.stdout)
        .split('\u{8}')
        .map(|part| {
            let mut part = part.to_string();
            part.pop();
            part
        })
        .collect();
    for option in ["--max-time", "--search", "--tui", "--solver-timeout"] {
        assert!(plain.contains(option), "{option}");
    }
}

#[test]
fn what_cannot_be_installed_says_so_in_one_sentence() {
    let out = install(Path::new("/proc/nowhere"));
    let said = text(&out.stderr);
    assert!(out.status.code() == Some(1) && said.lines().count() == 1, "{said}");
    assert!(said.contains("another PREFIX"), "{said}");
}

/// A run on a terminal of this size; what it wrote there.
fn on_terminal(folder: &Path, columns: u32, rows: u32, options: &str) -> String {
    let program = bits(folder, 12, 2000);
    let (log, directory) = (folder.join("typescript"), folder.join("run"));
    let cleave = env!("CARGO_BIN_EXE_cleave");
    let line = format!(
        "stty cols {columns} rows {rows}; {cleave} run --workers 1 --output-dir {} {options} {}",
        directory.display(),
        program.display()
    );
    let mut command = Command::new("timeout");
    command.args(["--kill-after=5", "60", "script", "--quiet", "--return", "--command", &line]);
    let out = command.arg(&log).env("TERM", "xterm").stdin(std::process::Stdio::null()).output().unwrap();
    drop(out);
    text(&std::fs::read(&log).unwrap())
}

#[test]
fn the_status_screen_shows_the_run_and_gives_the_terminal_back() {
    let folder = tempfile::tempdir().unwrap();
    let written = on_terminal(folder.path(), 100, 30, "--tui --tests none");
    let (enter, leave) = ("\u{1b}[?1049h", "\u{1b}[?1049l");
    let begin = written.find(enter).unwrap_or_else(|| panic!("no screen: {written}"));
    let end = written.rfind(leave).expect("the terminal was not given back");
    let counts = written.find(" paths in ").expect("the last lines");
    assert!(begin < end && end < counts, "the last lines stand behind the screen");
    let screen = &written[begin..end];
    for part in ["run time", "branch", "newest", "search:"] {
        assert!(screen.contains(part), "`{part}` is not in {screen:?}");
    }
    assert!(written.contains("4096 paths in "), "{written}");
}

#[test]
fn a_screen_that_does_not_fit_or_has_no_terminal_is_refused_before_anything_runs() {
    let folder = tempfile::tempdir().unwrap();
    let written = on_terminal(folder.path(), 40, 10, "--tui");
    assert!(!folder.path().join("run").exists());
    assert!(written.contains("this one has 40 and 10"), "{written}");
    let out = run(&folder.path().join("other"), &["--tui"], &bits(folder.path(), 2, 0), &[]);
    let said = text(&out.stderr);
    assert!(out.status.code() == Some(2) && said.contains("--tui needs a terminal"), "{said}");
}
