//! `cleave report --serve`: the report of a run that goes on, for a browser on this machine.

use std::net::Ipv4Addr;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::failure::Failure;
use crate::formats::Wanted;
use crate::page::page;
use crate::process::number_words::counted;
use crate::process::output::Output;
use crate::serving::http;
use crate::sessions::run_dir;

/// Minimum age of a page before it is made again; also at least [`SHARE`] times the time that it took to make it.
const AT_MOST: Duration = Duration::from_secs(2);
/// See [`AT_MOST`].
const SHARE: u32 = 4;

/// Script in the page that loads it anew when the run has got farther.
const WATCH: &str = "<script>\nconst seen = '{{seen}}';\nsetInterval(async () => {\n  \
    const now = await fetch('progress').then((r) => r.text()).catch(() => seen);\n  \
    if (now !== seen) location.reload();\n}, 3000);\n</script></body>";

/// The page as it was last made.
struct Made {
    text: String,
    /// Progress of the run at that time.
    seen: String,
    at: Instant,
    took: Duration,
}

/// Answers requests on this port of 127.0.0.1, of any port for 0, until the process is ended.
///
/// # Errors
/// If the port is not available, or the run cannot be read at first.
pub fn serve(wanted: &Wanted<'_>, port: u16) -> Result<ExitCode, Failure> {
    let server = http::listen((Ipv4Addr::LOCALHOST, port).into())?;
    let mut made = make(wanted)?;
    let mut out = Output::new();
    out.line(format_args!("http://{}/", server.server_addr()))?;
    out.end()?;
    http::serve(&server, |path| answer(path, wanted, &mut made));
    Ok(ExitCode::SUCCESS)
}

fn answer(path: &str, wanted: &Wanted<'_>, made: &mut Made) -> http::Answer {
    let failed = |failure: Failure| (500, format!("{}\n", failure.sentence()));
    match path {
        "/" => {
            let pause = AT_MOST.max(made.took * SHARE);
            if made.at.elapsed() >= pause && progress(wanted).map_err(failed)? != made.seen {
                *made = make(wanted).map_err(failed)?;
            }
            Ok(("text/html; charset=utf-8", made.text.clone()))
        }
        "/progress" => Ok(("text/plain", progress(wanted).map_err(failed)?)),
        _ => Err((404, "there is / and /progress\n".into())),
    }
}

/// Makes the page.
fn make(wanted: &Wanted<'_>) -> Result<Made, Failure> {
    let (at, seen) = (Instant::now(), progress(wanted)?);
    let text = page(wanted)?;
    let text = match text.rsplit_once("</body>") {
        Some((before, behind)) => format!("{before}{}{behind}", WATCH.replace("{{seen}}", &seen)),
        None => text,
    };
    Ok(Made { text, seen, at: Instant::now(), took: at.elapsed() })
}

/// Progress of the run as text, which changes when something is found, or a session begins or ends.
fn progress(wanted: &Wanted<'_>) -> Result<String, Failure> {
    let account = run_dir::account(wanted.directory)?;
    let count = |pointer: &str| account.pointer(pointer).and_then(Value::as_u64).unwrap_or(0);
    let paths: u64 = account["paths"].as_object().into_iter().flatten().filter_map(|(_, n)| n.as_u64()).sum();
    let ended = account["stop_reason"].as_str().unwrap_or("runs");
    Ok(format!(
        "{}, {} open, {}, session {}, {ended}",
        counted(paths, "path"),
        count("/open_regions"),
        counted(count("/bugs"), "bug"),
        count("/sessions")
    ))
}
