//! Asks recorded questions again, and says where the time goes:
//!
//!     cleave run --record-questions DIR ./prog ...
//!     cargo run --release -p cleave-solver --example corpus [--slowest N] [--limit MS] [--without LAYER] FILE.questions...
//!
//! For each file: how many questions there are, how many are answered otherwise than when they were recorded (an answer
//! against no answer is only counted), milliseconds in all, then questions and milliseconds by the layer that answered and by what
//! the question's terms have.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use cleave_expr::{BinaryOp, Node, Term, Terms};
use cleave_solver::{
    Answer, Kind, LayerName, PathCondition, Question, Recording, Solver, SolverOptions, Together,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Questions and their time.
#[derive(Clone, Copy, Default)]
struct Sum {
    count: usize,
    time: Duration,
}

impl Sum {
    fn add(&mut self, time: Duration) {
        self.count += 1;
        self.time += time;
    }
}

/// Time that this thread had a processor, whatever else the machine does.
fn on_processor() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = text.split(' ').next().and_then(|n| n.parse().ok());
    Duration::from_nanos(nanos.unwrap_or(0))
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// What the terms of a question have, apart from what all have.
fn class(terms: &Terms, pc: &[Term], question: &Question) -> String {
    let mut seen: FxHashSet<Term> = FxHashSet::default();
    let mut stack: Vec<Term> = question.conds.clone();
    let (mut products, mut tables, mut choices, mut nodes) = (0, 0, 0, 0);
    while let Some(t) = stack.pop() {
        if !seen.insert(t) {
            continue;
        }
        nodes += 1;
        match terms.node(t) {
            Node::Binary(
                BinaryOp::Mul | BinaryOp::UDiv | BinaryOp::URem | BinaryOp::SDiv | BinaryOp::SRem,
                ..,
            ) => {
                products += 1;
            }
            Node::Table(..) => tables += 1,
            Node::Ite(..) => choices += 1,
            _ => {}
        }
        stack.extend(terms.children(t));
    }
    let size = |n: usize| match n {
        0 => "0",
        1..10 => "1+",
        10..100 => "10+",
        100..1000 => "100+",
        1000..10_000 => "1000+",
        _ => "10000+",
    };
    format!(
        "terms {:6} choices {:6} tables {:5} products {:5} path {:5}",
        size(nodes),
        size(choices),
        size(tables),
        size(products),
        size(pc.len())
    )
}

/// A question in some words: what of the path shares bytes with it, and the question.
fn describe(terms: &mut Terms, all: &[Term], cond: Term) -> String {
    let mut bytes: FxHashSet<_> = terms.bytes_of(cond).iter().copied().collect();
    let mut linked: FxHashSet<Term> = FxHashSet::default();
    loop {
        let before = linked.len();
        for &c in all {
            let of = terms.bytes_of(c);
            if of.len() > 1 && of.iter().any(|b| bytes.contains(b)) {
                linked.insert(c);
                bytes.extend(of.iter().copied());
            }
        }
        if linked.len() == before {
            break;
        }
    }
    format!("{} bytes, {} conditions; {}", bytes.len(), linked.len(), terms.text(cond, 7))
}

/// The path conditions of a recording, made as they are needed.
fn path_condition(
    made: &mut FxHashMap<u32, PathCondition>,
    recording: &mut Recording,
    solver: &mut Solver,
    number: u32,
) -> PathCondition {
    let mut missing = Vec::new();
    let mut at = number;
    let mut pc = loop {
        if let Some(pc) = made.get(&at) {
            break pc.clone();
        }
        let Some((parent, term)) = recording.step(at) else { break PathCondition::default() };
        missing.push((at, term));
        at = parent;
    };
    for (at, term) in missing.into_iter().rev() {
        solver.assume(&mut recording.terms, &mut pc, term);
        made.insert(at, pc.clone());
    }
    pc
}

fn ask(solver: &mut Solver, terms: &mut Terms, pc: &PathCondition, q: &Question) -> &'static str {
    match q.kind {
        Kind::Cheap => match solver.ask_cheaply(terms, pc, q.conds[0], &q.near) {
            Some(_) => "sat",
            None => "unknown",
        },
        Kind::Whole => match solver.ask(terms, pc, q.conds[0], &q.near) {
            Answer::Sat(_) => "sat",
            Answer::Unsat(_) => "unsat",
            Answer::Unknown(_) => "unknown",
        },
        Kind::Together => match solver.ask_together(terms, pc, &q.conds, &q.near) {
            Together::Sat(_) => "sat",
            Together::Unsat { .. } => "unsat",
            Together::Unknown(_) => "unknown",
        },
    }
}

/// What the command line says.
struct Wanted {
    limit: Duration,
    slowest: usize,
    first: usize,
    without: BTreeSet<LayerName>,
}

fn measure(path: &Path, wanted: &Wanted) -> Result<Sum, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
    let mut recording = Recording::read(&text).map_err(|e| format!("{}: {e}", path.display()))?;
    drop(text);
    let options = SolverOptions {
        timeout: wanted.limit,
        first_limit: (wanted.limit / 2).min(Duration::from_secs(1)),
        disabled: wanted.without.clone(),
        ..SolverOptions::default()
    };
    let mut solver = Solver::new(options).map_err(|e| e.to_string())?;
    let mut made = FxHashMap::default();
    let (mut all, mut recorded) = (Sum::default(), Sum::default());
    let mut layers: BTreeMap<(&str, &str), Sum> = BTreeMap::new();
    let mut classes: BTreeMap<String, Sum> = BTreeMap::new();
    let mut last: BTreeMap<&str, u64> = BTreeMap::new();
    let (mut changed, mut more, mut fewer) = (Vec::new(), 0, 0);
    let mut times: Vec<(Duration, usize, &'static str)> = Vec::new();
    let questions: Vec<Question> = recording.questions.iter().take(wanted.first).cloned().collect();
    for (i, q) in questions.iter().enumerate() {
        let pc = path_condition(&mut made, &mut recording, &mut solver, q.path);
        let start = on_processor();
        let verdict = ask(&mut solver, &mut recording.terms, &pc, q);
        let took = on_processor().saturating_sub(start);
        match (q.verdict.as_str(), verdict) {
            (before, now) if before == now => {}
            ("unknown", _) => more += 1,
            (_, "unknown") => fewer += 1,
            _ => changed.push(i),
        }
        let now = solver.stats().answered_by;
        let layer = now.iter().find(|(name, n)| last.get(*name) != Some(n)).map_or("nobody", |l| l.0);
        last = now;
        all.add(took);
        recorded.add(q.took);
        layers.entry((layer, verdict)).or_default().add(took);
        if layer != LayerName::Constants.as_str() && layer != LayerName::Witness.as_str() {
            classes.entry(class(&recording.terms, &recording.path(q.path), q)).or_default().add(took);
        }
        times.push((took, i, layer));
    }
    println!(
        "{}: {} questions, {:.0} ms ({:.0} when recorded); answers that contradict: {}; answered now {more}, no more {fewer}",
        path.display(),
        all.count,
        ms(all.time),
        ms(recorded.time),
        changed.len()
    );
    for i in changed.iter().take(5) {
        println!("  CONTRADICTS: question {i}, recorded as {}", questions[*i].verdict);
    }
    for ((name, verdict), sum) in &layers {
        println!("  {name:10} {verdict:7} {:7} {:9.1} ms", sum.count, ms(sum.time));
    }
    let mut classes: Vec<_> = classes.into_iter().collect();
    classes.sort_by_key(|(_, sum)| std::cmp::Reverse(sum.time));
    for (name, sum) in classes.iter().take(6) {
        println!("  {name} {:7} {:9.1} ms", sum.count, ms(sum.time));
    }
    times.sort_by_key(|t| std::cmp::Reverse(t.0));
    for (took, i, layer) in times.iter().take(wanted.slowest) {
        let q = &questions[*i];
        let all: Vec<Term> = recording.path(q.path).into_iter().chain(q.conds.iter().copied()).collect();
        println!(
            "  {:9.1} ms: question {i}, {} by {layer}: {}",
            ms(*took),
            q.verdict,
            describe(&mut recording.terms, &all, q.conds[0])
        );
    }
    Ok(all)
}

fn main() -> ExitCode {
    let mut wanted =
        Wanted { limit: Duration::from_secs(10), slowest: 0, first: usize::MAX, without: BTreeSet::new() };
    let mut files = Vec::new();
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut next = || words.next().unwrap_or_default();
        let number = |word: String| word.parse().unwrap_or(10);
        match word.as_str() {
            "--slowest" => wanted.slowest = number(next()),
            "--first" => wanted.first = number(next()),
            "--limit" => wanted.limit = Duration::from_millis(number(next()) as u64),
            "--without" => match next().parse() {
                Ok(layer) => drop(wanted.without.insert(layer)),
                Err(why) => {
                    eprintln!("{why}");
                    return ExitCode::FAILURE;
                }
            },
            _ => files.push(word),
        }
    }
    let mut all = Sum::default();
    for file in &files {
        match measure(Path::new(file), &wanted) {
            Ok(sum) => {
                all.count += sum.count;
                all.time += sum.time;
            }
            Err(why) => {
                eprintln!("{why}");
                return ExitCode::FAILURE;
            }
        }
    }
    println!("all: {} questions, {:.0} ms", all.count, ms(all.time));
    ExitCode::SUCCESS
}
