//! The files of `cleave report --to FORMAT`, read by the tools that they are for. The tools must read there the same as
//! `cleave coverage --json`, `cleave list --json` and `cleave stats --json` say.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{cleave, limited, succeeded};

/// Two kinds of bugs of different weight, a switch, a function that nobody calls, and one in which most instructions are.
const PROGRAM: &str = r#"#include <stdlib.h>
#include "part & parcel/other.h"
static int nobody(int c) { return c * 2; }
static int (*const ways[])(int) = {other, nobody};
static int heavy(int n) {
  volatile int sum = 0;
  for (int i = 0; i < n * 50; i++)
    sum += i;
  return sum;
}
static char *kept;
int main(int argc, char **argv) {
  char name[3];
  if (argc < 2)
    return heavy(1);
  const char *text = argv[1];
  switch (text[0]) {
  case 'a':
    heavy(100);
    break;
  case 'b':
    for (int i = 0; text[i] == 'b'; i++)
      name[i] = 'x';
    break;
  case 'c':
    kept = malloc(10);
    kept = NULL;
    return 7;
  default:
    if (text[0] > 'y' && text[0] < 'y')
      abort();
    return ways[0](text[1]);
  }
  return name[0] == 'y';
}
"#;

const OTHER: &str = "static int other(int c) {\n  if (c == '<')\n    return 1;\n  return 0;\n}\n";

/// A run of the program, in a folder whose name needs care in URIs and XML.
struct Explored {
    _whole: TempDir,
    folder: PathBuf,
    run: PathBuf,
}

impl Explored {
    fn new(code: &str, options: &[&str], code_of_exit: i32) -> Explored {
        let whole = tempfile::tempdir().unwrap();
        let folder = whole.path().canonicalize().unwrap().join("a <b> & c#d");
        std::fs::create_dir_all(folder.join("part & parcel")).unwrap();
        std::fs::write(folder.join("prog.c"), code).unwrap();
        std::fs::write(folder.join("part & parcel/other.h"), OTHER).unwrap();
        let run = folder.join("run");
        let mut command = cleave();
        command.current_dir(&folder).args(["run", "--workers", "1", "--output-dir", "run"]).args(options);
        let output = command.args(["prog.c", "--sym-args", "0", "1", "1..4"]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code_of_exit), "{said}");
        Explored { _whole: whole, folder, run }
    }

    fn usual() -> Explored {
        Explored::new(PROGRAM, &["--check", "leak", "--check", "-uninitialised"], 3)
    }

    /// Path of a report in this form.
    fn report(&self, form: &str) -> PathBuf {
        let file = self.folder.join(format!("report.{form}"));
        succeeded(cleave().current_dir(&self.folder).args(["report", "--to", form, "run"]).arg(&file));
        file
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let output = succeeded(cleave().args(arguments).arg("--json").arg(&self.run));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    fn records(&self, kind: &str) -> Vec<Value> {
        let output = succeeded(cleave().args(["list", "--json"]).arg(&self.run));
        let lines = String::from_utf8(output.stdout).unwrap();
        let all = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        all.filter(|record| record["record"] == kind).collect()
    }

    fn numbers(&self, kind: &str) -> Vec<u64> {
        self.records(kind).iter().map(|record| record["id"].as_u64().unwrap()).collect()
    }
}

/// Output of a Python script that has a tool, as JSON.
fn python(script: &str, arguments: &[&Path]) -> Value {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../build/python");
    let python = tools.join("bin/python");
    assert!(
        python.exists(),
        "build/python has the tools that read these files: scripts/setup.sh tests makes it"
    );
    let output = limited(python).arg("-c").arg(script).args(arguments).arg(&tools).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn said_by(tool: &str, arguments: &[&str]) -> String {
    let output = limited(tool).args(arguments).output().unwrap();
    let said = [&output.stdout[..], &output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(output.status.success(), "`{tool}`, which scripts/setup.sh tests installs: {said}");
    said
}

/// By file, line and branch, in their order: how many of the tests take each side, as each test by itself says.
type Sides = BTreeMap<(String, u64), Vec<Vec<u64>>>;

/// Numbers of tests that execute each line and take each side: each test asked by itself.
fn counted(run: &Explored) -> (BTreeMap<(String, u64), u64>, Sides) {
    let (mut lines, mut sides) = (BTreeMap::new(), Sides::new());
    for test in run.numbers("test") {
        let coverage = run.json(&["coverage", "--tests", &test.to_string()]);
        for (file, own) in coverage["files"].as_object().unwrap() {
            for (line, covered) in own.as_object().unwrap() {
                *lines.entry((file.clone(), line.parse().unwrap())).or_default() +=
                    u64::from(covered == true);
            }
        }
        let mut here = Sides::new();
        for branch in coverage["branches"].as_array().unwrap() {
            let taken =
                branch["taken"].as_array().unwrap().iter().map(|taken| u64::from(taken == true)).collect();
            let place = (branch["file"].as_str().unwrap().to_string(), branch["line"].as_u64().unwrap());
            here.entry(place).or_default().push(taken);
        }
        for (place, own) in here {
            let all = sides.entry(place).or_insert_with(|| own.iter().map(|b| vec![0; b.len()]).collect());
            all.iter_mut().flatten().zip(own.into_iter().flatten()).for_each(|(all, own)| *all += own);
        }
    }
    (lines, sides)
}

#[test]
fn lcov_reads_the_coverage_and_its_counts_are_those_of_the_tests() {
    let run = Explored::usual();
    let file = run.report("lcov");
    let counts = run.json(&["coverage"])["counts"].clone();
    let summary = said_by(
        "lcov",
        &["--rc", "lcov_branch_coverage=1", "--rc", "branch_coverage=1", "--summary", file.to_str().unwrap()],
    );
    for (lcovs, ours, word) in [
        ("lines", "lines", "lines"),
        ("functions", "functions", "functions"),
        ("branches", "branches", "branches"),
    ] {
        let expected = format!("({} of {} {word})", counts[format!("{ours}_covered")], counts[ours]);
        let line = summary.lines().find(|line| line.trim_start().starts_with(lcovs)).unwrap();
        assert!(line.contains(&expected), "{line} is not {expected}");
    }
    let pages = run.folder.join("pages");
    said_by(
        "genhtml",
        &["--quiet", "--branch-coverage", "-o", pages.to_str().unwrap(), file.to_str().unwrap()],
    );
    assert!(pages.join("index.html").is_file());
    let (lines, sides) = counted(&run);
    let (mut name, mut seen, mut taken) = (String::new(), BTreeMap::new(), Sides::new());
    let text = std::fs::read_to_string(&file).unwrap();
    for line in text.lines() {
        let (kind, rest) = line.split_once(':').unwrap_or((line, ""));
        let fields: Vec<&str> = rest.split(',').collect();
        let number = |i: usize| fields[i].parse::<u64>().unwrap_or(0);
        match kind {
            "SF" => {
                assert!(Path::new(rest).is_file(), "{rest}");
                name = rest.strip_prefix(run.folder.to_str().unwrap()).unwrap()[1..].to_string();
            }
            "DA" => drop(seen.insert((name.clone(), number(0)), number(1))),
            "BRDA" => {
                let branches = taken.entry((name.clone(), number(0))).or_default();
                branches.resize(number(1) as usize + 1, Vec::new());
                branches[number(1) as usize].push(number(3));
            }
            _ => {}
        }
    }
    let plain = |(file, line): &(String, u64)| (file.trim_start_matches("./").to_string(), *line);
    let lines: BTreeMap<_, _> = lines.iter().map(|(place, n)| (plain(place), *n)).collect();
    let sides: Sides = sides.iter().map(|(place, n)| (plain(place), n.clone())).collect();
    assert_eq!(seen, lines);
    assert_eq!(taken, sides);
    assert!(text.contains("\nFNDA:0,nobody\n") && !text.contains("\nFNDA:0,main\n"), "{text}");
}

#[test]
fn pycobertura_reads_the_coverage() {
    let run = Explored::usual();
    let coverage = run.json(&["coverage"]);
    let script = "import json, sys\nfrom pycobertura import Cobertura\nfrom lxml import etree\n\
        c = Cobertura(sys.argv[1])\n\
        print(json.dumps({'files': {f: c.missed_statements(f) for f in c.files()}, 'lines': c.total_statements(),\n\
        'attributes': dict(etree.parse(sys.argv[1]).getroot().attrib), 'version': c.version}))";
    let read = python(script, &[&run.report("cobertura")]);
    let counts = &coverage["counts"];
    assert_eq!(read["lines"], counts["lines"]);
    for (theirs, ours) in [
        ("lines-covered", "lines_covered"),
        ("lines-valid", "lines"),
        ("branches-covered", "branches_covered"),
        ("branches-valid", "branches"),
    ] {
        assert_eq!(read["attributes"][theirs].as_str().unwrap(), counts[ours].to_string(), "{theirs}");
    }
    // Lines that no test executes, and those with a side that no test takes: with this tool they count as half.
    let mut expected: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for (file, lines) in coverage["files"].as_object().unwrap() {
        let partial = |line: &str| {
            let here = |b: &&Value| b["file"] == *file && b["line"].as_u64() == line.parse().ok();
            let mut branches = coverage["branches"].as_array().unwrap().iter().filter(here);
            branches.any(|b| b["taken"].as_array().unwrap().contains(&false.into()))
        };
        let missed =
            lines.as_object().unwrap().iter().filter(|(line, covered)| *covered == false || partial(line));
        let mut missed: Vec<u64> = missed.map(|(line, _)| line.parse().unwrap()).collect();
        missed.sort_unstable();
        expected.insert(file.trim_start_matches("./").to_string(), missed);
    }
    assert_eq!(expected.len(), 2);
    let read: BTreeMap<String, Vec<Value>> = serde_json::from_value(read["files"].clone()).unwrap();
    assert_eq!(read.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    for (file, lines) in read {
        // A line, or a line with a word, or a range.
        let lines: Vec<Value> = lines.iter().map(|line| line.get(0).unwrap_or(line).clone()).collect();
        let shown = serde_json::to_string(&lines).unwrap();
        let numbers: Vec<u64> = lines.iter().filter_map(Value::as_u64).collect();
        assert_eq!(numbers, expected[&file], "{file}: {shown}");
    }
}

#[test]
fn sarif_is_as_its_schema_says_and_names_each_bug_with_its_way() {
    let run = Explored::usual();
    let file = run.report("sarif");
    let script = "import json, sys, jsonschema\nfrom sarif import loader\n\
        log = json.load(open(sys.argv[1]))\n\
        jsonschema.validate(log, json.load(open(sys.argv[2] + '/sarif-2.1.0.json')))\n\
        print(json.dumps({'log': log, 'records': loader.load_sarif_file(sys.argv[1]).get_records()}))";
    let read = python(script, &[&file]);
    let bugs: Vec<Value> =
        run.records("bug").into_iter().filter(|bug| bug["counts_as"] == "failed").collect();
    let records = read["records"].as_array().unwrap();
    assert_eq!((bugs.len(), records.len()), (2, 2));
    for bug in &bugs {
        let (file, line) = bug["place"].as_str().unwrap().rsplit_once(':').unwrap();
        let level = if bug["kind"] == "leak" { "warning" } else { "error" };
        let found = records.iter().find(|r| r["Code"] == bug["kind"]).unwrap();
        assert_eq!((found["Line"].to_string().as_str(), found["Location"].as_str()), (line, Some(file)));
        assert_eq!(found["Severity"], level);
        assert!(found["Description"].as_str().unwrap().contains(bug["message"].as_str().unwrap()), "{found}");
    }
    let log = &read["log"]["runs"][0];
    for result in log["results"].as_array().unwrap() {
        let rule = &log["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().unwrap() as usize];
        assert_eq!(rule["id"], result["ruleId"]);
        assert_eq!(rule["defaultConfiguration"]["level"], result["level"]);
        assert!(rule["help"]["text"].as_str().unwrap().ends_with('.'));
        let attached = &result["attachments"][0]["artifactLocation"];
        assert!(on_disk(attached, log).is_file(), "{attached}");
        // The way leads through lines that the test executes, to the place of the bug.
        let test = result["properties"]["test"].as_u64().unwrap();
        let covered = run.json(&["coverage", "--tests", &test.to_string()])["files"].clone();
        let way = result["codeFlows"][0]["threadFlows"][0]["locations"].as_array().unwrap();
        assert!(way.len() >= 2, "{way:?}");
        for step in way {
            let at = &step["location"]["physicalLocation"];
            let name =
                at["artifactLocation"]["uri"].as_str().unwrap().replace("%20", " ").replace("%26", "&");
            assert!(on_disk(&at["artifactLocation"], log).is_file(), "{at}");
            assert_eq!(covered[&name][at["region"]["startLine"].to_string()], true, "{at}");
        }
        let last = &way.last().unwrap()["location"]["physicalLocation"];
        assert_eq!(last, &result["locations"][0]["physicalLocation"]);
        let frames = result["stacks"][0]["frames"].as_array().unwrap();
        assert!(frames.iter().any(|f| f["location"]["logicalLocations"][0]["name"] == "main"), "{frames:?}");
    }
    assert_eq!(log["invocations"][0]["exitCodeDescription"], "bugs");
}

/// The file of an artifact's location.
fn on_disk(location: &Value, log: &Value) -> PathBuf {
    let base = location["uriBaseId"]
        .as_str()
        .map_or("", |id| log["originalUriBaseIds"][id]["uri"].as_str().unwrap());
    let uri = format!("{base}{}", location["uri"].as_str().unwrap());
    let mut bytes = Vec::new();
    let mut rest = uri.strip_prefix("file://").unwrap().bytes();
    while let Some(b) = rest.next() {
        if b == b'%' {
            let digits: String = rest.by_ref().take(2).map(char::from).collect();
            bytes.push(u8::from_str_radix(&digits, 16).unwrap());
        } else {
            bytes.push(b);
        }
    }
    PathBuf::from(String::from_utf8(bytes).unwrap())
}

#[test]
fn junitparser_reads_bugs_as_failures_and_what_is_open_as_skipped() {
    let script = "import json, sys\nfrom junitparser import JUnitXml\nx = JUnitXml.fromfile(sys.argv[1])\n\
        print(json.dumps({'counts': [x.tests, x.failures, x.errors, x.skipped], 'time': x.time, 'cases':\n\
        [[c.name, [[type(r).__name__, r.message or '', r.text or ''] for r in c.result]] for s in x for c in s]}))";
    let clean = "int main(int argc, char **argv) { return argc > 1 && argv[1][0] == 'x'; }";
    let run = Explored::usual();
    let read = python(script, &[&run.report("junit")]);
    let bugs: Vec<Value> =
        run.records("bug").into_iter().filter(|bug| bug["counts_as"] == "failed").collect();
    assert_eq!(read["counts"], serde_json::json!([3, 2, 0, 0]));
    assert_eq!(
        read["time"].as_f64().map(|t| (t * 1e3).round()),
        run.json(&["stats"])["wall_s"].as_f64().map(|t| (t * 1e3).round())
    );
    let cases = read["cases"].as_array().unwrap();
    assert_eq!(cases[0], serde_json::json!(["all paths are explored", []]));
    for (case, bug) in cases[1..].iter().zip(&bugs) {
        let name = format!("{} at {}", bug["kind"].as_str().unwrap(), bug["place"].as_str().unwrap());
        assert_eq!(case[0].as_str(), Some(name.as_str()));
        let [kind, message, text] = [0, 1, 2].map(|i| case[1][0][i].as_str().unwrap());
        assert_eq!((kind, Some(message)), ("Failure", bug["message"].as_str()));
        assert!(
            text.contains("#0 ")
                && text.contains("Input: ")
                && text.contains(&format!("Test {};", bug["test"])),
            "{text}"
        );
    }
    let read = python(script, &[&Explored::new(clean, &[], 0).report("junit")]);
    assert_eq!(read["counts"], serde_json::json!([2, 0, 0, 0]));
    assert_eq!(read["cases"][1], serde_json::json!(["no bug on any explored path", []]));
    let stopped = Explored::new(clean, &["--max-paths", "1"], 4);
    let read = python(script, &[&stopped.report("junit")]);
    assert_eq!(read["counts"], serde_json::json!([2, 0, 0, 1]));
    let [kind, message] = [0, 1].map(|i| read["cases"][0][1][0][i].as_str().unwrap());
    assert!(kind == "Skipped" && message.contains("`cleave resume` goes on there"), "{read}");
}

/// A metric as the parser gives it: its type, what it means, and its samples by their labels.
type Metrics = BTreeMap<String, (String, String, Vec<(BTreeMap<String, String>, f64)>)>;

#[test]
fn prometheus_reads_all_figures_of_the_account() {
    let run =
        Explored::new(PROGRAM, &["--check", "leak", "--check", "-uninitialised", "--max-paths", "9"], 3);
    let script = "import json, sys\nfrom prometheus_client.parser import text_string_to_metric_families as read\n\
        print(json.dumps({m.name: [m.type, m.documentation, [[s.labels, s.value] for s in m.samples]]\n\
        for m in read(open(sys.argv[1]).read())}))";
    let metrics: Metrics = serde_json::from_value(python(script, &[&run.report("prometheus")])).unwrap();
    let account = run.json(&["stats"]);
    let mut left: Vec<String> = metrics.keys().cloned().collect();
    let mut leaves = Vec::new();
    figures("", &account, &mut leaves);
    assert!(leaves.len() > 40, "{leaves:?}");
    for (name, value) in leaves {
        let plain = name.strip_prefix("other.").unwrap_or(&name).replace('.', "_");
        let (plain, scale) = match plain.strip_suffix("_nanos") {
            Some(stem) => (format!("{stem}_seconds"), 1e9),
            None => (plain.strip_suffix("_s").map_or(plain.clone(), |stem| format!("{stem}_seconds")), 1.0),
        };
        let expected =
            |sample: &(BTreeMap<String, String>, f64)| (sample.1 - value / scale).abs() <= 1e-9 * value.abs();
        if let Some((_, about, samples)) = metrics.get(&format!("cleave_{plain}")) {
            assert!(
                !about.is_empty() && samples.len() == 1 && expected(&samples[0]),
                "{name}: {samples:?}, not {value}"
            );
            left.retain(|other| *other != format!("cleave_{plain}"));
            continue;
        }
        // A table: its name, then a label.
        let (table, key) = name.split_once('.').unwrap_or_else(|| panic!("{name} is missing"));
        let (_, _, samples) = &metrics[&format!("cleave_{table}")];
        let found = samples.iter().find(|(labels, _)| labels.values().any(|label| label == key));
        assert!(found.is_some_and(expected), "{name}: {samples:?}, not {value}");
    }
    for name in left {
        let (_, _, samples) = &metrics[&name];
        // Counters that were never counted, and tables.
        let known =
            name == "cleave_run_info" || samples.iter().all(|(labels, n)| *n == 0.0 || labels.len() == 2);
        assert!(known, "{name} is not in the account: {samples:?}");
    }
    let kind = |name: &str| metrics[name].0.as_str();
    assert_eq!(
        [kind("cleave_instructions"), kind("cleave_paths_cut"), kind("cleave_open_regions")],
        ["counter", "gauge", "gauge"]
    );
    assert_eq!(metrics["cleave_run_info"].2[0].0["verdict"], "bugs");
}

/// The numbers of an account, with dots between names.
fn figures(name: &str, value: &Value, into: &mut Vec<(String, f64)>) {
    match value {
        Value::Object(fields) if name != "options" => {
            for (inner, value) in fields {
                let name = if name.is_empty() { inner.clone() } else { format!("{name}.{inner}") };
                figures(&name, value, into);
            }
        }
        Value::Number(n) => into.push((name.to_string(), n.as_f64().unwrap())),
        _ => {}
    }
}

#[test]
fn inferno_draws_the_instructions_of_all_paths() {
    let run = Explored::usual();
    let text = std::fs::read_to_string(run.report("folded")).unwrap();
    let counts: Vec<(&str, u64)> = text
        .lines()
        .map(|line| line.rsplit_once(' ').unwrap())
        .map(|(s, n)| (s, n.parse().unwrap()))
        .collect();
    let sum =
        |part: &dyn Fn(&str) -> bool| counts.iter().filter(|(s, _)| part(s)).map(|(_, n)| n).sum::<u64>();
    // Depth-first on one worker nothing is executed twice.
    let instructions = run.json(&["stats"])["instructions"].as_u64().unwrap();
    assert_eq!(sum(&|_| true), instructions);
    // 5,000 rounds on one path and 50 on another, each of two blocks.
    let heavy = sum(&|stack| stack.ends_with(";main;heavy"));
    assert!(heavy > 5_000 * 8 && heavy > instructions / 2, "{heavy} of {instructions}");
    let mut drawn = Vec::new();
    inferno::flamegraph::from_lines(&mut inferno::flamegraph::Options::default(), text.lines(), &mut drawn)
        .unwrap();
    let drawn = String::from_utf8(drawn).unwrap();
    let digits = |n: u64| {
        let text = n.to_string();
        let groups: Vec<&str> =
            text.as_bytes().rchunks(3).rev().map(|g| std::str::from_utf8(g).unwrap()).collect();
        groups.join(",")
    };
    assert!(
        drawn.contains(&format!("<title>all ({} samples, 100%)</title>", digits(instructions))),
        "{instructions}"
    );
    assert!(drawn.contains(&format!("<title>heavy ({} samples, ", digits(heavy))), "{heavy}");
}

/// `klee-stats` adds up, divides and names; the columns and their values are looked at here. If CLEAVE_KLEE_STATS names
/// KLEE's own script, it reads the file too.
#[test]
fn run_stats_has_the_account_in_klees_columns() {
    let run =
        Explored::new(PROGRAM, &["--check", "leak", "--check", "-uninitialised", "--max-paths", "9"], 3);
    succeeded(cleave().args(["report", "--to", "klee-stats"]).arg(&run.run));
    let db = rusqlite::Connection::open(run.run.join("run.stats")).unwrap();
    let value = |column: &str| -> u64 {
        db.query_row(&format!("SELECT {column} FROM stats"), [], |row| row.get(0)).unwrap()
    };
    let (account, coverage) = (run.json(&["stats"]), run.json(&["coverage"]));
    let of = |pointer: &str| account.pointer(pointer).and_then(Value::as_u64).unwrap();
    let micros = |pointer: &str| (account.pointer(pointer).and_then(Value::as_f64).unwrap() * 1e6) as u64;
    let branches: Vec<usize> = coverage["branches"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|branch| branch["taken"].as_array().filter(|sides| sides.len() == 2))
        .map(|sides| sides.iter().filter(|taken| **taken == true).count())
        .collect();
    let with = |sides: usize| branches.iter().filter(|n| **n == sides).count() as u64;
    assert!(with(1) > 0 && with(2) > 0 && branches.len() < coverage["branches"].as_array().unwrap().len());
    for (column, expected) in [
        ("Instructions", of("/instructions")),
        ("FullBranches", with(2)),
        ("PartialBranches", with(1)),
        ("NumBranches", branches.len() as u64),
        ("WallTime", micros("/wall_s")),
        ("UserTime", micros("/busy_seconds")),
        ("SolverTime", micros("/solver_seconds")),
        ("Queries", of("/other/solver_questions")),
        ("SolverQueries", of("/smt_calls")),
        ("NumStates", of("/open_regions")),
        ("States", of("/paths/completed") + of("/paths/failed") + of("/open_regions")),
        ("MallocUsage", of("/peak_memory_bytes")),
        ("TerminationExit", of("/paths/completed")),
        ("TerminationProgramError", of("/paths/failed")),
        ("TerminationEarly", 0),
        ("ExternalCalls", 0),
    ] {
        assert_eq!(value(column), expected, "{column}");
    }
    assert!(of("/open_regions") > 0 && of("/paths/failed") > 0, "{account}");
    let page =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/klee.md")).unwrap();
    let mut columns = db.prepare("SELECT * FROM stats").unwrap();
    assert_eq!(columns.query([]).unwrap().mapped(|_| Ok(())).count(), 1);
    for column in columns.column_names() {
        assert!(page.contains(&format!("`{column}`")), "docs/klee.md has no {column}");
    }
    let Some(script) = std::env::var_os("CLEAVE_KLEE_STATS") else { return };
    let script_and = "import json, subprocess, sys\nprint(json.dumps(subprocess.check_output([sys.executable, *sys.argv[1:4],\n\
        '--table-format=csv'], text=True)))";
    let said = python(script_and, &[Path::new(&script), Path::new("--print-all"), &run.run]);
    let mut lines = said.as_str().unwrap().lines().map(|line| line.split(',').map(str::trim));
    let (names, values) = (lines.next().unwrap(), lines.next().unwrap());
    let table: BTreeMap<&str, &str> = names.zip(values).collect();
    assert_eq!(table["Instrs"], of("/instructions").to_string());
    let covered = 100.0 * (2 * with(2) + with(1)) as f64 / (2 * branches.len()) as f64;
    assert_eq!(table["BCov(%)"], format!("{covered:.2}"));
    assert_eq!(table["TermProgrErr"], of("/paths/failed").to_string());
    assert_eq!(table["Time(s)"], format!("{:.2}", account["wall_s"].as_f64().unwrap()));
}

#[test]
fn a_form_that_is_unknown_or_needs_debug_information_is_said() {
    let run = Explored::new("int main(int argc, char **argv) { return argc; }", &[], 0);
    let said = |arguments: &[&str], run: &Path| {
        let output = cleave().arg("report").args(arguments).arg(run).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, text) = said(&["--to", "pdf"], &run.run);
    assert!(
        code == Some(2)
            && text.contains(
                "the formats are html, lcov, cobertura, sarif, junit, markdown, prometheus, folded, klee-stats"
            ),
        "{text}"
    );
    let plain = run.folder.join("plain");
    succeeded(cleave().args(["cc", "-g0", "-o"]).arg(&plain).arg(run.folder.join("prog.c")));
    let bare = run.folder.join("bare");
    succeeded(cleave().args(["run", "--workers", "1", "--output-dir"]).arg(&bare).arg(&plain));
    let (code, text) = said(&["--to", "lcov"], &bare);
    assert!(code == Some(1) && text.contains("compile it with -g"), "{text}");
    assert_eq!(said(&["--to", "junit"], &bare).0, Some(0));
    // To standard output.
    let output = succeeded(cleave().args(["report", "--to", "junit"]).arg(&run.run).arg("-"));
    assert!(output.stdout.starts_with(b"<?xml"));
}
