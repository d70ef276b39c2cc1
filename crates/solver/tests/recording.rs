//! A recording has all questions and answers: each question is the same again after it was read.

use std::path::{Path, PathBuf};

use cleave_expr::{BinaryOp, ByteId, FloatOp, Term, Terms};
use cleave_solver::{Answer, Kind, LayerName, PathCondition, Recording, Solver, SolverOptions, Together};
use proptest::prelude::*;

use crate::common::{Tape, condition, witness};

/// The questions and answers, by structural hashes.
#[derive(PartialEq, Eq, Debug)]
struct Seen {
    kind: Kind,
    path: Vec<u64>,
    conds: Vec<u64>,
    witness: Vec<u8>,
    verdict: &'static str,
}

/// A comparison of any operator's result, of bytes that are inputs.
fn float_condition(s: &mut Terms, tape: &mut Tape<'_>) -> Term {
    let ops: Vec<FloatOp> = FloatOp::all().collect();
    let op = ops[tape.byte() as usize % ops.len()];
    let widths = [32, 64, 80, 8, 128];
    let (from, to) = (widths[tape.below(5)], [32, 64, 80, 1, 7, 100][tape.below(6)]);
    let count = usize::from(op.operands());
    let (from, to) = if op.fits(&vec![from; count], to) { (from, to) } else { (32, 64) };
    let to = if op.fits(&vec![from; count], to) { to } else { 32 };
    let to = if op.is_comparison() { 1 } else { to };
    let operands: Vec<Term> = (0..count)
        .map(|_| {
            let bytes = [0, 1, 2, 3].map(|i| s.byte(2, i));
            let word = bytes.into_iter().reduce(|low, b| s.concat(b, low)).unwrap();
            let word = if from < 32 { s.extract(word, 0, from) } else { s.zext(word, from) };
            let flip = tape.word() & (u128::MAX >> (128 - from));
            let flip = s.constant_of(from, flip);
            s.binary(BinaryOp::Xor, word, flip)
        })
        .collect();
    let t = s.float(op, to, &operands);
    let bit = tape.byte() % to;
    s.extract(t, bit.into(), 1)
}

/// Asks along random paths, in all three ways.
fn ask_all(options: SolverOptions, tape: &[u8]) -> Vec<Seen> {
    let mut solver = Solver::new(options).unwrap();
    let mut s = Terms::new();
    let mut tape = Tape::new(tape);
    for (object, offset) in (0..8).map(|i| (if i < 4 { 2 } else { 0 }, i % 4)) {
        s.byte_id(object, offset);
    }
    let mut seen = Vec::new();
    let mut near = witness(&mut s, &[0, 0, 0, 0, 1, 2, 3]);
    let trunk = PathCondition::default();
    for _ in 0..2 {
        let mut pc = trunk.clone();
        for i in 0..6 {
            let cond = match tape.below(3) {
                0 => float_condition(&mut s, &mut tape),
                _ => condition(&mut s, &mut tape, 4, 3),
            };
            let opposite = s.not(cond);
            let (kind, conds) = match i % 3 {
                0 => (Kind::Cheap, vec![cond]),
                1 => (Kind::Whole, vec![cond]),
                _ => (Kind::Together, vec![cond, opposite]),
            };
            let path = pc.conditions().into_iter().map(|t| s.hash_of(t)).collect();
            let before = near.bytes().to_vec();
            let mut next = None;
            let verdict = match kind {
                Kind::Cheap => {
                    next = solver.ask_cheaply(&mut s, &pc, cond, &near);
                    if next.is_some() { "sat" } else { "" }
                }
                Kind::Whole => match solver.ask(&mut s, &pc, cond, &near) {
                    Answer::Sat(w) => {
                        next = Some(w);
                        "sat"
                    }
                    Answer::Unsat(_) => "unsat",
                    Answer::Unknown(_) => "unknown",
                },
                Kind::Together => match solver.ask_together(&mut s, &pc, &conds, &near) {
                    Together::Sat(_) => "sat",
                    Together::Unsat { .. } => "unsat",
                    Together::Unknown(_) => "unknown",
                },
            };
            let conds = conds.iter().map(|&t| s.hash_of(t)).collect();
            seen.push(Seen { kind, path, conds, witness: before, verdict });
            if let Some(w) = next {
                solver.assume(&mut s, &mut pc, cond);
                near = w;
            }
        }
    }
    seen
}

fn read(folder: &Path) -> (PathBuf, String) {
    let file = std::fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    let text = std::fs::read_to_string(&file).unwrap();
    (file, text)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn what_was_read_is_what_was_asked(tape in proptest::collection::vec(any::<u8>(), 0..400)) {
        let folder = tempfile::tempdir().unwrap();
        let options = SolverOptions {
            record: Some(folder.path().into()),
            tiers: "bit-blaster".parse().unwrap(),
            ..SolverOptions::default()
        };
        let seen = ask_all(options, &tape);
        let (_, text) = read(folder.path());
        let recording = Recording::read(&text).unwrap();
        prop_assert_eq!(recording.questions.len(), seen.len());
        for (q, seen) in recording.questions.iter().zip(&seen) {
            let hashes = |terms: &[cleave_expr::Term]| -> Vec<u64> {
                terms.iter().map(|&t| recording.terms.hash_of(t)).collect()
            };
            prop_assert_eq!(q.kind, seen.kind);
            prop_assert_eq!(hashes(&q.conds), &seen.conds[..]);
            prop_assert_eq!(hashes(&recording.path(q.path)), &seen.path[..]);
            // No answer to a question that was asked cheaply may be either.
            prop_assert!(q.verdict == seen.verdict || seen.verdict.is_empty());
            for (number, value) in seen.witness.iter().enumerate() {
                let (object, offset) = if number < 4 { (2, number) } else { (0, number - 4) };
                let id = (0..recording.terms.byte_count() as u32)
                    .map(ByteId)
                    .find(|id| recording.terms.byte_position(*id) == (object, offset as u32));
                prop_assert!(id.is_none_or(|id| q.near.get(id) == *value), "{object} {offset}");
            }
        }
    }

    #[test]
    fn nonsense_is_refused_with_its_line(cut in 0usize..4000, tape in proptest::collection::vec(any::<u8>(), 0..200)) {
        let folder = tempfile::tempdir().unwrap();
        let record = Some(folder.path().into());
        ask_all(SolverOptions { record, ..SolverOptions::default() }, &tape);
        let (_, text) = read(folder.path());
        let cut = cut % text.len();
        // A recording that was cut off is read up to its last whole line.
        prop_assert!(Recording::read(&text[..cut]).is_ok());
        // One character changed: it may still make sense, and never more than that.
        let mut changed = text.into_bytes();
        changed[cut] = tape.first().copied().unwrap_or(0) % 128;
        if let Err(why) = Recording::read(&String::from_utf8(changed).unwrap()) {
            prop_assert!(why.starts_with("line "));
        }
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_an_error() {
    let record = Some("/proc/cleave".into());
    let Err(error) = Solver::new(SolverOptions { record, ..SolverOptions::default() }) else { panic!() };
    assert!(error.to_string().starts_with("cannot write questions to /proc/cleave"), "{error}");
}

#[test]
fn what_reaches_a_back_end_is_written_for_other_solvers() {
    let folder = tempfile::tempdir().unwrap();
    let disabled = LayerName::ALL.into_iter().filter(|l| *l != LayerName::Sat).collect();
    let dump = Some(folder.path().into());
    let options =
        SolverOptions { dump, disabled, tiers: "bit-blaster".parse().unwrap(), ..SolverOptions::default() };
    let seen = ask_all(options, &[7; 300]);
    let asked = seen.iter().filter(|s| !matches!(s.kind, Kind::Cheap)).count();
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder.path()).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty() && files.len() <= asked, "{} files for {asked} questions", files.len());
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let status =
            text.lines().find_map(|l| l.strip_prefix("(set-info :status ")?.strip_suffix(')')).unwrap();
        let answer = std::process::Command::new("z3").arg(&file).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&answer.stdout).trim(), status, "{text}");
    }
}
