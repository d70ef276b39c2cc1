//! `cleave simulate` on real runs, from outside.

mod session;

use session::*;

use serde_json::Value;

#[test]
fn a_run_is_simulated_with_other_numbers_of_workers_and_every_policy() {
    let folder = tempfile::tempdir().unwrap();
    let program = bits(folder.path(), 8, 300);
    let (directory, picture) = (folder.path().join("run"), folder.path().join("speed-up.svg"));
    succeeded(&run(&directory, &["--workers", "2"], &program, &[]));
    let simulate = |more: &[&str]| {
        let options = ["simulate", "--policy", "ranges,static,test-depth,parsym", "--workers", "1,3,700"];
        succeeded(&cleave(options.iter().chain(more).chain([&path_text(&directory)])))
    };
    let told = simulate(&["--json", "--svg", path_text(&picture)]);
    assert_eq!(told, simulate(&["--json"]), "the same each time");
    let runs: Value = serde_json::from_str(&told).unwrap();
    let rows = runs[0]["rows"].as_array().unwrap();
    assert_eq!((runs[0]["paths"].as_u64(), rows.len()), (Some(256), 12));
    assert!(rows.iter().all(|row| row["paths"] == 256 && row["wall_s"].as_f64().unwrap() > 0.0), "{told}");
    assert_eq!(runs[0]["missing"], Value::Null);
    assert_eq!(std::fs::read_to_string(&picture).unwrap().matches("<polyline").count(), 4);

    let slow: Value = serde_json::from_str(&simulate(&["--json", "--ms-per-path", "10"])).unwrap();
    let serial = slow[0]["serial_s"].as_f64().unwrap();
    assert!((serial - 2.56).abs() < 0.01, "{serial}");
    let speed_up = |row: usize| slow[0]["rows"][row]["speed_up"].as_f64().unwrap();
    assert!(speed_up(0) > 0.98 && speed_up(1) > 2.0 && speed_up(1) <= 3.0, "{slow}");
    assert!(simulate(&[]).contains("efficiency"), "a table for people");
}

#[test]
fn what_a_simulation_leaves_out_is_said_and_what_is_no_run_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let program = bits(folder.path(), 8, 0);
    let directory = folder.path().join("run");
    succeeded(&run(&directory, &["--workers", "1", "--max-paths", "20"], &program, &[]));
    let told = succeeded(&cleave(["simulate", "--workers", "2", path_text(&directory)]));
    assert!(told.contains("20 paths") && told.contains("open regions"), "{told}");
    refused(&cleave(["simulate", path_text(folder.path())]), &["is no run directory"]);
    succeeded(&run(&folder.path().join("none"), &["--max-paths", "0"], &program, &[]));
    refused(&cleave(["simulate", path_text(&folder.path().join("none"))]), &["no finished paths"]);
}
