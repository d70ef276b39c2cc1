//! `action.yml` and the examples for CI: as their schemas say, and run step by step by a small simulation of the runner.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{cleave, limited, succeeded};

/// A bug that depth-first exploration finds among the last paths, and then a clean program.
const WITH_BUG: &str = "#include <stdlib.h>\nint main(int n, char **v) {\n  if (n < 2) return 0;\n  int found = 0;\n\
    for (char *p = v[1]; *p; p++) if (*p == 'a') found++;\n  if (found == 0) abort();\n  return found;\n}\n";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn tool(name: &str) -> std::process::Command {
    let tool = root().join("build/python/bin").join(name);
    assert!(tool.exists(), "build/python has the tools of this test: scripts/setup.sh tests makes it");
    limited(tool)
}

fn yaml(file: &Path) -> Value {
    let script = "import json, sys, yaml; print(json.dumps({str(k): v for k, v in yaml.safe_load(open(sys.argv[1])).items()}))";
    let output = succeeded(tool("python").args(["-c", script]).arg(file));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A runner: what it keeps between jobs, and the job at hand.
struct Runner {
    folder: tempfile::TempDir,
    inputs: BTreeMap<String, String>,
    /// Folders that were saved, by key, the latest last.
    cache: Vec<(String, PathBuf)>,
    jobs: u32,
    /// The branch, and the one that a pull request of it is for.
    branch: String,
    base: String,
}

/// End of a job.
struct Done {
    ok: bool,
    outputs: BTreeMap<String, String>,
    uploaded: Option<String>,
    said: String,
    /// The summary of the job, and the comment on the pull request.
    summary: String,
    comment: Option<String>,
}

impl Runner {
    fn new() -> Runner {
        let folder = tempfile::tempdir().unwrap();
        // GitHub's own tool, as far as the action uses it.
        let tools = folder.path().join("tools");
        std::fs::create_dir(&tools).unwrap();
        let tool = "#!/usr/bin/env bash\n[ \"$GH_TOKEN $1 $2 $3 $4 $5 $6\" = 'secret pr comment 12 --edit-last --create-if-none --body-file' ] && cat \"$7\" > ../comment\n";
        std::fs::write(tools.join("gh"), tool).unwrap();
        assert!(limited("chmod").arg("+x").arg(tools.join("gh")).status().unwrap().success());
        let (inputs, cache) = (BTreeMap::new(), Vec::new());
        Runner { folder, inputs, cache, jobs: 0, branch: "main".into(), base: String::new() }
    }

    fn workspace(&self) -> PathBuf {
        self.folder.path().join("work space")
    }

    /// A text with what stands in `${{ }}` replaced.
    fn filled(&self, text: &str, outputs: &BTreeMap<String, String>) -> String {
        let mut parts = text.split("${{ ");
        let mut filled = parts.next().unwrap().to_string();
        for part in parts {
            let (name, rest) = part.split_once(" }}").unwrap();
            let value = match name.split('.').collect::<Vec<_>>()[..] {
                ["inputs", input] => self.inputs[input].clone(),
                ["github", "action_path"] => root().display().to_string(),
                ["github", "run_id"] => self.jobs.to_string(),
                ["github", "ref_name"] => self.branch.clone(),
                ["github", "base_ref"] => self.base.clone(),
                ["github", "token"] => "secret".into(),
                ["github", "event", "pull_request", "number"] => "12".into(),
                ["github", _] => "1".into(),
                ["steps", _, "outputs", output] => outputs[output].clone(),
                _ => panic!("{name}"),
            };
            filled.push_str(&value);
            filled.push_str(rest);
        }
        filled
    }

    /// Returns true if a step is run in a job; `ok` is true if all went well so far.
    fn wanted(&self, step: &Value, ok: bool, explored: bool) -> bool {
        match step["if"].as_str() {
            None => ok,
            Some("inputs.cleave == ''") => ok && self.inputs["cleave"].is_empty(),
            Some("inputs.upload-sarif == 'true'") => ok && self.inputs["upload-sarif"] == "true",
            Some("github.base_ref != ''") => ok && !self.base.is_empty(),
            Some("inputs.comment == 'true' && github.event_name == 'pull_request'") => {
                ok && self.inputs["comment"] == "true" && !self.base.is_empty()
            }
            Some("always() && steps.explore.outcome == 'success'") => explored,
            Some(other) => panic!("{other}"),
        }
    }

    /// Runs the steps of the action in a fresh workspace with this program.
    fn job(&mut self, code: &str, changes: &[(&str, &str)]) -> Done {
        let action = yaml(&root().join("action.yml"));
        self.inputs.clear();
        for (name, input) in action["inputs"].as_object().unwrap() {
            self.inputs.insert(name.clone(), input["default"].as_str().unwrap_or_default().into());
        }
        self.inputs.insert("cleave".into(), env!("CARGO_BIN_EXE_cleave").into());
        for (name, value) in changes {
            assert!(self.inputs.insert(name.to_string(), value.to_string()).is_some(), "{name}");
        }
        let space = self.workspace();
        let _ = std::fs::remove_dir_all(&space);
        std::fs::create_dir(&space).unwrap();
        std::fs::write(space.join("prog.c"), code).unwrap();
        self.jobs += 1;
        let (summary, comment) = (self.folder.path().join("summary"), self.folder.path().join("comment"));
        let _ = [&summary, &comment].map(std::fs::remove_file);
        let (outputs, said) = (BTreeMap::new(), String::new());
        let mut done =
            Done { ok: true, outputs, uploaded: None, said, summary: String::new(), comment: None };
        let (mut paths, mut explored) = (Vec::new(), false);
        for step in action["runs"]["steps"].as_array().unwrap() {
            if !self.wanted(step, done.ok, explored) {
                continue;
            }
            if let Some(uses) = step["uses"].as_str() {
                self.provided(uses, &step["with"], &mut done);
                continue;
            }
            done.ok = self.shell(step, &mut paths, &mut done);
            explored |= step["id"] == "explore" && done.ok;
        }
        done.summary = std::fs::read_to_string(summary).unwrap_or_default();
        done.comment = std::fs::read_to_string(comment).ok();
        done
    }

    /// Does what the action of somebody else does.
    fn provided(&mut self, uses: &str, with: &Value, done: &mut Done) {
        let text = |name: &str| self.filled(with[name].as_str().unwrap(), &done.outputs);
        let copy = |from: &Path, to: &Path| {
            assert!(limited("cp").args(["-a", "-T"]).args([from, to]).status().unwrap().success());
        };
        match uses {
            "actions/cache/restore@v4" => {
                let start = text("restore-keys");
                if let Some((_, kept)) = self.cache.iter().rev().find(|(key, _)| key.starts_with(&start)) {
                    copy(kept, &self.workspace().join(text("path")));
                }
            }
            "actions/cache/save@v4" => {
                let kept = self.folder.path().join(format!("cache{}", self.cache.len()));
                copy(&self.workspace().join(text("path")), &kept);
                let key = text("key");
                assert!(self.cache.iter().all(|(other, _)| *other != key), "{key} is saved twice");
                self.cache.push((key, kept));
            }
            "github/codeql-action/upload-sarif@v3" => {
                let file = self.workspace().join(text("sarif_file"));
                done.uploaded = Some(std::fs::read_to_string(file).unwrap());
            }
            _ => panic!("the action uses {uses}, of which this runner knows nothing"),
        }
    }

    /// Runs a script as the runner does; whether it succeeded.
    fn shell(&self, step: &Value, paths: &mut Vec<String>, done: &mut Done) -> bool {
        assert_eq!(step["shell"], "bash");
        let file = |name: &str| self.folder.path().join(name);
        std::fs::write(file("script"), self.filled(step["run"].as_str().unwrap(), &done.outputs)).unwrap();
        ["output", "path"].iter().for_each(|name| std::fs::write(file(name), "").unwrap());
        let mut bash = limited("bash");
        bash.args(["--noprofile", "--norc", "-eo", "pipefail"])
            .arg(file("script"))
            .current_dir(self.workspace());
        bash.env("GITHUB_OUTPUT", file("output")).env("GITHUB_PATH", file("path"));
        bash.env("GITHUB_STEP_SUMMARY", file("summary"));
        let usual = [file("tools").display().to_string(), std::env::var("PATH").unwrap()];
        bash.env("PATH", paths.iter().rev().cloned().chain(usual).collect::<Vec<_>>().join(":"));
        for (name, value) in step["env"].as_object().into_iter().flatten() {
            bash.env(name, self.filled(value.as_str().unwrap(), &done.outputs));
        }
        let output = bash.output().unwrap();
        done.said += &String::from_utf8_lossy(&[output.stdout, output.stderr].concat());
        let lines = |name: &str| std::fs::read_to_string(file(name)).unwrap();
        paths.extend(lines("path").lines().map(String::from));
        let outputs = lines("output");
        let pairs = outputs.lines().filter_map(|line| line.split_once('='));
        done.outputs.extend(pairs.map(|(name, value)| (name.to_string(), value.to_string())));
        output.status.success()
    }

    /// The account of the run.
    fn account(&self) -> Value {
        let run = self.workspace().join("cleave-run");
        serde_json::from_slice(&succeeded(cleave().args(["stats", "--json"]).arg(run)).stdout).unwrap()
    }
}

#[test]
fn the_action_explores_goes_on_and_judges() {
    let mut runner = Runner::new();
    let usual = [
        ("program", "prog"),
        ("build", "cleave cc -g -O0 -o prog prog.c"),
        ("arguments", "--sym-arg '4'"),
        ("limits", "--workers 1 --max-paths 3"),
    ];
    // Limits end the first job before anything is wrong.
    let first = runner.job(WITH_BUG, &usual);
    assert!(first.ok && first.outputs["verdict"] == "incomplete", "{}", first.said);
    assert!(first.uploaded.is_some_and(|sarif| sarif.contains("\"results\": []")));
    let ended = |account: &Value| {
        account["paths"]["completed"].as_u64().unwrap() + account["paths"]["failed"].as_u64().unwrap()
    };
    assert_eq!(ended(&runner.account()), 3);
    // The second goes on with it, to the bug; the finding is uploaded and the job fails.
    let more = [&usual[..3], &[("limits", "--workers 1")]].concat();
    let second = runner.job(WITH_BUG, &more);
    assert!(!second.ok && second.outputs["verdict"] == "bugs", "{}", second.said);
    assert!(
        second.said.contains("going on with cleave-run") && second.said.contains("which fails this job"),
        "{}",
        second.said
    );
    let account = runner.account();
    assert_eq!((account["sessions"].as_u64(), account["bugs"].as_u64()), (Some(2), Some(1)));
    let whole = ended(&account);
    assert!(second.uploaded.is_some_and(|sarif| sarif.contains("\"ruleId\": \"abort\"")));
    for report in ["report.html", "junit.xml", "coverage.xml"] {
        assert!(runner.workspace().join("cleave-reports").join(report).is_file(), "{report}");
    }
    // The third has nothing to do, and says the same; by another policy that is no failure.
    let third =
        runner.job(WITH_BUG, &[&more[..], &[("fail-on", "none"), ("upload-sarif", "false")]].concat());
    assert!(third.ok && third.outputs["verdict"] == "bugs" && third.uploaded.is_none(), "{}", third.said);
    assert_eq!(ended(&runner.account()), whole);
    // Another program begins anew.
    let fourth = runner.job(&WITH_BUG.replace("abort()", "return 7"), &more);
    assert!(
        fourth.ok && fourth.outputs["verdict"] == "clean" && !fourth.said.contains("going on"),
        "{}",
        fourth.said
    );
    assert_eq!(runner.account()["sessions"], 1);
    // An error ends the job: a program that was not built, a policy that nobody knows.
    let fifth = runner.job(WITH_BUG, &[("program", "gone")]);
    assert!(!fifth.ok && fifth.said.contains("there is no program gone"), "{}", fifth.said);
    let sixth = runner.job(WITH_BUG, &[&more[..], &[("fail-on", "bug")]].concat());
    assert!(!sixth.ok && sixth.said.contains("the policy knows no `bug`"), "{}", sixth.said);
    let limited =
        runner.job(WITH_BUG, &[&usual[..], &[("fail-on", "bugs incomplete"), ("cache-key", "own")]].concat());
    assert!(!limited.ok && limited.outputs["verdict"] == "incomplete", "{}", limited.said);
}

/// Functions that a pull request changes, one at a time.
const PARTS: &str = "#include <stdio.h>\n#include <stdlib.h>\nstatic int half(int n) { return n / 2; }\n\
    static int mark(int c) { return c == 'x'; }\nint main(int n, char **v) {\n  if (n < 2) return 9;\n\
    \x20 if (mark(v[1][0])) { puts(\"marked\"); return half(6); }\n  if (v[1][0] == 'y') return 4;\n  return 0;\n}\n";

#[test]
fn a_pull_request_is_told_what_it_does_to_the_branch_that_it_is_for() {
    let mut runner = Runner::new();
    let usual = [
        ("program", "prog"),
        ("build", "cleave cc -g -O0 -o prog prog.c"),
        ("arguments", "--sym-arg 2"),
        ("limits", "--workers 1"),
        ("comment", "true"),
    ];
    // The branch: nothing to compare with, and no pull request.
    let first = runner.job(PARTS, &usual);
    assert!(
        first.ok && first.summary.starts_with("### Cleave: no bug\n") && first.comment.is_none(),
        "{}",
        first.said
    );
    let pull = |runner: &mut Runner, branch: &str, code: &str| {
        (runner.branch, runner.base) = (branch.into(), "main".into());
        let done = runner.job(code, &usual);
        assert!(done.said.contains("beginning with cleave-run-base"), "{}", done.said);
        assert_eq!(done.comment.as_ref(), Some(&done.summary), "{}", done.said);
        done
    };
    // One brings a bug.
    let bug = PARTS.replace("return n / 2", "return n / (n - 6)");
    let done = pull(&mut runner, "1/merge", &bug);
    assert!(!done.ok && done.outputs["verdict"] == "bugs", "{}", done.said);
    let told = &done.summary;
    assert!(told.starts_with("### Cleave: 1 new bug\n") && told.contains("| new | division: "), "{told}");
    assert!(
        told.contains(" of before end otherwise or print something else now:")
            || told.contains(" of before ends otherwise or prints something else now:"),
        "{told}"
    );
    assert!(told.contains("| exit 3 | division in half |"), "{told}");
    assert!(done.uploaded.is_some_and(|sarif| sarif.contains("\"baselineState\": \"new\"")));
    // Its next push mends it; it is compared with the branch, not with the push before.
    let done = pull(&mut runner, "1/merge", PARTS);
    assert!(done.ok && done.summary.contains("no function differs"), "{}{}", done.said, done.summary);
    // One changes nothing that is executed.
    let done =
        pull(&mut runner, "2/merge", &PARTS.replace("static int mark", "/* a comment */\n\nstatic int mark"));
    let told = &done.summary;
    assert!(
        done.ok && told.starts_with("### Cleave: no new bug\n") || told.starts_with("### Cleave: no bug\n"),
        "{told}"
    );
    assert!(
        told.contains("no function differs") && told.contains(" inputs of before end and print as they did."),
        "{told}"
    );
    // One prints something else for one input.
    let done = pull(&mut runner, "3/merge", &PARTS.replace("\"marked\"", "\"MARKED\""));
    assert!(done.summary.contains("| exit 3 | exit 3, with other output |"), "{}", done.summary);
    // The bug comes to the branch, and one mends it.
    (runner.branch, runner.base) = ("main".into(), String::new());
    let sixth = runner.job(&bug, &[&usual[..], &[("fail-on", "none")]].concat());
    assert!(
        sixth.ok && sixth.summary.starts_with("### Cleave: 1 new bug\n"),
        "{}{}",
        sixth.said,
        sixth.summary
    );
    let done = pull(&mut runner, "4/merge", PARTS);
    assert!(done.ok && done.summary.contains("| fixed | division: "), "{}{}", done.said, done.summary);
    assert_eq!(runner.jobs, 7);
}

#[test]
fn the_files_for_ci_are_as_their_schemas_say() {
    for (schema, file) in [
        ("vendor.github-actions", "action.yml"),
        ("vendor.github-workflows", "examples/ci/github.yml"),
        ("vendor.gitlab-ci", "examples/ci/gitlab.yml"),
    ] {
        let output = tool("check-jsonschema")
            .args(["--builtin-schema", schema])
            .arg(root().join(file))
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{file}: {}",
            String::from_utf8_lossy(&[output.stdout, output.stderr].concat())
        );
    }
    // The action has all inputs that the example gives, and the page has all of them.
    let action = yaml(&root().join("action.yml"));
    let with = yaml(&root().join("examples/ci/github.yml"))["jobs"]["explore"]["steps"][1]["with"].clone();
    let page = std::fs::read_to_string(root().join("docs/ci.md")).unwrap();
    for name in with.as_object().unwrap().keys() {
        assert!(action["inputs"].get(name).is_some(), "{name}");
    }
    for name in action["inputs"].as_object().unwrap().keys() {
        assert!(page.contains(&format!("`{name}`")), "docs/ci.md has no `{name}`");
    }
}

#[test]
fn the_lines_of_the_example_for_gitlab_explore_and_go_on() {
    let job = yaml(&root().join("examples/ci/gitlab.yml"))["explore"].clone();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("prog.c"), WITH_BUG).unwrap();
    // Makes the results of the first lines.
    let built = folder.path().join(".cleave/target/release");
    std::fs::create_dir_all(&built).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_cleave"), built.join("cleave")).unwrap();
    std::os::unix::fs::symlink(root().join("scripts"), folder.path().join(".cleave/scripts")).unwrap();
    std::fs::write(folder.path().join(".cleave/Makefile"), "build sysroot:\n").unwrap();
    let lines = ["before_script", "script"].iter().flat_map(|part| job[*part].as_array().unwrap());
    let script: Vec<&str> = lines.map(|line| line.as_str().unwrap()).collect();
    let run = |limits: &str| {
        let mut bash = limited("bash");
        bash.args(["-eo", "pipefail", "-c", &script.join("\n")]).current_dir(folder.path());
        for (name, value) in job["variables"].as_object().unwrap() {
            bash.env(name, value.as_str().unwrap());
        }
        let output = bash.env("CLEAVE_LIMITS", limits).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
    };
    let (code, said) = run("--workers 1 --max-paths 1");
    assert_eq!(code, Some(0), "{said}");
    let (code, said) = run("--workers 1");
    assert!(code == Some(1) && said.contains("going on with cleave-run"), "{said}");
    let reports = &job["artifacts"]["reports"];
    for file in [&reports["junit"], &reports["coverage_report"]["path"]] {
        assert!(folder.path().join(file.as_str().unwrap()).is_file(), "{file}");
    }
}
