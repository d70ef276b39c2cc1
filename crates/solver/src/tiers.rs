//! Back ends by name: the table of those that this build has, and which of them a solver uses, in which order.

use std::fmt;
use std::str::FromStr;

use crate::backend::Backend;
use crate::options::{SolverError, SolverOptions};

/// A back end that options can name.
#[derive(Debug)]
pub struct BackEnd {
    /// Its name: on the command line, in messages, in counts.
    pub name: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
    /// Whether it is a tier where nobody chooses.
    pub(crate) usual: bool,
    /// Starts one.
    pub(crate) start: fn(&SolverOptions) -> Result<Box<dyn Backend>, SolverError>,
}

/// All back ends of this build, quick ones first. A new one is a file with an entry, and its line here.
pub const BACK_ENDS: &[&BackEnd] = &[
    &crate::blast::BACK_END,
    #[cfg(feature = "bitwuzla")]
    &crate::bitwuzla::BACK_END,
];

/// The back ends that a solver uses, in their order: each but the last gets a short time, the last one all that is left.
/// Written as their names, with commas between them.
#[derive(Clone, Debug)]
pub struct Tiers(Vec<&'static BackEnd>);

impl Default for Tiers {
    /// All that are meant to be used without being asked for.
    fn default() -> Tiers {
        Tiers(BACK_ENDS.iter().copied().filter(|back_end| back_end.usual).collect())
    }
}

impl FromStr for Tiers {
    type Err = SolverError;

    fn from_str(names: &str) -> Result<Tiers, SolverError> {
        let mut tiers = Tiers(Vec::new());
        for name in names.split(',').map(str::trim) {
            let found = BACK_ENDS.iter().find(|back_end| back_end.name == name);
            let back_end = found.ok_or_else(|| SolverError::UnknownBackEnd { name: name.into() })?;
            if tiers.has(back_end) {
                return Err(SolverError::NamedTwice { name: back_end.name });
            }
            tiers.0.push(back_end);
        }
        Ok(tiers)
    }
}

impl fmt::Display for Tiers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.0.iter().map(|back_end| back_end.name).collect();
        f.write_str(&names.join(","))
    }
}

impl Tiers {
    fn has(&self, back_end: &BackEnd) -> bool {
        self.0.iter().any(|tier| tier.name == back_end.name)
    }

    /// Starts them.
    pub(crate) fn start(&self, options: &SolverOptions) -> Result<Vec<Box<dyn Backend>>, SolverError> {
        self.0.iter().map(|back_end| (back_end.start)(options)).collect()
    }

    /// Starts one that is none of them, to check the first where it stands alone.
    pub(crate) fn start_other(
        &self,
        options: &SolverOptions,
    ) -> Option<Result<Box<dyn Backend>, SolverError>> {
        let other = BACK_ENDS.iter().find(|back_end| !self.has(back_end))?;
        Some((other.start)(options))
    }
}

/// The names of all back ends, as a sentence lists them.
pub(crate) fn names() -> String {
    let names: Vec<&str> = BACK_ENDS.iter().map(|back_end| back_end.name).collect();
    names.join(", ")
}
