//! `cleave debug`: a test of a run under gdb.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use cleave_debug::{Save, Session};
use cleave_engine::Engine;
use cleave_program::layout::Target;
use cleave_region::{PathDigest, Test};
use cleave_solver::{Solver, SolverOptions};
use rustix::process::{getpid, getppid};

use crate::failure::Failure;
use crate::inputs::ktests::{from_ktest, to_ktest};
use crate::process::executable;
use crate::process::messages::note;
use crate::process::output::Output;
use crate::programs::images;
use crate::programs::program_file;
use crate::sessions::run_dir::{recorded, test_of, warn_of_other_build};
use crate::sessions::saved::Saved;

/// Options of `cleave debug`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = "Example: cleave debug --gdb cleave-last 2 -- -ex 'break main' -ex continue")]
pub struct DebugOptions {
    /// Start gdb. Default is to print the command that starts it, and to wait
    #[arg(long)]
    pub gdb: bool,
    /// Wait for gdb at this port of this machine. Default is one that is free
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub port: u16,
    /// The program, if it is not where the run found it
    #[arg(long, value_name = "FILE")]
    pub program: Option<PathBuf>,
    /// Show the C library's lines, too. Default is to step over its functions
    #[arg(long)]
    pub library: bool,
    /// The process that must live until gdb has connected.
    #[arg(long, hide = true)]
    pub wait_with: Option<i32>,
    /// The run directory
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
    /// The test: its number in the run, or a .ktest file
    #[arg(value_name = "TEST")]
    pub test: OsString,
    /// Arguments for gdb, with --gdb
    #[arg(last = true, value_name = "ARGUMENTS", requires = "gdb")]
    pub arguments: Vec<OsString>,
}

/// Serves gdb.
pub fn debug(options: &DebugOptions) -> Result<ExitCode, Failure> {
    if options.gdb {
        return become_gdb(options);
    }
    let (session, symbols) = session(options)?;
    serve(options, session, &symbols)
}

/// A test of a run.
struct Chosen {
    test: Test,
    /// The digest of its path, if the run has recorded it.
    digest: Option<PathDigest>,
}

fn chosen(options: &DebugOptions) -> Result<(Saved, Chosen), Failure> {
    let (store, saved, _) = recorded(&options.directory)?;
    let text = options.test.to_string_lossy();
    let Ok(id) = text.parse::<u64>() else {
        let ktest = cleave_report::read_test(Path::new(&options.test))?;
        return Ok((saved, Chosen { test: from_ktest(&ktest), digest: None }));
    };
    let mut found = None;
    store.each_path::<Failure>(0, |path| {
        if path.id == id {
            let test = test_of(path.id, &path.record)?;
            found = Some(Chosen { test, digest: Some(path.record.digest) });
        }
        Ok(())
    })?;
    let found = found.ok_or_else(|| {
        let directory = options.directory.display();
        Failure::new(format!("the run {directory} has no test {id}; `cleave list {directory}` shows all"))
    })?;
    Ok((saved, found))
}

/// The session, and the file for gdb.
fn session(options: &DebugOptions) -> Result<(Session, tempfile::NamedTempFile), Failure> {
    let (saved, Chosen { test, digest }) = chosen(options)?;
    let path = options.program.clone().unwrap_or_else(|| PathBuf::from(&saved.program));
    program_file::check_program(&path)?;
    warn_of_other_build(&path, &options.directory);
    let program = images::load_debuggable(&path, &saved)?;
    if program.program.target != Target::X86_64 {
        return Err(Failure::new(
            "gdb is shown a machine of 64 bits, and the program is for 32; `cleave explain` shows the path of the test",
        ));
    }
    let solver = Solver::new(SolverOptions::default())?;
    let engine = Engine::new(program.program.clone(), saved.engine_options()?, solver);
    let arguments = saved.arguments.clone();
    let save: Save = Box::new(move |file, test| {
        let bytes = to_ktest(&arguments, test).to_bytes().map_err(|e| e.to_string())?;
        std::fs::write(file, bytes)
            .map_err(|e| format!("cannot write {}: {e}; give another place", file.display()))
    });
    let mut session = Session::new(program, engine, &test, save);
    if let Some(digest) = digest {
        match session.foretold() {
            Some((found, _)) if found == digest => {}
            Some(_) => note(
                "warning: under the debugger the test takes another path than the run recorded; what differs is not shown \
                 as it was",
            ),
            None => note("warning: the path is too long to be compared with what the run recorded"),
        }
    }
    let cannot = |e: std::io::Error| {
        Failure::new(format!("cannot write the file for gdb: {e}; make room, or set TMPDIR"))
    };
    let mut symbols = tempfile::Builder::new().prefix("cleave-").suffix(".gdb").tempfile().map_err(cannot)?;
    symbols.write_all(&session.symbols(options.library)?).map_err(cannot)?;
    Ok((session, symbols))
}

fn serve(
    options: &DebugOptions,
    mut session: Session,
    symbols: &tempfile::NamedTempFile,
) -> Result<ExitCode, Failure> {
    let no_port =
        |e| Failure::new(format!("cannot wait for gdb at port {}: {e}; give another --port", options.port));
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, options.port)).map_err(no_port)?;
    let port = listener.local_addr().map_err(no_port)?.port();
    let mut out = Output::new();
    let file = symbols.path().display();
    if options.wait_with.is_some() {
        out.line(format_args!("{port} {file}"))?;
    } else {
        out.line(format_args!("gdb {file} -ex 'target remote :{port}'"))?;
    }
    out.end()?;
    if let Some(connection) = accepted(&listener, options.wait_with).map_err(no_port)? {
        cleave_debug::serve(&mut session, connection)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The connection of gdb; `None` if the process `wait_with` is gone.
fn accepted(listener: &TcpListener, wait_with: Option<i32>) -> std::io::Result<Option<TcpStream>> {
    let Some(parent) = wait_with else { return Ok(Some(listener.accept()?.0)) };
    listener.set_nonblocking(true)?;
    loop {
        match listener.accept() {
            Ok((connection, _)) => {
                connection.set_nonblocking(false)?;
                return Ok(Some(connection));
            }
            Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(e) => return Err(e),
        }
        if getppid().is_none_or(|pid| pid.as_raw_nonzero().get() != parent) {
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Starts a process that serves, in a group of its own as Ctrl-C is gdb's, and becomes gdb.
fn become_gdb(options: &DebugOptions) -> Result<ExitCode, Failure> {
    let parent = getpid().as_raw_nonzero().to_string();
    let mut server = executable::command("debug");
    server.arg("--port").arg(options.port.to_string()).arg("--wait-with").arg(parent);
    if let Some(program) = &options.program {
        server.arg("--program").arg(program);
    }
    if options.library {
        server.arg("--library");
    }
    server.arg(&options.directory).arg(&options.test);
    let started = server.stdin(Stdio::null()).stdout(Stdio::piped()).process_group(0).spawn();
    let mut server = started
        .map_err(|e| Failure::new(format!("cannot start a process that serves gdb: {e}; try again")))?;
    let mut line = String::new();
    let read = server.stdout.take().map(|out| BufReader::new(out).read_line(&mut line));
    let (Some(Ok(_)), Some((port, symbols))) = (read, line.trim_end().split_once(' ')) else {
        // The process has printed the reason.
        let code = server.wait().ok().and_then(|status| status.code());
        return Ok(ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)));
    };
    let connect = format!("target remote :{port}");
    let error =
        Command::new("gdb").arg("-q").arg(symbols).arg("-ex").arg(connect).args(&options.arguments).exec();
    let _ = server.kill();
    Err(Failure::new(format!("cannot start gdb: {error}; install it (apt-get install gdb)")))
}
