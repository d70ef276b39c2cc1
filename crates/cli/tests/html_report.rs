//! The report of a run as a browser shows it.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{cleave, limited, succeeded};

/// Two bugs, a line that no test reaches, and text that would end the page's script.
const PROGRAM: &str = r#"#include <stdlib.h>
/* </script><b id="broken">not markup</b> <!-- */
static int looked(const char *text) {
  char name[2];
  int n = 0;
  while (text[n] == 'a')
    name[n] = 'x', n++;
  if (n == 0 && text[0] > 'y' && text[0] < 'y')
    return 9;
  return name[0] == 'y';
}
int main(int argc, char **argv) {
  if (argc < 2)
    return 1;
  if (argv[1][0] == '!')
    abort();
  return argv[1][0] == 'a' ? looked(argv[1]) : 2;
}
"#;

/// Explores the program and writes its report.
fn reported(folder: &Path) -> (PathBuf, String) {
    let (source, run) = (folder.join("p.c"), folder.join("run"));
    std::fs::write(&source, PROGRAM).unwrap();
    let output = cleave()
        .args(["run", "--workers", "1", "--output-dir"])
        .arg(&run)
        .arg(&source)
        .args(["--sym-arg", "4"])
        .output();
    assert_eq!(output.unwrap().status.code(), Some(3));
    succeeded(cleave().arg("report").arg(&run));
    let page = run.join("report.html");
    let text = std::fs::read_to_string(&page).unwrap();
    (page, text)
}

fn data(text: &str) -> Value {
    let start = text.find("id=\"data\">").unwrap() + "id=\"data\">".len();
    let end = start + text[start..].find("</script>").unwrap();
    serde_json::from_str(&text[start..end]).unwrap()
}

/// An action on an element, done as soon as the page has it: its selector, and a script in which it is `e`.
type Action<'a> = (&'a str, &'a str);

const CLICK: &str = "e.click()";

/// The main part of the page after these actions, one after the other.
fn seen(page: &Path, actions: &[Action<'_>]) -> String {
    let text = std::fs::read_to_string(page).unwrap();
    let steps: Vec<String> =
        actions.iter().map(|(selector, act)| format!("[{selector:?}, (e) => {{ {act} }}]")).collect();
    let steps = format!(
        "const steps = [{}];\nfunction next() {{ if (!steps.length) return; const e = document.querySelector(steps[0][0]);\n\
         if (e) steps.shift()[1](e); setTimeout(next, 50); }}\nnext();",
        steps.join(", ")
    );
    let copy = page.with_file_name("clicked.html");
    std::fs::write(&copy, text.replace("</body>", &format!("<script>{steps}</script></body>"))).unwrap();
    let profile = tempfile::tempdir().unwrap();
    let mut chromium = limited("chromium");
    chromium.args([
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--virtual-time-budget=10000",
        "--dump-dom",
    ]);
    chromium.arg(format!("--user-data-dir={}", profile.path().display()));
    let output = chromium.arg(format!("file://{}", copy.display())).output();
    let output = output.expect("Debian's package `chromium` is needed: scripts/setup.sh tests installs it");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let dom = String::from_utf8(output.stdout).unwrap();
    let (start, end) = (dom.find("<main").unwrap(), dom.find("</main>").unwrap());
    dom[start..end].to_string()
}

#[test]
fn the_pages_show_what_the_run_found() {
    let folder = tempfile::tempdir().unwrap();
    let (page, text) = reported(folder.path());
    let data = data(&text);
    let bugs = seen(&page, &[("a[href='#bugs']", CLICK)]);
    for part in ["out-of-bounds", "abort", "name[n] = 'x', n++;", "Input: "] {
        assert!(bugs.contains(part), "{part}: {bugs}");
    }
    let source = seen(&page, &[("a[href='#coverage']", CLICK), ("main a[href^='#source']", CLICK)]);
    // The first is the line of `return 9`, which no test executes; the second is executed.
    for part in
        ["<tr id=\"L9\" class=\"no\">", "<tr id=\"L10\" class=\"yes\">", "&lt;/script&gt;&lt;b id=", "◐"]
    {
        assert!(source.contains(part), "{part}: {source}");
    }
    assert!(!source.contains("<b id=\"broken\""), "{source}");
    let search = "e.value = 'failed'; e.dispatchEvent(new Event('input'))";
    let tests = seen(&page, &[("a[href='#tests']", CLICK), ("#search", search)]);
    let failed = data["tests"].as_array().unwrap().iter().filter(|t| t["kind"] == "failed").count();
    let all = data["tests_in_all"].as_u64().unwrap();
    assert!(
        tests.contains(&format!("{failed} of the {all} tests shown here; the run has {all}<")),
        "{tests}"
    );
    let paths = seen(&page, &[("a[href='#paths']", CLICK)]);
    assert!(paths.contains("p.c:6</a>") && paths.contains("while (text[n] == 'a')"), "{paths}");
    // Without a click: the bugs with their lines first, then coverage as a picture and where paths come from; layers last.
    let first = seen(&page, &[]);
    let order = [
        "2 bugs on ",
        "href=\"#bugs/0\"",
        "p.c:16</a>",
        "p.c:7</a>",
        "class=\"tile\"",
        "p.c:6</a>",
        "What answered",
    ];
    let mut at = 0;
    for part in order {
        let found = first[at..].find(part);
        at += found.unwrap_or_else(|| panic!("{part} behind {at}: {first}"));
    }
    let second = seen(&page, &[("main a[href='#bugs/1']", CLICK)]);
    assert!(second.contains("id=\"bug1\""), "{second}");
}

#[test]
fn the_data_agrees_with_the_other_commands() {
    let folder = tempfile::tempdir().unwrap();
    let (page, text) = reported(folder.path());
    let data = data(&text);
    let run = page.parent().unwrap();
    let json = |arguments: &[&str]| -> Value {
        serde_json::from_slice(&succeeded(cleave().args(arguments).arg(run)).stdout).unwrap()
    };
    let coverage = json(&["coverage", "--json"]);
    assert_eq!(data["account"], json(&["stats", "--json"]));
    let file = data["files"]
        .as_array()
        .unwrap()
        .iter()
        .find(|f| f["name"].as_str().unwrap().ends_with("p.c"))
        .unwrap();
    let lines = coverage["files"][file["name"].as_str().unwrap()].as_object().unwrap();
    assert_eq!(file["lines"].as_array().unwrap().len(), lines.len());
    let tests = data["tests_in_all"].as_u64().unwrap();
    for line in file["lines"].as_array().unwrap() {
        let (number, covered, hits) = (&line[0], line[1].as_bool().unwrap(), line[2].as_u64().unwrap());
        assert_eq!(lines[&number.to_string()].as_bool(), Some(covered), "line {number}");
        // All tests are followed here.
        assert_eq!(covered, hits > 0, "line {number}");
        assert!(hits <= tests, "line {number}");
    }
    // The first line of main is executed by each test; n ways part n - 1 times.
    let entry = file["lines"].as_array().unwrap().iter().find(|line| line[0] == 13).unwrap();
    assert_eq!((entry[2].as_u64(), &data["splits_of"]), (Some(tests), &data["tests_in_all"]));
    let splits: u64 = data["splits"].as_array().unwrap().iter().map(|s| s[2].as_u64().unwrap()).sum();
    assert_eq!(splits, tests - 1);
    // It needs nothing from elsewhere.
    assert!(!text.contains("http://") && !text.contains("https://") && !text.contains("src="));
}

/// 512 paths of some milliseconds each.
const SLOW: &str = "#include <klee/klee.h>\nint main(void) {\n  unsigned char bits[9];\n  int ones = 0;\n\
    \x20 klee_make_symbolic(bits, sizeof bits, \"bits\");\n  for (int i = 0; i < 9; i++)\n    if (bits[i] & 1) ones++;\n\
    \x20 for (volatile int work = 0; work < 60000; work++) {}\n  return ones;\n}\n";

#[test]
fn the_page_of_time_has_what_each_worker_did_over_all_sessions() {
    let folder = tempfile::tempdir().unwrap();
    let (source, run) = (folder.path().join("slow.c"), folder.path().join("run"));
    std::fs::write(&source, SLOW).unwrap();
    let mut first = cleave();
    first.args(["run", "--workers", "2", "--max-paths", "300", "--output-dir"]);
    succeeded(first.arg(&run).arg(&source));
    succeeded(cleave().args(["resume", "--workers", "1"]).arg(&run));
    succeeded(cleave().arg("report").arg(&run));
    let page = run.join("report.html");
    let data = data(&std::fs::read_to_string(&page).unwrap());
    let history = data["history"].as_array().unwrap();
    let of = |moment: &Value, name: &str| moment[name].as_u64().unwrap();
    // Each worker only does more, and time goes on, also from session to session.
    let (mut last, mut at, mut moments) =
        (std::collections::BTreeMap::new(), 0, std::collections::BTreeSet::new());
    for moment in history {
        assert!(of(moment, "at_ms") >= at, "{moment}");
        at = of(moment, "at_ms");
        moments.insert(at);
        let done = ["paths", "lines", "busy_ms", "solver_ms"].map(|name| of(moment, name));
        let before = last.insert((of(moment, "session"), of(moment, "worker")), done).unwrap_or_default();
        assert!(
            done.iter().zip(before).all(|(now, before)| *now >= before) && done[3] <= done[2],
            "{moment}"
        );
    }
    let exploring = data["account"]["exploring_s"].as_f64().unwrap();
    assert!(moments.len() >= 2 && moments.len() as f64 >= exploring / 2.0, "{moments:?} of {exploring} s");
    // At the end they have done what the account says, together.
    let account = &data["account"];
    let sum = |i: usize, wanted: &dyn Fn(u64) -> bool| {
        last.iter().filter(|((session, _), _)| wanted(*session)).map(|(_, done)| done[i]).sum::<u64>()
    };
    assert_eq!((sum(0, &|session| session == 1), sum(0, &|_| true)), (300, 512));
    assert_eq!(sum(1, &|_| true), of(&account["coverage"], "lines_covered"));
    let busy = account["busy_seconds"].as_f64().unwrap() * 1e3;
    assert!(
        (sum(2, &|_| true) as f64 - busy).abs() <= 1.0 + last.len() as f64,
        "{} and {busy}",
        sum(2, &|_| true)
    );
    assert!(at as f64 <= account["wall_s"].as_f64().unwrap() * 1e3, "{at}");
    let shown = seen(&page, &[("a[href='#time']", CLICK)]);
    assert!(shown.contains("512 after ") && shown.matches("<polyline").count() == 2 + last.len(), "{shown}");
}

/// Answer of a server to a request.
fn asked(address: &str, request: &str) -> String {
    use std::io::{Read, Write};
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(std::time::Duration::from_secs(60))).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    String::from_utf8(answer).unwrap()
}

#[test]
fn a_run_that_goes_on_is_watched_in_a_browser() {
    use std::io::BufRead;
    let folder = tempfile::tempdir().unwrap();
    let (source, run) = (folder.path().join("slow.c"), folder.path().join("run"));
    std::fs::write(&source, SLOW).unwrap();
    let mut begun = cleave();
    begun.args(["run", "--workers", "1", "--max-paths", "100", "--output-dir"]);
    succeeded(begun.arg(&run).arg(&source));
    let mut server = cleave();
    server.args(["report", "--serve", "0"]).arg(&run).stdout(std::process::Stdio::piped());
    let mut server = server.spawn().unwrap();
    let mut line = String::new();
    std::io::BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("http://").unwrap().trim_end_matches('/').to_string();
    assert!(address.starts_with("127.0.0.1:"), "{line}");
    let get = |what: &str| {
        asked(&address, &format!("GET {what} HTTP/1.0\r\nHost: {address}\r\nConnection: close\r\n\r\n"))
    };
    let paths = |answer: &str| data(answer)["account"]["paths"]["completed"].as_u64().unwrap();
    let (first, progress) = (get("/"), get("/progress"));
    assert!(
        first.lines().next().unwrap().contains(" 200") && paths(&first) == 100,
        "{}",
        &first[..200.min(first.len())]
    );
    assert!(progress.ends_with("session 1, max_paths") && progress.contains("0 bugs"), "{progress}");
    // The page asks for it, and knows what it has.
    let said = progress.lines().last().unwrap();
    assert!(first.contains(&format!("const seen = '{said}'")), "{said}");
    // While it goes on, the page gets farther; in the end it has all.
    let mut resumed = cleave()
        .args(["resume", "--workers", "1"])
        .arg(&run)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let (mut seen, start) = (std::collections::BTreeSet::new(), std::time::Instant::now());
    while !seen.contains(&512) && start.elapsed().as_secs() < 60 {
        seen.insert(paths(&get("/")));
        std::thread::sleep(std::time::Duration::from_millis(300));
    }
    assert!(resumed.wait().unwrap().success());
    assert!(seen.contains(&512) && seen.iter().all(|n| (100..=512).contains(n)), "{seen:?}");
    // Nobody else is answered.
    let foreign = asked(&address, "GET / HTTP/1.0\r\nHost: elsewhere.example\r\nConnection: close\r\n\r\n");
    assert!(foreign.lines().next().unwrap().contains(" 403") && !foreign.contains("account"), "{foreign}");
    assert!(get("/db.sqlite").lines().next().unwrap().contains(" 404"));
    // `timeout` passes the signal on.
    let ended = std::process::Command::new("kill").arg(server.id().to_string()).status().unwrap();
    assert!(ended.success());
    server.wait().unwrap();
}

#[test]
fn bugs_are_explained() {
    let folder = tempfile::tempdir().unwrap();
    let (page, text) = reported(folder.path());
    let bugs = seen(&page, &[("a[href='#bugs']", CLICK), ("details", "e.open = true")]);
    for part in [
        "Which bytes matter",
        "argv[1][0]",
        "fixed: 'a'",
        "fixed: '!'",
        "Smallest input found",
        "argv[1][1] == 'a'",
    ] {
        assert!(bugs.contains(part), "{part}: {bugs}");
    }
    assert!(bugs.contains("1 path,") && !bugs.contains("1 paths"), "{bugs}");
    // The page has the same texts as `cleave explain`.
    let data = data(&text);
    for bug in data["bugs"].as_array().unwrap() {
        let run = page.parent().unwrap();
        let explained = succeeded(cleave().arg("explain").arg(run).arg(bug["test"].to_string())).stdout;
        let explained = String::from_utf8(explained).unwrap();
        for part in bug["explained"]["input"][0][2].as_array().unwrap() {
            assert!(explained.contains(part["text"].as_str().unwrap()), "{part}: {explained}");
        }
    }
}

/// A branch for each reason why a side is not taken.
const UNTAKEN: &str = r#"#include <klee/klee.h>
static int nobody(int c) {
  if (c == 1)
    return 2;
  return 3;
}
int main(int argc, char **argv) {
  int four = 4;
  if (four * argc == 7)
    return 9;
  char c = argv[1][0];
  if (c > 'y') {
    if (c < 'x')
      return 5;
    return 6;
  }
  if (argc > 77)
    return nobody(argc);
#ifdef SILENT
  if (c == 'q')
    klee_silent_exit(0);
#endif
  for (int i = 0; i < 2; i++)
    if (argv[1][i] == 'z')
      return 7;
  return 0;
}
"#;

/// The reasons that a report gives for a run of [`UNTAKEN`] with these options, by line.
fn reasons(folder: &Path, name: &str, definition: &str, options: &[&str]) -> (PathBuf, Vec<(u64, String)>) {
    let (source, program, run) =
        (folder.join(format!("{name}.c")), folder.join(name), folder.join(format!("run-{name}")));
    std::fs::write(&source, format!("{definition}\n{UNTAKEN}")).unwrap();
    succeeded(cleave().args(["cc", "-O0", "-g", "-o"]).arg(&program).arg(&source));
    let mut explore = cleave();
    explore.args(["run", "--workers", "1", "--output-dir"]).arg(&run).args(options).arg(&program);
    succeeded(explore.args(["--sym-arg", "2"]));
    succeeded(cleave().arg("report").arg(&run));
    let page = run.join("report.html");
    let data = data(&std::fs::read_to_string(&page).unwrap());
    let why = data["files"][0]["why"].as_array().unwrap();
    let reason = |w: &Value| (w[0].as_u64().unwrap() - 1, w[1].as_str().unwrap().to_string());
    (page, why.iter().map(reason).collect())
}

#[test]
fn a_side_that_is_not_taken_has_its_reason() {
    let folder = tempfile::tempdir().unwrap();
    let of = |all: &[(u64, String)], line: u64| -> String {
        let found = all.iter().find(|(l, _)| *l == line);
        found.unwrap_or_else(|| panic!("no reason in line {line}: {all:?}")).1.clone()
    };
    let (page, all) = reasons(folder.path(), "whole", "", &[]);
    assert!(
        all.iter().all(|(_, why)| why.starts_with("infeasible: no input takes it on any path")),
        "{all:?}"
    );
    assert!(of(&all, 9).ends_with("the branch does not depend on the input"), "{all:?}");
    let told = of(&all, 13);
    assert!(
        told.contains("it needs argv[1][0] <= 'w'") && told.contains("but there argv[1][0] >= 'z'"),
        "{told}"
    );
    // Both sides of the branch in the loop are taken, in different turns.
    assert!(all.iter().all(|(line, _)| *line != 24), "{all:?}");
    let source = seen(&page, &[("a[href='#coverage']", CLICK), ("main a[href^='#source']", CLICK)]);
    for part in ["never reached on any path", "a side is not taken: infeasible", "it needs argv[1][0]"] {
        assert!(source.contains(part), "{part}: {source}");
    }
    // A run that has not explored all says so of each.
    let (page, all) = reasons(folder.path(), "part", "", &["--max-paths", "1"]);
    assert!(!all.is_empty() && all.iter().all(|(_, why)| why.starts_with("still open: ")), "{all:?}");
    let source = seen(&page, &[("a[href='#coverage']", CLICK), ("main a[href^='#source']", CLICK)]);
    assert!(source.contains("not reached so far"), "{source}");
    // The side of a silent end is taken, but by no test.
    let (_, all) = reasons(folder.path(), "silent", "#define SILENT", &[]);
    let of_silent = of(&all, 20);
    assert!(of_silent.starts_with("unknown: 1 of the paths that klee_silent_exit ended"), "{of_silent}");
}
