//! Seeds: inputs that users have are run first, and what is near them is explored first; which paths there are does not
//! change.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::session::*;

/// Reads chunks of a tag of four bytes, a length, and that many bytes.
const PARSER: &str = r#"
#include <stdint.h>
#include <string.h>
#include <unistd.h>
int main(void) {
  unsigned char file[40];
  ssize_t n = read(0, file, sizeof file), at = 4;
  int chunks = 0, sum = 0;
  if (n < 4 || memcmp(file, "CLV1", 4) != 0) return 1;
  while (at + 5 <= n && chunks < 3) {
    uint32_t tag;
    memcpy(&tag, file + at, 4);
    unsigned char length = file[at + 4];
    if (length > 6 || at + 5 + length > n) return 2;
    if (tag == 0x41544144) sum += length > 0 ? file[at + 5] : 0;
    else if (tag == 0x214d4f42 && length == 3) *(volatile int *)0 = sum;
    else if (tag == 0x20444e45) return 40 + chunks;
    else return 3;
    at += 5 + length;
    chunks++;
  }
  return 4;
}
"#;

/// A data chunk with an odd number of bytes, and the end.
const VALID: &[u8] = b"CLV1DATA\x03abcDATA\x01zEND \0";

/// The parity of five bytes of standard input, and a path for each.
const PARITIES: &str = r#"
#include <unistd.h>
int main(void) {
  unsigned char in[5];
  int odd = 0;
  if (read(0, in, 5) != 5) return 99;
  for (int i = 0; i < 5; i++) if (in[i] & 1) odd |= 16 >> i;
  return odd;
}
"#;

fn write(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    std::fs::create_dir_all(folder).unwrap();
    std::fs::write(folder.join(name), bytes).unwrap();
    folder.join(name)
}

/// The exit statuses of a run's paths in the order in which they were found.
fn exits(directory: &Path) -> Vec<u64> {
    records(directory).iter().filter_map(|r| r["exit_status"].as_u64()).collect()
}

#[test]
fn a_crash_behind_a_four_byte_tag_is_found_from_a_valid_file_in_seconds() {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "parser", PARSER, &[]);
    let corpus = folder.path().join("corpus");
    write(&corpus, "valid", VALID);
    write(&corpus, ".cur_input", b"not an input");
    for mode in ["concolic", "symbolic"] {
        let directory = folder.path().join(mode);
        let options = [
            "--mode",
            mode,
            "--seed",
            path_text(&corpus),
            "--workers",
            "1",
            "--max-paths",
            "200",
            "--max-time",
            "20s",
        ];
        succeeded(&run(&directory, &options, &program, &["--sym-stdin", "40"]));
        assert_eq!(exits(&directory)[0], 42, "the seed's path is the first");
        let records = records(&directory);
        let bugs: Vec<_> = records.iter().filter(|r| r["record"] == "bug").collect();
        assert_eq!(bugs.len(), 1, "{mode}: {bugs:?}");
        assert_eq!(bugs[0]["kind"], "null-pointer");
    }
}

#[test]
fn seeds_do_not_change_which_paths_there_are() {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "parities", PARITIES, &[]);
    let place = |name: &str| folder.path().join(name);
    let all = place("all");
    succeeded(&run(&all, &["--workers", "1"], &program, &["--sym-stdin", "5"]));
    let expected = digests(&all);
    assert_eq!(expected.len(), 32);
    // Raw files, some too long, some on one path; and tests of a run.
    let corpus = place("corpus");
    for (i, bytes) in
        [&b"\x01\0\x01\0\x01"[..], b"\x01", b"abcde", b"aacce and more", b"\0\0\0\0\x01"].iter().enumerate()
    {
        write(&corpus, &format!("id:{i:06}"), bytes);
    }
    for (k, (options, seed)) in [
        (&["--mode", "concolic", "--workers", "1"][..], &corpus),
        (&["--mode", "concolic", "--workers", "3"], &all),
        (&["--mode", "symbolic", "--workers", "1"], &corpus),
        (&["--mode", "symbolic", "--search", "random-path", "--workers", "2"], &all),
        (&["--mode", "symbolic", "--mode", "concolic", "--deal", "--workers", "2"], &corpus),
    ]
    .into_iter()
    .enumerate()
    {
        let directory = place(&k.to_string());
        let options = [options, &["--seed", path_text(seed)]].concat();
        let output = run(&directory, &options, &program, &["--sym-stdin", "5"]);
        succeeded(&output);
        let long = text(&output.stderr).contains("1 seed file has more bytes than");
        assert_eq!(long, seed == &corpus, "{}", text(&output.stderr));
        assert!(digests(&directory) == expected, "{options:?}");
        // Stopped before all seeds were run.
        let directory = place(&format!("{k}-stopped"));
        let stop = [&options[..], &["--max-paths", "3"]].concat();
        succeeded(&run(&directory, &stop, &program, &["--sym-stdin", "5"]));
        succeeded(&cleave(["resume", "--workers", "2", path_text(&directory)]));
        assert!(digests(&directory) == expected, "{options:?}, resumed");
    }
}

#[test]
fn symbolic_exploration_begins_with_the_seeds_path_and_goes_on_with_what_is_nearest() {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "parities", PARITIES, &[]);
    let seed = write(folder.path(), "seed", b"\0\x01\0\x01\x01");
    let directory = folder.path().join("run");
    let options = ["--seed", path_text(&seed), "--workers", "1"];
    succeeded(&run(&directory, &options, &program, &["--sym-stdin", "5"]));
    // Number of decisions before the end at which each path leaves that of the seed.
    let distance: Vec<u32> = exits(&directory).iter().map(|e| 64 - (e ^ 0b01011).leading_zeros()).collect();
    let shells = |d: &u32| if *d == 0 { 0 } else { d.next_power_of_two().ilog2() + 1 };
    assert_eq!(distance.len(), 32);
    assert!(distance.iter().map(shells).is_sorted(), "{distance:?}");
    assert!(distance[..4].is_sorted() && distance[0] == 0 && distance[1] == 1, "{distance:?}");
}

#[test]
fn concolic_exploration_runs_all_seeds_before_what_comes_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "parities", PARITIES, &[]);
    let corpus = folder.path().join("corpus");
    let mut expected = BTreeSet::new();
    for i in [3u8, 30, 17, 8, 22] {
        let bytes: Vec<u8> = (0..5).map(|bit| i >> (4 - bit) & 1).collect();
        write(&corpus, &i.to_string(), &bytes);
        expected.insert(u64::from(i));
    }
    let directory = folder.path().join("run");
    let options = ["--mode", "concolic", "--seed", path_text(&corpus), "--workers", "1"];
    succeeded(&run(&directory, &options, &program, &["--sym-stdin", "5"]));
    let exits = exits(&directory);
    assert_eq!((exits.len(), exits[..5].iter().copied().collect()), (32, expected));
}

#[test]
fn two_hundred_files_are_minimised_to_those_that_add_paths() {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "parities", PARITIES, &[]);
    let corpus = folder.path().join("corpus");
    // 20 paths, each taken by 10 files; the shortest of each is known.
    let mut shortest: BTreeMap<u32, (usize, String)> = BTreeMap::new();
    for i in 0..200u32 {
        let path = i % 20;
        let mut bytes: Vec<u8> =
            (0..5).map(|bit| (b'0' + (i / 20) as u8 * 2) | (path >> bit & 1) as u8).collect();
        bytes.resize(5 + (i * 7 % 90) as usize, b'x');
        let name = format!("seed{i:03}");
        write(&corpus, &name, &bytes);
        let entry = shortest.entry(path).or_insert((bytes.len(), name.clone()));
        *entry = entry.clone().min((bytes.len(), name));
    }
    let smaller = folder.path().join("smaller");
    let arguments =
        ["tests", "minimize", path_text(&corpus), "--output", path_text(&smaller), path_text(&program)];
    let said = succeeded(&cleave([&arguments[..], &["--sym-stdin", "5"]].concat()));
    assert!(said.contains("20 of 200 files"), "{said}");
    let kept: BTreeSet<String> = std::fs::read_dir(&smaller)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(kept, shortest.into_values().map(|(_, name)| name).collect());
}

#[test]
fn paths_of_checks_that_are_off_by_default_are_known_where_they_are_switched_on() {
    const MEMBERS: &str = "#include <unistd.h>\nstruct s { int x; char name[4]; int y; } s;\n\
        static int at(struct s *p, int i) { return p->name[i]; }\n\
        int main(void) {\n  unsigned char i = 0;\n  read(0, &i, 1);\n  return at(&s, i & 7);\n}\n";
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "members", MEMBERS, &["-O0"]);
    let corpus = folder.path().join("corpus");
    (0..8u8).for_each(|i| drop(write(&corpus, &format!("seed{i}"), &[i])));
    for (check, paths) in [("-subobject", 1), ("subobject", 2)] {
        let smaller = folder.path().join(format!("smaller{paths}"));
        let program = [path_text(&program), "--sym-stdin", "1"];
        let minimize =
            ["tests", "minimize", "--check", check, path_text(&corpus), "--output", path_text(&smaller)];
        let said = succeeded(&cleave([&minimize[..], &program].concat()));
        assert!(said.contains(&format!("{paths} of 8 files")), "{said}");
        let bound = ["bound", "--check", check, "--json"];
        let said = succeeded(&cleave([&bound[..], &program].concat()));
        assert!(said.contains(&format!("\"paths\":{paths}")), "{said}");
        let run = folder.path().join(format!("run{paths}"));
        let options =
            ["run", "--output-dir", path_text(&run), "--check", check, "--seed", path_text(&corpus)];
        let explored = cleave([&options[..], &program].concat());
        let said = text(&explored.stdout);
        let noun = if paths == 1 { "path" } else { "paths" };
        assert!(said.contains(&format!("{paths} {noun} in")), "{said}");
        let sort = ["tests", "compare", "--check", check, program[0], path_text(&run)];
        let said = succeeded(&cleave(sort));
        assert_eq!(said.matches(" < ").count() + 1, paths, "{said}");
    }
}

#[test]
fn what_is_no_seed_for_the_program_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "parities", PARITIES, &[]);
    let seed = write(folder.path(), "seed", b"abc");
    let directory = folder.path().join("run");
    for (seed, arguments, status, part) in [
        (path_text(&seed), &[][..], 2, "neither --sym-stdin nor --sym-files"),
        ("/no/such/file", &["--sym-stdin", "5"], 1, "cannot read the seed /no/such/file"),
        (
            path_text(&write(&folder.path().join("bad"), "x.ktest", b"KTES")),
            &["--sym-stdin", "5"],
            1,
            "KTEST",
        ),
    ] {
        let output = run(&directory, &["--seed", seed], &program, arguments);
        assert_eq!(output.status.code(), Some(status));
        let error = text(&output.stderr);
        assert!(error.contains(part), "{error}");
    }
    let ktest = folder.path().join("a.ktest");
    let make = ["tests", "make", "--output", path_text(&ktest), path_text(&program), "--sym-stdin", "9"];
    succeeded(&cleave(make));
    let output = run(&directory, &["--seed", path_text(&ktest)], &program, &["--sym-stdin", "5"]);
    refused(&output, &["is for another command line"]);
}

#[test]
fn a_run_along_seeds_alone_finds_their_paths_and_keeps_the_others_for_later() {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "parities", PARITIES, &[]);
    let corpus = folder.path().join("corpus");
    for (name, bytes) in [("a", b"\x01\0\0\0\x01"), ("b", b"\0\0\0\0\0"), ("c", b"\x03\0\0\0\x05")] {
        write(&corpus, name, bytes);
    }
    for mode in ["symbolic", "concolic"] {
        let directory = folder.path().join(mode);
        let options = ["--mode", mode, "--seed", path_text(&corpus), "--only-seeds", "--workers", "2"];
        let output = run(&directory, &options, &program, &["--sym-stdin", "5"]);
        let said = succeeded(&output);
        assert!(said.contains("`cleave resume`") && output.status.code() == Some(4), "{said}");
        let found: BTreeSet<u64> = exits(&directory).into_iter().collect();
        assert_eq!(found, BTreeSet::from([0, 17]), "{mode}: of the two seeds of one path one is run");
        assert_eq!(exits(&directory).len(), 2, "{mode}");
        succeeded(&cleave(["resume", "--workers", "2", path_text(&directory)]));
        let mut all = exits(&directory);
        all.sort_unstable();
        let expected: Vec<u64> = (0..32).collect();
        assert_eq!(all, expected, "{mode}: what was left out is found when the run goes on");
    }
}

/// Makes its objects in another order with `late`, and two of one name.
const NAMES: &str = r#"
#include <klee/klee.h>
#include <string.h>
int main(int argc, char **argv) {
  unsigned char a, b, second;
  if (argc > 1) klee_make_symbolic(&b, 1, "b");
  klee_make_symbolic(&a, 1, "a");
  if (argc == 1) klee_make_symbolic(&b, 1, "b");
  if (a == 7) klee_make_symbolic(&second, 1, "a");
  else second = 0;
  if (a == 7 && b == 8 && second == 9) return 1;
  return 0;
}
"#;

#[test]
fn seeds_fit_a_program_that_makes_its_objects_in_another_order_if_they_go_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let program = compile(folder.path(), "names", NAMES, &[]);
    let first = folder.path().join("first");
    succeeded(&run(&first, &["--workers", "1"], &program, &[]));
    let found = records(&first).into_iter().find(|r| r["exit_status"] == 1).unwrap();
    let test = first.join(format!("tests/test{:06}.ktest", found["id"].as_u64().unwrap()));
    let by_order = folder.path().join("by-order");
    let options = ["--workers", "1", "--only-seeds", "--seed", path_text(&test)];
    refused(&run(&by_order, &options, &program, &["late"]), &["for another command line"]);
    for mode in ["symbolic", "concolic"] {
        let directory = folder.path().join(mode);
        let options = [&options[..], &["--seed-by-name", "--mode", mode]].concat();
        succeeded(&run(&directory, &options, &program, &["late"]));
        assert_eq!(exits(&directory), [1], "{mode}");
    }
}
