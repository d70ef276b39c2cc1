//! One behaviour a file: each program of `pass/` and `fail/` is explored here, in this process, without a C library, and
//! its paths end as its comments say.
//!
//! | comment | meaning |
//! |---|---|
//! | `; end: exit 3` | a path ends with this exit status; one line a path |
//! | `; end: KIND` | a path ends so at no particular line: `assumed-away` |
//! | `;~ ERROR KIND`, at the end of a line | a path ends in this bug at this line; `x2` behind it: two of them |
//!
//! Programs of `pass/` have no `ERROR`. Each program may use what `prelude.ll` defines.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cleave_engine::EngineOptions;
use cleave_explore::{Event, Explorer, Limits, Programs, Search, Space, TERM_MEMORY};
use cleave_program::code::{Op, Program};
use cleave_region::Region;
use cleave_solver::SolverOptions;

/// Number of paths that end in each way.
type Ends = BTreeMap<String, usize>;

fn folder(name: &str) -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name);
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "ll"));
    files.sort();
    let read = |f: PathBuf| (f.clone(), std::fs::read_to_string(&f).unwrap());
    files.into_iter().map(read).collect()
}

/// The ends that the comments of a program announce.
fn announced(text: &str) -> Ends {
    let mut ends = Ends::new();
    for (number, line) in text.lines().enumerate() {
        if let Some(end) = line.strip_prefix("; end: ") {
            *ends.entry(end.trim().into()).or_default() += 1;
        }
        if let Some((_, error)) = line.split_once(";~ ERROR ") {
            let (kind, times) = error.trim().split_once(" x").unwrap_or((error.trim(), "1"));
            *ends.entry(format!("{kind} at {}", number + 1)).or_default() += times.parse::<usize>().unwrap();
        }
    }
    ends
}

/// The text with the prelude, every instruction at its line of the text.
fn with_lines(name: &str, text: &str) -> String {
    let mut out = String::from(include_str!("prelude.ll"));
    let (mut functions, mut inside, mut in_cases) = (0, false, false);
    for (number, line) in text.lines().enumerate() {
        let code = line.split(';').next().unwrap_or_default().trim_end();
        if code.starts_with("define ") {
            inside = true;
            let head = code.strip_suffix('{').unwrap();
            out.push_str(&format!("{head} !dbg !{} {{\n", 9000 + functions));
            functions += 1;
            continue;
        }
        inside &= !code.starts_with('}');
        let opens = code.ends_with('[');
        let whole = inside && !opens && !in_cases && code.starts_with("  ");
        in_cases = opens || in_cases && !code.trim_start().starts_with(']');
        // The last line of a list of cases ends the instruction.
        let ends = inside && code.trim_start().starts_with(']');
        out.push_str(code);
        if whole || ends {
            let scope = 9000 + functions - 1;
            out.push_str(&format!(", !dbg !DILocation(line: {}, scope: !{scope})", number + 1));
        }
        out.push('\n');
    }
    out.push_str("!llvm.dbg.cu = !{!8000}\n!llvm.module.flags = !{!8002}\n");
    out.push_str(
        "!8000 = distinct !DICompileUnit(language: DW_LANG_C99, file: !8001, emissionKind: FullDebug)\n",
    );
    out.push_str(&format!("!8001 = !DIFile(filename: \"{name}\", directory: \"/\")\n"));
    out.push_str("!8002 = !{i32 2, !\"Debug Info Version\", i32 3}\n!8003 = !DISubroutineType(types: !8004)\n!8004 = !{}\n");
    for function in 0..functions {
        let n = 9000 + function;
        out.push_str(&format!(
            "!{n} = distinct !DISubprogram(name: \"f{function}\", scope: !8001, file: !8001, line: 1, type: !8003, \
             unit: !8000, spFlags: DISPFlagDefinition)\n"
        ));
    }
    out
}

fn loaded(file: &Path, text: &str) -> Arc<Program> {
    let name = file.file_name().unwrap().to_str().unwrap();
    let program = cleave_program::load(with_lines(name, text).as_bytes());
    Arc::new(program.unwrap_or_else(|e| panic!("{name}: {e}")))
}

/// The ends of a program's paths, counted.
fn explored(program: &Arc<Program>) -> Ends {
    let (options, solver) = (EngineOptions::default(), SolverOptions::default());
    let mut space = Programs::new(Arc::clone(program), options, solver, TERM_MEMORY).unwrap();
    let strategy = Search::new(&["dfs".into()], 0).unwrap().strategy(space.flow());
    let mut explorer = Explorer::with_strategy(&mut space, Region::whole(), Limits::default(), strategy);
    let (mut ends, mut events) = (Ends::new(), Vec::new());
    while !explorer.is_done() {
        explorer.step(&mut space, 1 << 20, &mut events);
        for event in events.drain(..) {
            let Event::Path { end, state, witness, .. } = event else { panic!("a region is set aside") };
            let Some(record) = space.record(end, &state, &witness) else { continue };
            let end = match (record.exit_status, record.bug) {
                (Some(status), None) => format!("exit {status}"),
                (None, Some(bug)) if bug.kind == "assumed-away" => bug.kind,
                (None, Some(bug)) => match bug.place.rsplit_once(':') {
                    Some((_, line)) => format!("{} at {line}", bug.kind),
                    None => bug.kind,
                },
                other => panic!("an end of no kind: {other:?}"),
            };
            *ends.entry(end).or_default() += 1;
        }
    }
    ends
}

fn check(name: &str, least: usize, has_bugs: bool) {
    let files = folder(name);
    assert!(files.len() >= least, "{name} has {} programs", files.len());
    let mut wrong = String::new();
    for (file, text) in files {
        let (found, expected) = (explored(&loaded(&file, &text)), announced(&text));
        if found != expected {
            wrong.push_str(&format!("{}: {found:?}, and announced is {expected:?}\n", file.display()));
        }
        if text.contains(";~ ERROR") && !has_bugs {
            wrong.push_str(&format!("{}: a program that passes has no bug\n", file.display()));
        }
        if !text.starts_with("; ") {
            wrong.push_str(&format!("{}: the first line says what it is about\n", file.display()));
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn programs_that_pass_end_as_they_say() {
    check("pass", 70, false);
}

#[test]
fn programs_that_fail_do_so_where_they_say() {
    check("fail", 40, true);
}

/// Each op is executed by some program: a new op needs a new program.
#[test]
fn every_op_stands_in_some_program() {
    let mut there = BTreeSet::new();
    for (file, text) in folder("pass").into_iter().chain(folder("fail")) {
        let program = loaded(&file, &text);
        there.extend(program.functions.iter().flat_map(|f| &f.code).map(Op::name));
    }
    // `Op::Count` counts instructions that are too many for one op, and so its program is too long for a file.
    let many = "  store volatile i8 0, ptr @byte\n".repeat(70_000);
    let text = format!("; end: exit 0\n@byte = global i8 0\ndefine i32 @main() {{\n{many}  ret i32 0\n}}\n");
    let program = loaded(Path::new("many.ll"), &text);
    there.extend(program.functions.iter().flat_map(|f| &f.code).map(Op::name));
    assert_eq!(explored(&program), announced(&text));
    let missing: Vec<_> = Op::NAMES.iter().filter(|name| !there.contains(**name)).collect();
    assert!(missing.is_empty(), "ops without a program: {missing:?}");
}
