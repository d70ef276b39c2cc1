//! Forecasts of a run for its tests, and the native run of each test.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use cleave_linux::env::EnvSpec;
use cleave_region::{BugKind, BugRecord, NativeEffect, PathKind, PathRecord};
use cleave_replay::{End, Fault, Foretold, Job, StdinKind};
use cleave_report::KTest;

/// The native run of a test: its command line describes the environment, its objects fill it in.
///
/// # Errors
/// A sentence that says why the test cannot be run.
pub fn job_of(test: &KTest) -> Result<Job, String> {
    let Some((name, arguments)) = test.args.split_first() else {
        return Err("it has no command line, so it is not known how to start the program".into());
    };
    let arguments: Vec<OsString> = arguments.iter().map(|a| OsString::from_vec(a.clone())).collect();
    let mut spec = EnvSpec::parse(OsStr::from_bytes(name), &arguments).map_err(|e| e.to_string())?;
    crate::inputs::folders::load(&mut spec).map_err(|e| e.sentence().to_string())?;
    let env = spec.expand(|object| test.object(object)).map_err(|e| e.to_string())?;
    let has_own_inputs = test.objects.iter().any(|(object, _)| !spec.owns(object));
    let ktest = if has_own_inputs { Some(test.to_bytes().map_err(|e| e.to_string())?) } else { None };
    let of_calls = |which: &'static str| {
        let objects = test.objects.iter().filter(move |(name, _)| name == which);
        objects.map(|(_, bytes)| bytes.first().copied().unwrap_or(0))
    };
    Ok(Job {
        argv: env.argv,
        env: env.vars,
        stdin: env.stdin,
        files: env.files,
        refused: env.refused,
        attributes: env.attributes,
        tree: env.tree,
        connections: env.connections,
        terminal: env.terminal,
        failing: of_calls(cleave_linux::FAILING_CALL_OBJECT).collect(),
        failures: spec.failures,
        short: of_calls(cleave_linux::SHORT_CALL_OBJECT).map(|byte| byte != 0).collect(),
        turns: None,
        ktest,
        stdin_kind: StdinKind::File,
        elsewhere: false,
    })
}

/// Forecast of a path's record for its test; `None` if there is none (not supported, suppressed, assumed away).
pub fn foretold_of<T>(path: &PathRecord<T>) -> Option<Foretold> {
    if matches!(path.kind, PathKind::Unsupported | PathKind::Suppressed | PathKind::AssumedAway) {
        return None;
    }
    let end = path.exit_status.map(End::Exited).or(path.signal.map(End::Signaled));
    let Some(bug) = path.bug.as_ref().map(error_kind) else {
        return Some(Foretold::Ends { end: end?, stdout_sha256: path.stdout_sha256 });
    };
    Some(Foretold::Fault(match bug.native_effect() {
        NativeEffect::Abort => Fault::Abort,
        NativeEffect::FloatingPointException => Fault::Division,
        NativeEffect::IllegalInstruction => Fault::Trap,
        NativeEffect::Breakpoint => Fault::Breakpoint,
        NativeEffect::SegmentationFault => Fault::NullPointer,
        NativeEffect::Hang => Fault::Hang,
        NativeEffect::Unknown => Fault::Other,
    }))
}

/// The report's kind of a recorded bug.
fn error_kind(bug: &BugRecord) -> BugKind {
    BugKind::from_name(&bug.kind).unwrap_or(BugKind::Reported)
}
