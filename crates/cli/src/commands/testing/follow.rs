//! `cleave tests follow`: behaviour of a run's tests in the engine, without a native run: the end of each, its standard
//! output, and the lines of the program that it executes.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::PathBuf;

use cleave_engine::{End, State, Visits};
use cleave_explore::{Place, Space, Walked, walk};
use cleave_program::code::{Op, Program};
use cleave_region::Test;
use serde_json::json;

use crate::failure::Failure;
use crate::inputs::ktests::LONGEST_PATH;
use crate::process::output::Output;
use crate::sessions::run_dir::{recorded, test_of};
use crate::sessions::saved;

/// Options of `cleave tests follow`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Example: cleave tests follow cleave-last --write")]
pub struct FollowOptions {
    /// Write what a test prints and the lines that it executes beside it, as testNNNNNN.out and testNNNNNN.cov. Default is
    /// to write nothing
    #[arg(long)]
    pub write: bool,
    /// Print JSON, a line for each test. Default is text
    #[arg(long)]
    pub json: bool,
    /// The run directory
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
}

/// Behaviour of a test.
struct Seen {
    end: String,
    stdout: Vec<u8>,
    lines: Vec<String>,
}

/// Follows each test of a run.
pub fn follow(options: &FollowOptions) -> Result<(), Failure> {
    let (store, saved, image) = recorded(&options.directory)?;
    let program = image.program()?;
    let mut space = saved::space_of(image.program()?, &saved)?;
    let mut out = Output::new();
    store.each_path::<Failure>(0, |path| {
        if path.record.kind == cleave_region::PathKind::AssumedAway {
            return Ok(());
        }
        let test = test_of(path.id, &path.record)?;
        let seen = seen(&mut space, &program, &test);
        if space.is_full() {
            space.renew();
        }
        if options.write {
            write(options, path.id, &seen)?;
        }
        let (id, stdout) = (path.id, seen.stdout.escape_ascii());
        if options.json {
            let stdout = stdout.to_string();
            out.line(json!({"id": id, "end": seen.end, "stdout": stdout, "lines": seen.lines}))
        } else {
            out.line(format_args!("test{id:06}: {}; {} lines; \"{stdout}\"", seen.end, seen.lines.len()))
        }
    })?;
    out.end()
}

fn write(options: &FollowOptions, id: u64, seen: &Seen) -> Result<(), Failure> {
    let lines: String = seen.lines.iter().map(|line| format!("{line}\n")).collect();
    for (suffix, bytes) in [("out", &seen.stdout[..]), ("cov", lines.as_bytes())] {
        let file = options.directory.join(format!("tests/test{id:06}.{suffix}"));
        std::fs::write(&file, bytes)
            .map_err(|e| Failure::new(format!("cannot write {}: {e}; make room there", file.display())))?;
    }
    Ok(())
}

fn seen(space: &mut cleave_explore::Programs, program: &Program, test: &Test) -> Seen {
    space.start_visits(Visits::new(program));
    let (witness, mut state) = (space.prepare(test), space.root());
    let walked = walk(space, &mut state, &witness, LONGEST_PATH, |_, _| ControlFlow::<()>::Continue(()));
    let covered = space.covered(0);
    let end = match walked {
        Walked::Ended(end) => text_of(&end.end),
        Walked::Excluded => "assumed away".into(),
        Walked::Endless | Walked::Left(()) => "not followed to its end, as it is too long".into(),
    };
    Seen { end, lines: lines(program, space, &covered, &state), stdout: space.stdout(&state, &witness) }
}

fn text_of(end: &End) -> String {
    match end {
        End::Exit(_) => "exit".into(),
        End::Signal(signal) => format!("signal {signal}"),
        End::Silent => "silent exit".into(),
        End::AssumedAway | End::Rejected => "assumed away".into(),
        End::Bug(bug) | End::Suppressed { bug, .. } => bug.message.clone(),
        End::Unsupported(what) => format!("unsupported: {what}"),
    }
}

/// Lines of the program itself that are executed from the visited places, as `FILE:LINE`, in order.
fn lines(
    program: &Program,
    space: &cleave_explore::Programs,
    covered: &[Place],
    ended: &State,
) -> Vec<String> {
    let last = ended.stack().next();
    let mut lines = BTreeSet::new();
    for place in covered {
        let Some(function) = program.functions.get(place.func as usize).filter(|f| !f.library) else {
            continue;
        };
        // A block that was visited once, and in which the path ended, ran up to there.
        let end =
            last.filter(|&(func, pc)| func == place.func && pc >= place.pc && space.visits(*place) == 1);
        for pc in place.pc..function.code.len() as u32 {
            let position =
                function.positions.get(pc as usize).and_then(|&p| program.positions.get(p as usize));
            if let Some(position) = position
                && let Some(file) = program.strings.get(position.file as usize)
                && position.line > 0
            {
                lines.insert((file, position.line));
            }
            if end.is_some_and(|(_, end)| end == pc) || leaves(&function.code[pc as usize]) {
                break;
            }
        }
    }
    lines.into_iter().map(|(file, line)| format!("{file}:{line}")).collect()
}

/// Returns true if an op ends its block, so that the next op is a place of its own.
fn leaves(op: &Op) -> bool {
    matches!(
        op,
        Op::Jump { .. }
            | Op::Branch { .. }
            | Op::CmpBranch { .. }
            | Op::PtrBranch { .. }
            | Op::Switch { .. }
            | Op::IndirectBranch { .. }
            | Op::Lands { .. }
            | Op::Call { .. }
            | Op::CallVar { .. }
            | Op::CallIndirect { .. }
            | Op::Ret { .. }
            | Op::Unreachable { .. }
            | Op::Unsupported { .. }
    )
}
