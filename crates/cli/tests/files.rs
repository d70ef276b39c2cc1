//! Files as inputs: metadata (`--sym-stat`), kinds (`--sym-tree`), folders of the host (`--fs`). Natively programs find the
//! same.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::session::{
    agrees_on_all, cleave, compile, digests, path_text, records, refused, run, succeeded, text,
};

/// Explores in every way: symbolic, concolic, on two workers, and stopped and resumed. All find these many paths, and the
/// same ones. The directory of the first.
#[track_caller]
fn explored(folder: &Path, name: &str, program: &Path, arguments: &[&str], paths: usize) -> PathBuf {
    let mut known = BTreeSet::new();
    for how in [["--mode", "symbolic"], ["--mode", "concolic"], ["--workers", "2"], ["--max-paths", "2"]] {
        let directory = folder.join(format!("{name}{}{}", how[0], how[1]));
        let _ = run(&directory, &how, program, arguments);
        if how[0] == "--max-paths" {
            succeeded(&cleave(["resume", "--workers", "2", path_text(&directory)]));
        }
        let found = digests(&directory);
        assert_eq!(found.len(), paths, "{name} {how:?}");
        assert!(known.is_empty() || found == known, "{name} {how:?}");
        known = found;
    }
    folder.join(format!("{name}--modesymbolic"))
}

fn statuses(directory: &Path) -> Vec<u64> {
    let mut all: Vec<u64> = records(directory).iter().filter_map(|r| r["exit_status"].as_u64()).collect();
    all.sort_unstable();
    all
}

fn coreutil(name: &str) -> PathBuf {
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../build/coreutils/bin").join(name);
    assert!(program.exists(), "{} is not there; `make coreutils` builds it", program.display());
    program.canonicalize().unwrap()
}

/// As test(1) asks: each question is one decision on the metadata.
const ASKS: &str = "#include <sys/stat.h>\n#include <unistd.h>\n\
    int main(void) {\n  struct stat st;\n  int n = 0;\n  if (stat(\"A\", &st)) return 99;\n\
    #ifdef RIGHTS\n  n |= !access(\"A\", R_OK);\n  n |= !access(\"A\", W_OK) << 1;\n  n |= !access(\"A\", X_OK) << 2;\n#endif\n\
    #ifdef OWNER\n  if (st.st_uid == geteuid()) n |= 8;\n  if (st.st_gid == getegid()) n |= 16;\n#endif\n\
    #ifdef SIZE\n  if (st.st_size > 0) n |= 32;\n  if (st.st_blocks > 0) n |= 64;\n#endif\n\
    #ifdef TIME\n  if (st.st_mtim.tv_sec > st.st_atim.tv_sec) n |= 128;\n#endif\n  return n;\n}\n";

#[test]
fn metadata_are_inputs_and_each_answer_is_a_path() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["--sym-files", "1", "3", "--sym-stat"];
    for (what, paths) in [("RIGHTS", 8), ("OWNER", 4), ("SIZE", 2), ("TIME", 2)] {
        let program = compile(folder.path(), what, ASKS, &[&format!("-D{what}")]);
        let directory = explored(folder.path(), what, &program, &arguments, paths);
        agrees_on_all(&program, &directory, paths as u64);
        assert_eq!(statuses(&directory).iter().collect::<BTreeSet<_>>().len(), paths, "{what}");
    }
}

#[test]
fn a_file_has_any_length_up_to_its_most_and_opening_it_decides() {
    let folder = tempfile::tempdir().unwrap();
    let code = "#include <fcntl.h>\n#include <sys/stat.h>\n#include <unistd.h>\n\
        int main(void) { char b[8]; struct stat st; int fd = open(\"A\", O_RDONLY); if (fd < 0) return 50;\n\
        int n = read(fd, b, 8); fstat(fd, &st); return n == st.st_size ? n : 60; }\n";
    let program = compile(folder.path(), "length", code, &[]);
    // Lengths 0 to 5, and a file that may not be read.
    let directory = explored(folder.path(), "length", &program, &["--sym-files", "1", "5", "--sym-stat"], 7);
    assert_eq!(statuses(&directory), [0, 1, 2, 3, 4, 5, 50]);
    agrees_on_all(&program, &directory, 7);
    // A plain suite makes all that a user can make of a file: its length, permissions and times.
    let suite = folder.path().join("suite");
    let said =
        succeeded(&cleave(["tests", "export", "--to", "plain", path_text(&directory), path_text(&suite)]));
    assert!(said.contains("7 of 7 tests"), "{said}");
    let mut command = Command::new("bash");
    let root = text(&Command::new("id").arg("-u").output().unwrap().stdout).trim() == "0";
    if root {
        // Root may read everything: the test that must not is run by somebody else.
        let opened = Command::new("chmod").args(["-R", "a+rX", path_text(folder.path())]).status().unwrap();
        assert!(opened.success());
        command = Command::new("setpriv");
        command.args(["--reuid=1000", "--regid=1000", "--clear-groups", "bash"]);
    }
    let ran = command.arg(suite.join("run-all.sh")).output().unwrap();
    assert!(text(&ran.stdout).contains("7 passed, 0 failed"), "{}{}", text(&ran.stdout), text(&ran.stderr));
    // Other forms have plain files alone: the unreadable one is left out, and so is what has another length.
    let ctest = folder.path().join("ctest");
    let said =
        succeeded(&cleave(["tests", "export", "--to", "ctest", path_text(&directory), path_text(&ctest)]));
    assert!(said.contains("6 of 7 tests") && said.contains("which --to plain makes"), "{said}");
}

#[test]
fn ls_shows_the_metadata_of_the_test() {
    let folder = tempfile::tempdir().unwrap();
    let program = coreutil("ls");
    let directory = folder.path().join("run");
    // Its blocks, and whether anybody may execute it.
    let arguments = ["-sF", "A", "--sym-files", "1", "2", "--sym-stat"];
    succeeded(&run(&directory, &[], &program, &arguments));
    let verdicts = agrees_on_all(&program, &directory, 2);
    assert!(verdicts.contains("4 A*") && verdicts.contains("4 A\\\\n"), "{verdicts}");
}

/// Kind of an entry: 1 a file, 2 a directory with a file in it, 3 a link that leads to something, 4 one that does not, 5
/// nothing.
const KINDS: &str = "#include <dirent.h>\n#include <errno.h>\n#include <fcntl.h>\n#include <string.h>\n#include <sys/stat.h>\n#include <unistd.h>\n\
    static int kind(const char *name, const char *inner) {\n  struct stat st;\n\
    \x20 if (lstat(name, &st)) return 5;\n  if (S_ISREG(st.st_mode)) return 1;\n\
    \x20 if (S_ISDIR(st.st_mode)) return access(inner, R_OK) ? 6 : 2;\n\
    \x20 return stat(name, &st) ? errno == ELOOP ? 7 : 4 : 3;\n}\n\
    int main(void) {\n#ifdef LIST\n  DIR *d = opendir(\".\");\n  int n = 0;\n\
    \x20 for (struct dirent *e; (e = readdir(d));) if (e->d_name[0] != '.') n += 1 + (e->d_type == DT_DIR) * 10;\n  return n;\n\
    #else\n  return kind(\"A\", \"A/f\") * 10 + kind(\"B\", \"B/f\");\n#endif\n}\n";

#[test]
fn entries_are_files_directories_links_or_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "kinds", KINDS, &[]);
    let one = explored(folder.path(), "one", &program, &["--sym-tree", "1", "2"], 5);
    // The one entry there is: a link to the next leads to itself.
    assert_eq!(statuses(&one), [15, 25, 45, 55, 75]);
    agrees_on_all(&program, &one, 5);
    let two = explored(folder.path(), "two", &program, &["--sym-tree", "2", "2"], 25);
    agrees_on_all(&program, &two, 25);
    let all: BTreeSet<u64> = statuses(&two).into_iter().collect();
    // A link to a file or directory leads there, one to nothing nowhere, and two links to each other are a loop.
    assert!([11, 31, 13, 32, 45, 54, 77].iter().all(|s| all.contains(s)), "{all:?}");
    let suite = folder.path().join("suite");
    succeeded(&cleave(["tests", "export", "--to", "plain", path_text(&two), path_text(&suite)]));
    let ran = Command::new("bash").arg(suite.join("run-all.sh")).output().unwrap();
    assert!(text(&ran.stdout).contains("25 passed, 0 failed"), "{}{}", text(&ran.stdout), text(&ran.stderr));
    // If A is nothing, the entry of B moves up while the call is under way.
    let code = "#include <errno.h>\n#include <stdio.h>\nint main(void) { return rename(\"B\", \"A\") ? errno : 0; }\n";
    let program = compile(folder.path(), "rename", code, &[]);
    let renamed = explored(folder.path(), "rename", &program, &["--sym-tree", "2", "2"], 25);
    agrees_on_all(&program, &renamed, 25);
    let program = compile(folder.path(), "list", KINDS, &["-DLIST"]);
    let listed = explored(folder.path(), "list", &program, &["--sym-tree", "2", "2"], 25);
    agrees_on_all(&program, &listed, 25);
}

/// A folder with a file, a directory, links and permissions.
fn host(folder: &Path) -> PathBuf {
    let host = folder.join("host");
    std::fs::create_dir_all(host.join("sub")).unwrap();
    std::fs::write(host.join("one"), "first\n").unwrap();
    std::fs::write(host.join("sub/two"), vec![b'x'; 5000]).unwrap();
    std::os::unix::fs::symlink("sub/two", host.join("link")).unwrap();
    std::os::unix::fs::symlink("/nowhere", host.join("gone")).unwrap();
    host
}

#[test]
fn cp_copies_from_a_folder_of_the_host_and_changes_nothing_there() {
    let folder = tempfile::tempdir().unwrap();
    let host = host(folder.path());
    let cp = coreutil("cp");
    let directory = folder.path().join("run");
    let place = format!("{}:/data", path_text(&host));
    // The name of what is copied is the input: `o` and what follows, or nothing that is there.
    let arguments = ["-r", "/data", "copy", "--fs", &place, "--sym-files", "1", "1"];
    succeeded(&run(&directory, &[], &cp, &arguments));
    agrees_on_all(&cp, &directory, 1);
    let cat = coreutil("cat");
    let directory = folder.path().join("cat");
    succeeded(&run(&directory, &[], &cat, &["/data/one", "A", "--fs", &place, "--sym-files", "1", "1"]));
    let verdicts = agrees_on_all(&cat, &directory, 1);
    assert!(verdicts.contains("first"), "{verdicts}");
    // At its own place, and written to in the model alone.
    let code = "#include <fcntl.h>\n#include <stdio.h>\n#include <string.h>\n#include <sys/stat.h>\n#include <unistd.h>\n\
        int main(int argc, char **argv) {\n  char b[8] = \"\", to[8] = \"\";\n  struct stat st;\n\
        \x20 if (chdir(argv[1])) return 1;\n  int fd = open(\"one\", O_RDWR);\n  if (read(fd, b, 5) != 5 || strcmp(b, \"first\")) return 2;\n\
        \x20 if (pwrite(fd, \"F\", 1, 0) != 1) return 3;\n  if (stat(\"link\", &st) || st.st_size != 5000) return 4;\n\
        \x20 if (readlink(\"gone\", to, 8) != 8 || memcmp(to, \"/nowhere\", 8)) return 5;\n  if (unlink(\"sub/two\")) return 6;\n\
        \x20 if (!stat(\"link\", &st)) return 7;\n  char c; read(0, &c, 1);\n  if (c == 'y') return 10;\n  return 11;\n}\n";
    let program = compile(folder.path(), "own", code, &[]);
    let arguments = [path_text(&host), "--fs", path_text(&host), "--sym-stdin", "1"];
    let directory = explored(folder.path(), "own", &program, &arguments, 2);
    assert_eq!(statuses(&directory), [10, 11]);
    agrees_on_all(&program, &directory, 2);
    assert_eq!(std::fs::read(host.join("one")).unwrap(), b"first\n");
    assert_eq!(std::fs::read(host.join("sub/two")).unwrap().len(), 5000);
}

#[test]
fn a_folder_that_changed_or_does_not_fit_is_refused_in_one_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let host = host(folder.path());
    let code = "#include <unistd.h>\nint main(void) { char b[4]; read(0, b, 4); int n = 0;\n\
        for (int i = 0; i < 4; i++) if (b[i] == 'x') n++; return n; }\n";
    let program = compile(folder.path(), "p", code, &[]);
    let directory = folder.path().join("run");
    let arguments = ["--fs", path_text(&host), "--sym-stdin", "4"];
    let _ = run(&directory, &["--max-paths", "2"], &program, &arguments);
    let other = folder.path().join("other");
    std::fs::rename(host.join("one"), &other).unwrap();
    let what = ["is not as it was when the run began", "start a new run"];
    refused(&cleave(["resume", path_text(&directory)]), &what);
    std::fs::rename(&other, host.join("one")).unwrap();
    // A folder's time says when its names changed.
    refused(&cleave(["resume", path_text(&directory)]), &what);
    let refuses = |arguments: &[&str], parts: &[&str]| {
        let output = run(&folder.path().join("never"), &[], &program, arguments);
        let said = text(&output.stderr);
        assert!(
            !output.status.success() && parts.iter().all(|part| said.contains(part)),
            "{parts:?}: {said}"
        );
        assert_eq!(said.lines().count(), 1, "{said}");
    };
    refuses(&["--fs", "/none/such"], &["cannot read /none/such"]);
    refuses(&["--fs"], &["--fs lacks its folder"]);
    refuses(&["--fs", &format!("{}:data", path_text(&host))], &["give an absolute path"]);
    refuses(&["--fs", &format!("{}/one", path_text(&host))], &["is no folder"]);
    refuses(&["--sym-stat"], &["give --sym-files N LEN too"]);
    refuses(&["--sym-tree", "1", "1", "--sym-files", "1", "1"], &["give one of the two"]);
    std::fs::rename(host.join("one"), host.join("A")).unwrap();
    let at_root = format!("{}:/", path_text(&host));
    refuses(&["--fs", &at_root, "--sym-files", "1", "1"], &["where the symbolic file A is"]);
    std::fs::write(host.join("large"), vec![0; 9 << 20]).unwrap();
    refuses(&["--fs", path_text(&host)], &["give a smaller folder"]);
    std::fs::remove_file(host.join("large")).unwrap();
    assert!(Command::new("mkfifo").arg(host.join("pipe")).status().unwrap().success());
    refuses(&["--fs", path_text(&host)], &["is a device, a pipe or a socket"]);
}

#[test]
fn a_stream_is_a_terminal_or_not_on_paths_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    // A line of one or two bytes, or both bytes without a newline; from a file all at once. A prompt on a terminal alone.
    let code = "#include <termios.h>\n#include <unistd.h>\n\
        int main(void) { char b[4]; struct termios t; int n = read(0, b, 4);\n\
        if (isatty(2)) write(2, \"? \", 2);\n  if (tcgetattr(0, &t)) return n;\n  t.c_cc[VMIN] = n;\n\
        return tcsetattr(0, TCSANOW, &t) || tcgetattr(0, &t) || t.c_cc[VMIN] != n || lseek(0, 0, 1) != -1 ? 99 : 10 + n; }\n";
    let program = compile(folder.path(), "prompt", code, &[]);
    let directory =
        explored(folder.path(), "prompt", &program, &["--sym-terminal", "--sym-stdin", "2"], 2 * 3);
    agrees_on_all(&program, &directory, 6);
    assert_eq!(statuses(&directory), [2, 2, 11, 11, 12, 12]);
    let whole = cleave([
        "tests",
        "export",
        path_text(&directory),
        path_text(&folder.path().join("out")),
        "--to",
        "plain",
    ]);
    assert!(text(&whole.stdout).contains("are a terminal"), "{}", text(&whole.stdout));
}

/// Shows all entries of a file, by the functions of POSIX; glibc writes the file.
const LOGINS: &str = "#include <stdio.h>\n#include <string.h>\n#include <utmpx.h>\nint utmpxname(const char *);\n\
    static void show(const struct utmpx *e) {\n  if (!e) { puts(\"none\"); return; }\n\
    printf(\"%d %d %.32s %.4s %.32s %.256s %d %ld.%ld\\n\", e->ut_type, (int)e->ut_pid, e->ut_line, e->ut_id, e->ut_user,\n\
    e->ut_host, (int)e->ut_session, (long)e->ut_tv.tv_sec, (long)e->ut_tv.tv_usec); }\n\
    int main(int n, char **arguments) {\n  int count = 0;  struct utmpx *e, wanted = { .ut_type = USER_PROCESS, .ut_id = \"p1\", .ut_line = \"pts/1\" };\n\
    if (n > 1 && utmpxname(arguments[1])) return 1;\n\
    #ifdef WRITES\n  for (int i = BOOT_TIME; i <= DEAD_PROCESS; i++) {\n  struct utmpx new = { .ut_type = i, .ut_pid = 100 + i, .ut_session = i };\n\
    sprintf(new.ut_line, \"pts/%d\", i % 2);  sprintf(new.ut_id, \"p%d\", i % 7);  strcpy(new.ut_user, \"somebody\");\n\
    memset(new.ut_host, 'h', 256);  new.ut_tv.tv_sec = 1700000000 + i;  new.ut_tv.tv_usec = i;\n\
    setutxent();  if (!pututxline(&new)) return 2;\n  }\n  endutxent();\n#endif\n\
    while ((e = getutxent())) show(e), count++;\n  show(getutxent());\n  setutxent();  show(getutxid(&wanted));\n\
    setutxent();  show(getutxline(&wanted));  show(getutxline(&wanted));\n\
    wanted.ut_type = BOOT_TIME;  setutxent();  show(getutxid(&wanted));  endutxent();  return count; }\n";

#[test]
fn programs_find_who_is_logged_in_as_glibc_wrote_it() {
    let folder = tempfile::tempdir().unwrap();
    let host = folder.path().join("host");
    std::fs::create_dir(&host).unwrap();
    let (file, source, writer) =
        (host.join("utmp"), folder.path().join("logins.c"), folder.path().join("writer"));
    std::fs::write(&file, "").unwrap();
    std::fs::write(&source, LOGINS).unwrap();
    let gcc = Command::new("gcc")
        .args(["-w", "-D_GNU_SOURCE", "-DWRITES", "-o"])
        .args([&writer, &source])
        .output()
        .unwrap();
    assert!(gcc.status.success(), "{}", text(&gcc.stderr));
    let by_glibc = Command::new(&writer).arg(&file).output().unwrap();
    assert!(by_glibc.status.code() == Some(7) && text(&by_glibc.stdout).lines().count() > 8, "{by_glibc:?}");
    let program = compile(folder.path(), "logins", LOGINS, &["-D_GNU_SOURCE"]);
    let by_ours = Command::new(&program).arg(&file).output().unwrap();
    assert_eq!(text(&by_ours.stdout), text(&by_glibc.stdout));
    // The engine finds the file at its usual place, and so does the native run of the test.
    let directory = folder.path().join("run");
    let arguments = ["--fs", &format!("{}:/var/run", path_text(&host)), "--sym-stdin", "1"];
    succeeded(&run(&directory, &[], &program, &arguments));
    agrees_on_all(&program, &directory, 1);
    assert_eq!(statuses(&directory), [7], "entries");
}
