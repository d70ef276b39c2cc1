//! `cleave join`: lends the processors of this machine to a run on another one.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::failure::Failure;

/// Options of `cleave join`.
#[derive(Clone, Debug, Args)]
#[command(group = clap::ArgGroup::new("allowed").required(true).args(["program", "any_program"]))]
pub struct JoinOptions {
    /// The NATS server that the run was given: like nats://host or tls://user:password@host:4222
    #[arg(value_name = "URL")]
    pub url: String,
    /// The file with the key of the campaign
    #[arg(long, value_name = "FILE")]
    pub cluster_key: PathBuf,
    /// Explore this program only: its SHA-256 digest, which `cleave run --cluster` says when it begins
    #[arg(long, value_name = "DIGEST", value_parser = digest)]
    pub program: Option<[u8; 32]>,
    /// Explore any program that a holder of the key asks for. It is interpreted, never executed
    #[arg(long)]
    pub any_program: bool,
    /// Worker processes. Default is the number of processor cores
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub workers: Option<u32>,
    /// The folder where the paths stay that this machine finds. Default is cleave-shards
    #[arg(long, value_name = "DIR", default_value = "cleave-shards", hide_default_value = true)]
    pub store: PathBuf,
}

/// The 64 hexadecimal digits of a digest.
fn digest(text: &str) -> Result<[u8; 32], String> {
    let wrong = || "a digest has 64 hexadecimal digits".to_string();
    if text.len() != 64 || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(wrong());
    }
    let mut bytes = [0; 32];
    for (i, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * i..2 * i + 2], 16).map_err(|_| wrong())?;
    }
    Ok(bytes)
}

/// The folder for paths, made if it is not there.
#[cfg(feature = "nats")]
fn store(path: &std::path::Path) -> Result<PathBuf, Failure> {
    let cannot =
        |e| Failure::new(format!("cannot use {}: {e}; give another folder with --store", path.display()));
    std::fs::create_dir_all(path).map_err(cannot)?;
    std::path::absolute(path).map_err(cannot)
}

/// Serves a run until it ends, or until a signal asks this machine to leave.
#[cfg(feature = "nats")]
pub fn join(options: &JoinOptions) -> Result<ExitCode, Failure> {
    use crate::process::executable;
    use crate::process::interrupt::Interrupt;
    use crate::process::messages::note;
    use crate::sessions::setup;

    let key = cleave_nats::Key::read(&options.cluster_key).map_err(Failure::usage)?;
    let interrupt = Interrupt::listen()?;
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let cores = || std::thread::available_parallelism().map_or(1, |n| n.get() as u32);
    cleave_nats::join(&cleave_nats::Joining {
        url: &options.url,
        key,
        name: format!("{host}/{}", std::process::id()),
        places: options.workers.unwrap_or_else(cores),
        command: || executable::command("worker"),
        store: store(&options.store)?,
        allows: &|bytes| setup::check_foreign(bytes, options.program),
        leave: interrupt.flag(),
        tell: &|what| note(what),
    })
    .map_err(Failure::new)?;
    Ok(ExitCode::SUCCESS)
}

/// Fails always: this build has no NATS.
#[cfg(not(feature = "nats"))]
pub fn join(_: &JoinOptions) -> Result<ExitCode, Failure> {
    Err(Failure::new(crate::sessions::cluster::WITHOUT_NATS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_read_back_from_its_digits_and_nothing_else_is_one() {
        let mut expected = [0; 32];
        (expected[0], expected[31]) = (0xab, 0x01);
        assert_eq!(digest(&format!("aB{}01", "0".repeat(60))), Ok(expected));
        for text in ["", &"0".repeat(63), &"g".repeat(64), &"+f".repeat(32), &"é".repeat(32)] {
            assert!(digest(text).is_err(), "{text}");
        }
    }
}
