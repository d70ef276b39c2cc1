//! Environment variables: known ones (`--set-env`) and those that are inputs (`--sym-env`). Natively programs find the same.

use crate::session::*;

/// Says by its status which of three values a variable has, and prints another. A child finds both.
const ASKS: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv) {
    const char *mode = getenv("MODE"), *home = getenv("HOME");
    if (argc == 1) {
        int status;
        if (fork() == 0) {
            execl("/bin/self", "self", "child", (char *)0);
            _exit(99);
        }
        wait(&status);
        if (WEXITSTATUS(status) != (mode == 0) + (home == 0))
            return 98;
    } else {
        return (mode == 0) + (home == 0);
    }
    printf("%s\n", home);
    if (!mode)
        return 1;
    if (!strcmp(mode, "on"))
        return 2;
    return 3 + (*mode == 0);
}
"#;

#[test]
fn a_variable_is_set_or_not_with_each_value_and_children_inherit_it() {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "asks", ASKS, &[]);
    let own = format!("/bin/self={}", path_text(&program));
    let arguments = ["--set-env", "HOME=/home/me", "--sym-env", "MODE", "3"];
    let mut known = None;
    for how in [["--mode", "symbolic"], ["--mode", "concolic"], ["--workers", "2"], ["--max-paths", "2"]] {
        let directory = folder.path().join(how.concat());
        let _ = run(&directory, &[&how[..], &["--program", &own]].concat(), &program, &arguments);
        if how[0] == "--max-paths" {
            succeeded(&cleave(["resume", "--workers", "2", path_text(&directory)]));
        }
        let found = digests(&directory);
        assert!(known.get_or_insert(found.clone()) == &found, "{how:?}");
        let statuses: std::collections::BTreeSet<u64> =
            records(&directory).iter().filter_map(|r| r["exit_status"].as_u64()).collect();
        assert_eq!(statuses.into_iter().collect::<Vec<_>>(), [1, 2, 3, 4], "{how:?}");
        agrees_on_all(&program, &directory, found.len() as u64);
    }
}

#[test]
fn an_overflow_by_a_variable_is_explained_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let code = "#include <stdlib.h>\n#include <string.h>\n\
        int main(void) { char b[4]; const char *s = getenv(\"DEBUG\"); if (s) strcpy(b, s); return s ? b[0] : 0; }\n";
    let program = compile(folder.path(), "overflow", code, &[]);
    let directory = folder.path().join("run");
    let _ = run(&directory, &[], &program, &["--sym-env", "DEBUG", "4"]);
    let bug =
        records(&directory).iter().find(|r| r["kind"] == "failed").and_then(|r| r["id"].as_u64()).unwrap();
    let said = cleave(["explain", path_text(&directory), &bug.to_string()]);
    assert!(text(&said.stdout).contains("getenv(\"DEBUG\")"), "{}", text(&said.stdout));
}

/// As the authors of KLEE ran coreutils: with a file of variables and a folder of files.
#[test]
fn a_file_of_variables_and_a_folder_to_run_in_are_taken() {
    let folder = tempfile::tempdir().unwrap();
    let code = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
        int main(void) { char text[8] = {0}; FILE *f = fopen(\"notes\", \"r\"); if (!f || !fgets(text, 8, f)) return 1;\n\
        return getenv(\"TERM\") && !strcmp(getenv(\"TERM\"), \"xterm\") && !strcmp(text, \"here\") ? 7 : 2; }\n";
    let program = compile(folder.path(), "finds", code, &[]);
    let (sandbox, variables) = (folder.path().join("sandbox"), folder.path().join("test.env"));
    std::fs::create_dir(&sandbox).unwrap();
    std::fs::write(sandbox.join("notes"), "here").unwrap();
    std::fs::write(&variables, "TERM=xterm\n\nSHELL=/bin/sh\n").unwrap();
    let directory = folder.path().join("run");
    let given = [("output-dir", &directory), ("run-in-dir", &sandbox), ("env-file", &variables)];
    let options = given.map(|(name, value)| format!("--{name}={}", path_text(value)));
    let line = [&["klee"], &options.each_ref().map(String::as_str)[..], &[path_text(&program)]].concat();
    let done = cleave(line);
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert_eq!(records(&directory).iter().find_map(|r| r["exit_status"].as_u64()), Some(7));
}
