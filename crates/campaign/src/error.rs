//! Errors that end a campaign early, each with advice to the user. Commands print them.

use std::path::PathBuf;

/// An error of a run. In all cases committed data stays, and everything else is still open.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    /// The run directory cannot be made or opened.
    #[error("cannot use the run directory {path}: {source}; give another one with --output-dir")]
    Directory {
        /// The directory.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The run directory exists already.
    #[error("{path} is not empty; if it is a run, go on with `cleave resume`, or give another --output-dir")]
    Exists {
        /// The directory.
        path: PathBuf,
    },
    /// There is no run in the directory.
    #[error("{path} is no run directory; give one that `cleave run` made, like cleave-last")]
    NotARun {
        /// The directory.
        path: PathBuf,
    },
    /// Another process explores this run.
    #[error("the run in {path} is being explored by another process; wait for it or stop it first")]
    Busy {
        /// The directory.
        path: PathBuf,
    },
    /// The database was made by another version.
    #[error(
        "{path} has format {found}, and this version of Cleave reads format {expected}; use the version that made it"
    )]
    Format {
        /// The database.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// The format of this version.
        expected: i64,
    },
    /// The paths of the run are of another format than those of this version.
    #[error(
        "{path} has paths of format {found} (Cleave {version}), and this version of Cleave explores paths of format {expected}; \
         go on with the version that began the run, or begin a new one: cleave run --seed {path} PROGRAM ..."
    )]
    PathFormat {
        /// The run directory.
        path: PathBuf,
        /// The format of the run's paths.
        found: u32,
        /// The version of Cleave that began the run.
        version: String,
        /// The format of this version.
        expected: u32,
    },
    /// The disk is full.
    #[error(
        "the disk of {path} is full; nothing that was recorded is lost: make room, then `cleave resume` it"
    )]
    DiskFull {
        /// The database.
        path: PathBuf,
    },
    /// The database cannot be written.
    #[error(
        "{path} cannot be written ({}); make it and its folder writable, then `cleave resume` it",
        one_line(source)
    )]
    ReadOnly {
        /// The database.
        path: PathBuf,
        /// The error of the database.
        source: rusqlite::Error,
    },
    /// The database's contents make no sense.
    #[error("{path} is damaged ({}); restore it from a copy, or start the run anew", one_line(what))]
    Damaged {
        /// The database.
        path: PathBuf,
        /// Description of the damage.
        what: String,
    },
    /// Another error of the database.
    #[error(
        "the database {path} failed ({}); what was recorded is kept: `cleave resume` it",
        one_line(source)
    )]
    Database {
        /// The database.
        path: PathBuf,
        /// Its error.
        source: rusqlite::Error,
    },
    /// A worker cannot work, and no other worker could.
    #[error("a worker cannot start: {message}")]
    Worker {
        /// Its message.
        message: String,
    },
    /// This machine cannot continue.
    #[error("{message}")]
    Here {
        /// Reason and advice.
        message: String,
    },
    /// The connection to the workers is broken.
    #[error("lost the way to the workers: {message}; what was recorded is kept: `cleave resume` the run")]
    Transport {
        /// Description of the fault.
        message: String,
    },
    /// The sink of recorded paths failed.
    #[error("{message}")]
    Sink {
        /// Description and advice, from the sink.
        message: String,
    },
}

/// A message of SQLite, shortened to one line: in a damaged database it quotes the damaged content.
fn one_line(text: impl std::fmt::Display) -> String {
    let text: String = text.to_string().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    words.chars().take(200).collect()
}

impl CampaignError {
    /// Classifies an error of SQLite by the action that the user can take.
    pub(crate) fn database(path: &std::path::Path, source: rusqlite::Error) -> CampaignError {
        use rusqlite::ErrorCode as Code;
        let path = path.to_path_buf();
        let rusqlite::Error::SqliteFailure(failure, _) = &source else {
            return match source {
                rusqlite::Error::FromSqlConversionFailure(..)
                | rusqlite::Error::InvalidColumnType(..)
                | rusqlite::Error::IntegralValueOutOfRange(..)
                | rusqlite::Error::QueryReturnedNoRows => {
                    CampaignError::Damaged { path, what: source.to_string() }
                }
                source => CampaignError::Database { path, source },
            };
        };
        match failure.code {
            Code::DiskFull => CampaignError::DiskFull { path },
            // The file shared between processes could not grow; nothing else causes this failure.
            Code::SystemIoFailure if failure.extended_code == rusqlite::ffi::SQLITE_IOERR_SHMSIZE => {
                CampaignError::DiskFull { path }
            }
            Code::ReadOnly | Code::CannotOpen | Code::PermissionDenied => {
                CampaignError::ReadOnly { path, source }
            }
            Code::DatabaseCorrupt | Code::NotADatabase => {
                CampaignError::Damaged { path, what: source.to_string() }
            }
            _ => CampaignError::Database { path, source },
        }
    }
}
