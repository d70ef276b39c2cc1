//! The command line of Cleave: it reads options, calls the crates that do the work, and shows their results.

mod arguments; // The command line as people write it.
mod cli; // The commands, from which help, checks and completions come.
mod commands; // One file for each command: its options, its work, its output.
mod competition; // `cleave testcomp` and `cleave svcomp`.
mod emit; // The files that a run writes of its paths, each kind by a `Sink` in a file of its own.
mod entries; // Functions as entries: contracts, and harnesses that are made of them.
mod explain; // Explains one test of a run.
mod export; // `cleave tests export`: tests of a run in the form that another tool takes.
mod failure; // Errors as people see them: one sentence with the cause, the place, and the way out.
mod findings; // What follows from the paths of a run: coverage, gaps, reasons.
mod formats; // The forms of `cleave report`, a file each.
mod inputs; // Tests, files and folders that a user gives.
mod klee; // `cleave klee`: KLEE's own command lines.
mod options; // The options of the commands that explore, each declared once.
mod page; // The report of a run as one HTML file: findings, and coverage of its tests, with the sources.
mod process; // This process: memory, time, signals, messages.
mod programs; // Programs that a user names, read and loaded.
mod serving; // Reports and metrics by HTTP.
mod sessions; // A session of a run, from its options to its last lines.
mod terminal; // Progress of a run on the terminal.

use clap::{CommandFactory, Parser};
use cleave_toolchain::{Language, Tool};
use cli::{BenchCommand, Cli, ClusterCommand, Command};
use commands::exploring::{bound, callers, cluster_status, expand, gather, join, resume, run};
use commands::measuring::{bench_lazy, bench_s2pf, simulate};
use commands::results::{coverage, doctor, explain as explain_command, list, report, stats};
use commands::testing::{compare, debug, harness, native_gdb, proofs, replay, tests};
use commands::tools::{cc, completions, dump, man, options as options_command, toolchain};
use competition::{svcomp, testcomp};
use failure::Failure;
use process::{allocator, log, start_time};
use programs::loading;
use sessions::{cluster, setup};
use std::ffi::OsString;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: allocator::Counting = allocator::Counting;

fn main() -> ExitCode {
    start_time::started();
    failure::install_panic_hook();
    let arguments: Vec<OsString> = std::env::args_os().collect();
    // Everything after `cc`, `c++`, `rustc` or `cargo` is the compiler's, `--help` and `--version` too.
    let behind = arguments.get(2..).unwrap_or_default();
    match arguments.get(1).and_then(|a| a.to_str()) {
        Some("cc") => return finish(cc::cc(Language::C, behind)),
        Some("c++") => return finish(cc::cc(Language::Cxx, behind)),
        Some("rustc") => return finish(cc::rustc(behind)),
        Some("cargo") => return finish(Err(cc::cargo(behind))),
        _ if cleave_toolchain::is_of_cargo(arguments.get(1..).unwrap_or_default()) => {
            return finish(cc::rustc_of_cargo(&arguments[1..]));
        }
        _ => {}
    }
    if let Some(tool) = arguments.get(1).and_then(|a| Tool::named(a.to_str()?)) {
        return finish(Err(tool.become_it(behind).into()));
    }
    if let Err(failure) = log::start() {
        return failure.report();
    }
    // Everything after `klee` is written as KLEE has it.
    if arguments.get(1).is_some_and(|a| a == "klee") {
        return finish(klee::klee(&arguments[2..]));
    }
    let arguments = match arguments::reorder::arranged(arguments) {
        Ok(arguments) => arguments,
        Err(_) if cluster::is_silent() => return ExitCode::SUCCESS,
        Err(failure) => return failure.report(),
    };
    match Cli::try_parse_from(options::run::spread_split_at(arguments)) {
        Ok(cli) => finish(dispatch(cli.command)),
        // One rank prints the error for all that mpiexec started.
        Err(_) if cluster::is_silent() => ExitCode::SUCCESS,
        Err(error) => failure::usage(&error),
    }
}

/// The exit codes are in [`sessions::verdict::EXIT_CODES`].
fn dispatch(command: Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Cc { arguments } => cc::cc(Language::C, &arguments),
        Command::Cxx { arguments } => cc::cc(Language::Cxx, &arguments),
        Command::Rustc { arguments } => cc::rustc(&arguments),
        Command::Cargo { arguments } => Err(cc::cargo(&arguments)),
        Command::Ar { arguments } => Err(Tool::Ar.become_it(&arguments).into()),
        Command::Ranlib { arguments } => Err(Tool::Ranlib.become_it(&arguments).into()),
        Command::Nm { arguments } => Err(Tool::Nm.become_it(&arguments).into()),
        Command::Toolchain { build_system } => toolchain::toolchain(build_system),
        Command::Run(options) => {
            cluster::session(&options.exploration, |cluster| run::run(&options, cluster))
        }
        Command::Compare(options) => compare::compare(*options),
        Command::Harness(options) => harness::harness(&options),
        Command::Callers(options) => callers::callers(&options),
        Command::Doctor(options) => doctor::doctor(&options),
        Command::Klee { arguments } => klee::klee(&arguments),
        Command::Testcomp(options) => testcomp::testcomp(&options),
        Command::Svcomp(options) => svcomp::svcomp(&options),
        Command::Resume(options) => {
            cluster::session(&options.exploration, |cluster| resume::resume(&options, cluster))
        }
        Command::Expand(options) => {
            cluster::session(&options.exploration, |cluster| expand::expand(&options, cluster))
        }
        Command::Join(options) => join::join(&options),
        Command::Gather(options) => gather::gather(&options),
        Command::Cluster { command: ClusterCommand::Status(options) } => cluster_status::status(&options),
        Command::List(options) => list::list(&options),
        Command::Replay(options) => replay::replay(&options),
        Command::Proofs(options) => proofs::proofs(&options),
        Command::Explain(options) => explain_command::explain(&options),
        Command::Report(options) => report::report(&options),
        Command::Debug(options) => debug::debug(&options),
        Command::Tests { command } => tests::tests(&command),
        Command::Stats(options) => stats::stats(&options),
        Command::Coverage(options) => coverage::coverage(&options),
        Command::Bound(options) => bound::bound(&options),
        Command::Dump(options) => dump::dump(&options),
        Command::Simulate(options) => simulate::simulate(&options),
        Command::Bench { command: BenchCommand::S2pf(options) } => bench_s2pf::s2pf(&options),
        Command::Bench { command: BenchCommand::Lazy(options) } => bench_lazy::lazy(&options),
        Command::Completions(options) => completions::completions(&options, Cli::command()),
        Command::Man(options) => man::man(&options, Cli::command()),
        Command::Options => options_command::options(Cli::command()),
        Command::Load { module, members, place, debug, entry, pointer_size, alias } => {
            let entry = entry.zip(pointer_size);
            let entry =
                entry.map(|(function, pointer_size)| cleave_program::Entry { function, pointer_size });
            let how = loading::How { members, place };
            loading::serve(loading::Wanted { module, how, debug }, entry, &alias)
        }
        Command::Native { told, program, .. } => Err(native_gdb::native(&told, &program)),
        Command::Worker { .. } => Ok(setup::worker()),
    }
}

fn finish(result: Result<ExitCode, Failure>) -> ExitCode {
    let code = result.unwrap_or_else(|failure| failure.report());
    failure::internal_errors().unwrap_or(code)
}
