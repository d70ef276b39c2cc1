//! The report of a run as a browser shows it.

#[allow(dead_code)] // what it has for the programs of the corpus
mod support;

use std::path::{Path, PathBuf};

use serde_json::Value;
use support::{cleave, limited, succeeded};

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

/// What is done with an element, as a script in which it is `e`, as soon as the page has it: its selector, and the script.
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
    // Without a click: the summary.
    assert!(seen(&page, &[]).contains("There are bugs."));
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
