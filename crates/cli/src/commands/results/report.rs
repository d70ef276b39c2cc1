//! `cleave report`: findings and coverage of a run, as a file for people or for another tool.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use crate::failure::Failure;
use crate::formats::{FORMATS, Wanted, known, table};
use crate::process::output::Output;
use crate::serving::serve::serve;

/// Options of `cleave report`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = table())]
pub struct ReportOptions {
    /// In which form: a name of the table below. Default is html
    #[arg(long, value_name = "FORMAT", default_value = FORMATS[0].name, hide_default_value = true,
          value_parser = |name: &str| known(name).map(|format| format.name))]
    pub to: &'static str,
    /// Show the report in a browser at this port of 127.0.0.1 (0: any), and follow a run that goes on, until Ctrl-C. The address
    /// is printed. Default is to write a file
    #[arg(long, value_name = "PORT", conflicts_with_all = ["to", "out"])]
    pub serve: Option<u16>,
    /// A folder with sources of the program, for files that are not where they were compiled. May be repeated. Default is
    /// where debug information says, the program's folder and those above it
    #[arg(long, value_name = "DIR")]
    pub source: Vec<PathBuf>,
    /// The run directory. Default is cleave-last
    #[arg(value_name = "RUN", default_value = "cleave-last", hide_default_value = true)]
    pub directory: PathBuf,
    /// The file to write, or - for standard output. Default is a file in the run directory, named after the form
    #[arg(value_name = "OUT")]
    pub out: Option<PathBuf>,
}

/// Writes the report and prints its path.
pub fn report(options: &ReportOptions) -> Result<ExitCode, Failure> {
    if let Some(port) = options.serve {
        return serve(&Wanted { directory: &options.directory, sources: &options.source }, port);
    }
    let format = known(options.to).map_err(Failure::usage)?;
    let bytes = (format.make)(&Wanted { directory: &options.directory, sources: &options.source })?;
    let file = options.out.clone().unwrap_or_else(|| options.directory.join(format.file));
    if file.as_os_str() == "-" {
        return written(std::io::stdout().write_all(&bytes).and_then(|()| std::io::stdout().flush()));
    }
    std::fs::write(&file, bytes).map_err(|e| {
        Failure::new(format!("cannot write {}: {e}; give another file behind the run", file.display()))
    })?;
    let mut out = Output::new();
    out.line(file.display())?;
    out.end()?;
    Ok(ExitCode::SUCCESS)
}

/// Checks a write to standard output; a reader that closes it early is no error.
fn written(result: std::io::Result<()>) -> Result<ExitCode, Failure> {
    match result {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::new(format!("cannot write to standard output: {e}")))
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}
