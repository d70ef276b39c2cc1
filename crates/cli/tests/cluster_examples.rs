//! The examples of `examples/cluster` are what those who read them take: systemd, Slurm, Kubernetes, docker compose. And each
//! command of Cleave in them is one.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::place::*;
use crate::session::*;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn example(name: &str) -> PathBuf {
    root().join("examples/cluster").join(name)
}

fn tool(name: &str) -> Command {
    let tool = root().join("build/python/bin").join(name);
    assert!(tool.exists(), "build/python has the tools of this test: scripts/setup.sh tests makes it");
    Command::new(tool)
}

/// Output of a command; it has to succeed.
#[track_caller]
fn agreed(command: &mut Command) -> String {
    let shown = format!("{command:?}");
    let output =
        command.output().unwrap_or_else(|e| panic!("{shown}: {e}; scripts/setup.sh tests installs it"));
    let said = said(&output);
    assert!(output.status.success(), "{shown}: {said}");
    said
}

fn said(output: &Output) -> String {
    text(&[&output.stdout[..], &output.stderr].concat())
}

/// The documents of a file.
fn documents(name: &str) -> Vec<Value> {
    let script =
        "import json, sys, yaml; print(json.dumps([d for d in yaml.safe_load_all(open(sys.argv[1]))]))";
    serde_json::from_str(&agreed(tool("python").args(["-c", script]).arg(example(name)))).unwrap()
}

/// The unit, with the Cleave of this test and a folder of credentials.
fn unit(folder: &Path) -> String {
    let unit = std::fs::read_to_string(example("cleave-join.service")).unwrap();
    assert!(unit.contains("ExecStart=/usr/local/bin/cleave join "), "{unit}");
    let unit = unit.replace("/usr/local/bin/cleave", CLEAVE);
    std::fs::write(folder.join("cleave-join.service"), &unit).unwrap();
    unit
}

#[test]
fn systemd_takes_the_unit_and_sees_what_is_wrong_with_another() {
    let folder = tempfile::tempdir().unwrap();
    let sound = unit(folder.path());
    let verify = |name: &str| {
        let mut command = Command::new("systemd-analyze");
        command
            .arg("verify")
            .arg(folder.path().join(name))
            .output()
            .expect("scripts/setup.sh tests installs it")
    };
    let output = verify("cleave-join.service");
    assert!(output.status.success() && said(&output).is_empty(), "{}", said(&output));
    std::fs::write(folder.path().join("wrong.service"), sound.replace("Restart=always", "Restart=sometimes"))
        .unwrap();
    assert!(said(&verify("wrong.service")).contains("sometimes"));
}

#[test]
fn slurm_takes_the_array_and_sees_what_is_wrong_with_another() {
    let folder = tempfile::tempdir().unwrap();
    let script = example("join.sbatch");
    agreed(Command::new("shellcheck").arg(&script));
    // It reads the whole script, and then looks for a controller, which is not there.
    std::fs::write(
        folder.path().join("slurm.conf"),
        "ClusterName=none\nSlurmctldHost=localhost\nMessageTimeout=2\n",
    )
    .unwrap();
    let test_only = |script: &Path| {
        let mut command = Command::new("timeout");
        command.args(["60", "sbatch", "--test-only"]).arg(script);
        let output = command.env("SLURM_CONF", folder.path().join("slurm.conf")).output().unwrap();
        said(&output)
    };
    let told = test_only(&script);
    assert!(told.contains("slurm controller"), "scripts/setup.sh tests installs sbatch: {told}");
    let text = std::fs::read_to_string(&script).unwrap();
    for (right, wrong) in [
        ("--requeue", "--requeueing"),
        ("--time=04:00:00", "--time=four"),
        ("--mem-per-cpu=1G", "--mem-per-cpu=much"),
    ] {
        let other = folder.path().join("wrong.sbatch");
        assert!(text.contains(right));
        std::fs::write(&other, text.replace(right, wrong)).unwrap();
        let told = test_only(&other);
        assert!(!told.contains("slurm controller"), "{wrong}: {told}");
    }
}

#[test]
fn kubernetes_takes_each_object_strictly_and_sees_what_is_wrong_with_another() {
    let script = "import sys, yaml, kubernetes_validate as k\n\
        version = k.latest_version()\n\
        documents = list(yaml.safe_load_all(open(sys.argv[1])))\n\
        for d in documents: k.validate(d, version, strict=True)\n\
        print(' '.join(d['kind'] for d in documents))";
    let judge = |file: &Path| tool("python").args(["-c", script]).arg(file).output().unwrap();
    let output = judge(&example("kubernetes.yaml"));
    assert!(output.status.success(), "{}", said(&output));
    let kinds = text(&output.stdout);
    assert_eq!(
        kinds.trim(),
        "Deployment Service NetworkPolicy PersistentVolumeClaim PersistentVolumeClaim Job Job"
    );
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("wrong.yaml");
    let right = std::fs::read_to_string(example("kubernetes.yaml")).unwrap();
    for (sound, wrong) in
        [("parallelism: 16", "parallelism: many"), ("backoffLimit: 1000", "backOffLimit: 1000")]
    {
        assert!(right.contains(sound));
        std::fs::write(&other, right.replace(sound, wrong)).unwrap();
        assert!(!judge(&other).status.success(), "{wrong}");
    }
}

#[test]
fn the_compose_file_is_as_its_schema_says() {
    let judge = |file: &Path| {
        tool("check-jsonschema").args(["--builtin-schema", "vendor.compose-spec"]).arg(file).output().unwrap()
    };
    let output = judge(&example("compose.yaml"));
    assert!(output.status.success(), "{}", said(&output));
    let folder = tempfile::tempdir().unwrap();
    let other = folder.path().join("wrong.yaml");
    let right = std::fs::read_to_string(example("compose.yaml")).unwrap();
    std::fs::write(&other, right.replace("depends_on: [nats]", "depends_on: nats")).unwrap();
    assert!(!judge(&other).status.success());
}

/// The words of a line, with quotes as in a shell.
fn words(line: &str) -> Vec<String> {
    let mut bash = Command::new("bash");
    bash.args(["-c", &format!("printf '%s\\n' {line}")]);
    bash.env("CLEAVE_SERVER", "nats://host").env("CLEAVE_KEY", "key").env("CREDENTIALS_DIRECTORY", "/keys");
    bash.env("STATE_DIRECTORY", "/state").env("CLEAVE_STORE", "/store");
    let output = bash.output().unwrap();
    text(&output.stdout).lines().map(String::from).collect()
}

/// The command lines of Cleave in the examples, without its name.
fn commands() -> Vec<Vec<String>> {
    let mut all = Vec::new();
    let strings = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().filter_map(|word| word.as_str().map(String::from)).collect()
    };
    let compose = &documents("compose.yaml")[0]["services"];
    all.push(strings(&compose["join"]["command"]));
    let mut scripts = strings(&compose["run"]["command"]);
    for object in documents("kubernetes.yaml") {
        for container in object["spec"]["template"]["spec"]["containers"].as_array().into_iter().flatten() {
            let command = strings(&container["command"]);
            match command.first().map(String::as_str) {
                Some("cleave") => all.push(command[1..].to_vec()),
                Some("sh") => scripts.extend(strings(&container["args"])),
                _ => {}
            }
        }
    }
    for name in ["join.sbatch", "cleave-join.service"] {
        scripts.push(std::fs::read_to_string(example(name)).unwrap());
    }
    for line in scripts.iter().flat_map(|script| script.lines()) {
        let line = line.trim().trim_start_matches("exec ").trim_start_matches("ExecStart=/usr/local/bin/");
        if let Some(rest) = line.strip_prefix("cleave ") {
            all.push(words(rest));
        }
    }
    all
}

#[test]
fn each_command_of_the_examples_is_one_that_comes_to_its_server() {
    let place = Place::new();
    let program = bits(place.folder.path(), 2, 1);
    let commands = commands();
    let of = |name: &str| commands.iter().filter(|words| words[0] == name).count();
    assert_eq!((of("join"), of("run"), of("resume")), (4, 2, 2), "{commands:?}");
    for mut words in commands {
        if let Some(store) = words.iter().position(|word| word == "--store") {
            words[store + 1] = path_text(&place.at("store")).into();
        }
        let key = words.iter().position(|word| word == "--cluster-key").unwrap() + 1;
        words[key] = path_text(&place.key).into();
        for word in &mut words {
            if word.starts_with("nats://") {
                *word = "nats://127.0.0.1:1".into();
            } else if word == "/prog" || word == "./prog" {
                *word = path_text(&program).into();
            }
        }
        let output = command().current_dir(&place.folder).args(&words).output().unwrap();
        refused(&output, &["cannot connect to nats://127.0.0.1:1"]);
    }
}

#[test]
fn a_task_of_the_array_and_the_unit_explore_a_run_and_leave_when_they_are_told() {
    let place = Place::new();
    // Longer than both need to join, one after the other.
    let program = bits(place.folder.path(), 12, 30_000);
    let directory = place.at("run");
    let coordinator = place.run(&directory, &program);
    let folder = Path::new(CLEAVE).parent().unwrap().display();
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap());
    let task = || {
        let mut task = Command::new(example("join.sbatch"));
        task.env("PATH", &path).env("CLEAVE_SERVER", place.server.url()).env("CLEAVE_KEY", &place.key);
        task.env("CLEAVE_STORE", place.store(1));
        Process::new(task.env("SLURM_CPUS_PER_TASK", "2"))
    };
    let first = task();
    soon("paths", || has_paths(&directory).then_some(()));
    // As Slurm does a minute before the time is over.
    first.signal("-TERM");
    let output = first.output();
    let told = said(&output);
    assert!(output.status.success() && told.contains("with 2 workers") && told.contains("leaving"), "{told}");
    // The command that systemd would start.
    let unit = unit(place.folder.path());
    let start = unit.lines().find_map(|line| line.strip_prefix("ExecStart=")).unwrap();
    let mut service = Command::new("bash");
    service.args(["-c", &format!("exec {start}")]).env("CLEAVE_SERVER", place.server.url());
    service.env("STATE_DIRECTORY", place.store(2));
    let service = Process::new(service.env("CREDENTIALS_DIRECTORY", place.folder.path()));
    succeeded(&coordinator.output());
    assert!(service.output().status.success());
    place.stores.set(2);
    place.is_whole(&directory, 1 << 12);
}
