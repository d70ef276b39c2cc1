//! `cleave simulate` on real runs, from outside.

use std::path::Path;

use serde_json::Value;

use crate::session::*;

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
fn a_tree_of_ten_million_paths_takes_after_a_red_black_tree_and_is_explored_on_nodes_that_are_lost() {
    let folder = tempfile::tempdir().unwrap();
    let (source, directory) = (folder.path().join("rb.c"), folder.path().join("run"));
    let oracle = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs/oracles/rb_put.c");
    std::fs::write(&source, format!("#define N 5\n#include \"{}\"\n", oracle.display())).unwrap();
    succeeded(&run(&directory, &["--workers", "1"], &source, &[]));
    let simulate = |more: &[&str]| {
        let options =
            ["simulate", "--grow", "10000000", "--ms-per-path", "0.05", "--workers", "1,128", "--json"];
        let told = succeeded(&cleave(options.iter().chain(more).chain([&path_text(&directory)])));
        serde_json::from_str::<Value>(&told).unwrap()[0]["grown"].clone()
    };
    let grown = simulate(&["--node-workers", "16"]);
    // The paths are like those of the recorded program, though there are 18,000 times as many.
    let [was, is] = [&grown["recorded_shape"], &grown["grown_shape"]];
    assert_eq!((was["paths"].as_u64(), is["paths"].as_u64()), (Some(541), Some(541)), "{grown}");
    for (name, part) in [("decisions", 0.1), ("instructions", 0.1), ("spread", 0.5)] {
        let (is, was) = (is[name].as_f64().unwrap(), was[name].as_f64().unwrap());
        assert!((is / was - 1.0).abs() < part, "{name}: {is} for {was}");
    }
    let rows = grown["rows"].as_array().unwrap();
    assert!((grown["serial_s"].as_f64().unwrap() - 500.0).abs() < 1.0, "{grown}");
    let efficiency = |row: &Value| row["efficiency"].as_f64().unwrap();
    assert!(rows.iter().all(|row| row["paths"] == 10_000_000u64 && efficiency(row) > 0.9), "{grown}");

    let lost =
        simulate(&["--node-workers", "16", "--lose-node-s", "1", "--silence-s", "1", "--replace-s", "2"]);
    let row = &lost["rows"][1];
    assert!(row["lost"].as_u64() > Some(0) && row["gone"].as_f64() > Some(0.0), "{lost}");
    assert!(efficiency(row) < efficiency(&rows[1]), "{lost}");
    let alone = cleave(["simulate", "--node-workers", "16", path_text(&directory)]);
    assert_eq!(alone.status.code(), Some(2), "nodes without --grow make no sense");
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
